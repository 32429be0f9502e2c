//! The rows. Published texts are those of OpenAI; what it cannot say stands in the description.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64,
    NonZeroUsize,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent_core::{Tool, tool};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use jiff::Timestamp;
use rust_decimal::Decimal;
use serde_json::Number;
use url::Url;
use uuid::Uuid;

use crate::kinds::{
    Closed, Defaulted, Documented, Empty, External, Flattened, Folder, Foreign, Internal, Nested, Newtype, Page, Plain,
    Point, Renamed, Shared, Skipping, Transparent, Tree, Waits, WithDefaults,
};
use crate::{Row, rows};

pub(crate) fn all() -> Vec<Row> {
    [text(), crates(), numbers(), wrappers(), own()].into_iter().flatten().collect()
}

fn text() -> Vec<Row> {
    rows! {
        String = r#"{"type":"string"}"#,
            [r#""""#, r#""é""#],
            [("1", "type"), ("true", "type"), ("null", "type")];
        Box<str> = r#"{"type":"string"}"#,
            [r#""a""#],
            [("1", "type"), ("[]", "type"), ("null", "type")];
        Cow<'static, str> = r#"{"type":"string"}"#,
            [r#""a""#],
            [("1", "type"), ("{}", "type"), ("null", "type")];
        char = r#"{"description":"Exactly 1 character.","type":"string"}"#,
            [r#""é""#],
            [(r#""""#, "minLength"), (r#""ab""#, "maxLength"), ("1", "type")];
        IpAddr = r#"{"description":"An IPv4 or IPv6 address.","type":"string"}"#,
            [r#""127.0.0.1""#, r#""::1""#],
            [(r#""localhost""#, "format"), (r#""10.0.0.256""#, "format"), ("1", "type")];
        Ipv4Addr = r#"{"type":"string","format":"ipv4"}"#,
            [r#""127.0.0.1""#],
            [(r#""::1""#, "format"), (r#""1.2.3""#, "format"), ("1", "type")];
        Ipv6Addr = r#"{"type":"string","format":"ipv6"}"#,
            [r#""::1""#],
            [(r#""127.0.0.1""#, "format"), (r#"":::""#, "format"), ("1", "type")];
        SocketAddr = r#"{"description":"An IP address with a port such as 192.0.2.1:8080 or [2001:db8::1]:8080.","type":"string"}"#,
            [r#""127.0.0.1:80""#, r#""[::1]:443""#],
            [(r#""127.0.0.1""#, "format"), (r#""localhost:80""#, "format"), ("80", "type")];
        PathBuf = r#"{"type":"string"}"#,
            [r#""a/b.txt""#, r#""""#],
            [("1", "type"), ("[]", "type"), ("null", "type")];
        Box<Path> = r#"{"type":"string"}"#,
            [r#""/a""#],
            [("1", "type"), ("{}", "type"), ("null", "type")];
        Shared = r#"{"type":"object","properties":{"name":{"description":"What it is called.","type":"string"}},"required":["name"],"additionalProperties":false}"#,
            [r#"{"name":"a"}"#],
            [(r#"{"name":1}"#, "type"), ("{}", "required"), (r#""a""#, "type")];
        #[arg(min_length = 2, max_length = 3)]
        String = r#"{"description":"At least 2 characters. At most 3 characters.","type":"string"}"#,
            [r#""ab""#, r#""éèê""#],
            [(r#""a""#, "minLength"), (r#""abcd""#, "maxLength"), ("12", "type")];
        #[arg(pattern = "^[A-Z]{2}$")]
        String = r#"{"type":"string","pattern":"^[A-Z]{2}$"}"#,
            [r#""UK""#],
            [(r#""uk""#, "pattern"), (r#""UK ""#, "pattern"), (r#""""#, "pattern")];
        #[arg(format = "email")]
        String = r#"{"type":"string","format":"email"}"#,
            [r#""ada@example.org""#],
            [(r#""ada""#, "format"), (r#""@example.org""#, "format"), ("1", "type")];
        #[arg(format = "uri")]
        String = r#"{"description":"An absolute URI.","type":"string"}"#,
            [r#""https://example.org/a""#],
            [(r#""/a""#, "format"), (r#""a b:c""#, "format"), ("1", "type")];
        #[arg(format = "date")]
        String = r#"{"type":"string","format":"date"}"#,
            [r#""2026-02-28""#],
            [(r#""2026-02-30""#, "format"), (r#""28.2.2026""#, "format"), ("20260228", "type")];
        #[arg(default = "GBP", example = "EUR")]
        String = r#"{"description":"Default: \"GBP\". Example: \"EUR\".","type":["string","null"]}"#,
            [r#""GBP""#, "null"],
            [("1", "type"), ("[]", "type"), ("false", "type")];
        #[arg(as_type = String)]
        Foreign = r#"{"type":"string"}"#,
            [r#""a""#],
            [("1", "type"), ("{}", "type"), ("null", "type")];
    }
}

/// Types of the crates that features of `agent-core` name.
fn crates() -> Vec<Row> {
    rows! {
        DateTime<Utc> = r#"{"type":"string","format":"date-time"}"#,
            [r#""2026-03-31T09:30:00Z""#, r#""2026-03-31T10:30:00.5+01:00""#],
            [(r#""2026-03-31""#, "format"), (r#""2026-02-30T09:30:00Z""#, "format"), ("1774949400", "type")];
        DateTime<FixedOffset> = r#"{"type":"string","format":"date-time"}"#,
            [r#""2026-03-31T09:30:00+01:00""#],
            [(r#""2026-03-31T09:30:00""#, "format"), (r#""tomorrow""#, "format"), ("null", "type")];
        NaiveDate = r#"{"type":"string","format":"date"}"#,
            [r#""2026-03-31""#],
            [(r#""2026-02-29""#, "format"), (r#""31.3.2026""#, "format"), ("20260331", "type")];
        NaiveTime = r#"{"description":"A time of day without offset such as 09:30:00.","type":"string"}"#,
            [r#""09:30:00""#, r#""23:59:59.25""#],
            [(r#""24:00:00""#, "format"), (r#""09:30:00Z""#, "format"), ("930", "type")];
        NaiveDateTime = r#"{"description":"A date and time without offset such as 2026-03-31T09:30:00.","type":"string"}"#,
            [r#""2026-03-31T09:30:00""#],
            [(r#""2026-03-31T09:30:00Z""#, "format"), (r#""2026-03-31""#, "format"), ("{}", "type")];
        Timestamp = r#"{"type":"string","format":"date-time"}"#,
            [r#""2026-03-31T09:30:00Z""#, r#""2026-03-31T10:30:00.5+01:00""#],
            [(r#""2026-03-31T09:30:00""#, "format"), (r#""2026-13-01T00:00:00Z""#, "format"), ("0", "type")];
        jiff::civil::Time = r#"{"description":"A time of day without offset such as 09:30:00.","type":"string"}"#,
            [r#""09:30:00""#, r#""23:59:59.25""#],
            [(r#""24:00:00""#, "format"), (r#""half past nine""#, "format"), ("930", "type")];
        jiff::civil::DateTime = r#"{"description":"A date and time without offset such as 2026-03-31T09:30:00.","type":"string"}"#,
            [r#""2026-03-31T09:30:00""#],
            [(r#""2026-03-31T09:30:00Z""#, "format"), (r#""2026-02-30T09:30:00""#, "format"), ("{}", "type")];
        jiff::Span = r#"{"type":"string","format":"duration"}"#,
            [r#""P1DT2H""#, r#""-PT30S""#],
            [(r#""PT""#, "format"), (r#""tomorrow""#, "format"), ("90", "type")];
        jiff::SignedDuration = r#"{"type":"string","format":"duration"}"#,
            [r#""PT2H30M""#],
            [(r#""P1M""#, "format"), (r#""""#, "format"), ("90", "type")];
        jiff::civil::Date = r#"{"type":"string","format":"date"}"#,
            [r#""2026-03-31""#],
            [(r#""2026-02-29""#, "format"), (r#""today""#, "format"), ("null", "type")];
        Uuid = r#"{"type":"string","format":"uuid"}"#,
            [r#""123e4567-e89b-12d3-a456-426614174000""#, r#""123E4567-E89B-12D3-A456-426614174000""#],
            [
                (r#""123e4567-e89b-12d3-a456-42661417400""#, "format"),
                (r#""123e4567-e89b-12d3-a456-42661417400g""#, "format"),
                ("1", "type"),
            ];
        Url = r#"{"description":"An absolute URI.","type":"string"}"#,
            [r#""https://example.org/a?b=c#d""#, r#""mailto:ada@example.org""#],
            [(r#""/a""#, "format"), (r#""example.org""#, "format"), (r#""http://[::1""#, "format")];
        #[arg(pattern = "^https://")]
        Url = r#"{"description":"An absolute URI.","type":"string","pattern":"^https://"}"#,
            [r#""https://example.org""#],
            [(r#""http://example.org""#, "pattern"), (r#""https://""#, "format"), ("null", "type")];
        #[arg(default = "2026-03-31")]
        NaiveDate = r#"{"description":"Default: \"2026-03-31\".","type":["string","null"],"format":"date"}"#,
            [r#""2026-04-01""#, "null"],
            [(r#""2026-3""#, "format"), (r#""""#, "format"), ("1", "type")];
        Option<Uuid> = r#"{"type":["string","null"],"format":"uuid"}"#,
            ["null"],
            [(r#""""#, "format"), (r#""null""#, "format"), ("0", "type")];
    }
}

fn numbers() -> Vec<Row> {
    rows! {
        bool = r#"{"type":"boolean"}"#,
            ["true", "false"],
            [(r#""true""#, "type"), ("1", "type"), ("null", "type")];
        u8 = r#"{"type":"integer","minimum":0,"maximum":255}"#,
            ["0", "255", "3.0"],
            [("-1", "minimum"), ("256", "maximum"), ("1.5", "type")];
        i8 = r#"{"type":"integer","minimum":-128,"maximum":127}"#,
            ["-128", "127"],
            [("-129", "minimum"), ("128", "maximum"), (r#""1""#, "type")];
        u16 = r#"{"type":"integer","minimum":0,"maximum":65535}"#,
            ["65535"],
            [("-1", "minimum"), ("65536", "maximum"), ("null", "type")];
        i16 = r#"{"type":"integer","minimum":-32768,"maximum":32767}"#,
            ["-32768"],
            [("-32769", "minimum"), ("32768", "maximum"), ("true", "type")];
        u32 = r#"{"type":"integer","minimum":0,"maximum":4294967295}"#,
            ["4294967295"],
            [("-1", "minimum"), ("4294967296", "maximum"), ("0.1", "type")];
        i32 = r#"{"type":"integer","minimum":-2147483648,"maximum":2147483647}"#,
            ["-2147483648"],
            [("-2147483649", "minimum"), ("2147483648", "maximum"), ("[]", "type")];
        u64 = r#"{"type":"integer","minimum":0}"#,
            ["18446744073709551615"],
            [("-1", "minimum"), ("18446744073709551616", "maximum"), ("{}", "type")];
        i64 = r#"{"type":"integer"}"#,
            ["-9223372036854775808"],
            [("9223372036854775808", "maximum"), ("-1e30", "minimum"), ("0.5", "type")];
        usize = r#"{"type":"integer","minimum":0}"#,
            ["1"],
            [("-1", "minimum"), ("1e30", "maximum"), (r#""""#, "type")];
        isize = r#"{"type":"integer"}"#,
            ["-1"],
            [("-1e30", "minimum"), ("1e30", "maximum"), ("1.5", "type")];
        NonZeroU8 = r#"{"type":"integer","minimum":1,"maximum":255}"#,
            ["1"],
            [("0", "minimum"), ("256", "maximum"), ("1.5", "type")];
        NonZeroU16 = r#"{"type":"integer","minimum":1,"maximum":65535}"#,
            ["1"],
            [("0", "minimum"), ("65536", "maximum"), ("1.5", "type")];
        NonZeroU32 = r#"{"type":"integer","minimum":1,"maximum":4294967295}"#,
            ["1"],
            [("0", "minimum"), ("4294967296", "maximum"), ("1.5", "type")];
        NonZeroU64 = r#"{"type":"integer","minimum":1}"#,
            ["1"],
            [("0", "minimum"), ("1e30", "maximum"), ("1.5", "type")];
        NonZeroUsize = r#"{"type":"integer","minimum":1}"#,
            ["1"],
            [("0", "minimum"), ("1e30", "maximum"), ("1.5", "type")];
        NonZeroI8 = r#"{"description":"A number other than 0.","type":"integer","minimum":-128,"maximum":127}"#,
            ["-1"],
            [("0", "not"), ("128", "maximum"), ("-129", "minimum")];
        NonZeroI16 = r#"{"description":"A number other than 0.","type":"integer","minimum":-32768,"maximum":32767}"#,
            ["-1"],
            [("0", "not"), ("32768", "maximum"), ("-32769", "minimum")];
        NonZeroI32 = r#"{"description":"A number other than 0.","type":"integer","minimum":-2147483648,"maximum":2147483647}"#,
            ["-1"],
            [("0", "not"), ("2147483648", "maximum"), ("1.5", "type")];
        NonZeroI64 = r#"{"description":"A number other than 0.","type":"integer"}"#,
            ["-1"],
            [("0", "not"), ("0.0", "not"), (r#""1""#, "type")];
        NonZeroIsize = r#"{"description":"A number other than 0.","type":"integer"}"#,
            ["-1"],
            [("0", "not"), ("-0", "not"), ("1.5", "type")];
        f32 = r#"{"type":"number"}"#,
            ["0.1", "-7"],
            [("1e39", "maximum"), (r#""1""#, "type"), ("null", "type")];
        f64 = r#"{"type":"number"}"#,
            ["0.1", "18446744073709551615"],
            [(r#""0.1""#, "type"), ("true", "type"), ("null", "type")];
        Decimal = r#"{"description":"A decimal of at most 15 significant digits.","type":"number"}"#,
            ["1500.10", "7"],
            [("0.1234567890123456", "decimal"), (r#""1""#, "type"), ("1e29", "decimal")];
        Number = r#"{"type":"number"}"#,
            ["0.1", "18446744073709551615", "-1e300"],
            [(r#""1""#, "type"), ("true", "type"), ("null", "type")];
        Duration = r#"{"description":"In seconds.","type":"number","minimum":0}"#,
            ["0", "90", "2.5", "0.000000001", "18446744073709551615"],
            [("-1", "minimum"), ("18446744073709551616", "maximum"), (r#"{"secs":1,"nanos":0}"#, "type")];
        Option<Duration> = r#"{"description":"In seconds.","type":["number","null"],"minimum":0}"#,
            ["1.5", "null"],
            [("0.0000000001", "decimal"), ("-0.5", "minimum"), (r#""PT1S""#, "type")];
        Vec<Duration> = r#"{"type":"array","items":{"description":"In seconds.","type":"number","minimum":0}}"#,
            ["[0.5,1]"],
            [("[-1]", "minimum"), ("[null]", "type"), ("1", "type")];
        #[arg(minimum = 0.5, maximum = 60, multiple_of = 0.25, default = 2.5)]
        Duration = r#"{"description":"In seconds. Default: 2.5.","type":["number","null"],"minimum":0.5,"maximum":60,"multipleOf":0.25}"#,
            ["0.5", "60", "null"],
            [("0.25", "minimum"), ("61", "maximum"), ("0.6", "multipleOf")];
        #[arg(exclusive_minimum = 0)]
        Duration = r#"{"description":"In seconds.","type":"number","exclusiveMinimum":0}"#,
            ["0.001"],
            [("0", "exclusiveMinimum"), ("-1", "minimum"), ("true", "type")];
        Waits = r#"{"anyOf":[{"type":"object","properties":{"kind":{"type":"string","enum":["before"]},"pause":{"description":"How long.","type":"object","properties":{"span":{"description":"How long it takes. In seconds.","type":"number","minimum":0}},"required":["span"],"additionalProperties":false},"spans":{"description":"How often.","type":"array","items":{"description":"In seconds.","type":"number","minimum":0}},"number":{"description":"Any.","type":"number"}},"required":["kind","pause","spans","number"],"additionalProperties":false},{"type":"object","properties":{"kind":{"type":"string","enum":["after"]},"span":{"description":"How long it takes. In seconds.","type":"number","minimum":0}},"required":["kind","span"],"additionalProperties":false}]}"#,
            [
                r#"{"kind":"before","pause":{"span":1.5},"spans":[0,2.25],"number":1}"#,
                r#"{"kind":"after","span":0.000000001}"#,
            ],
            [
                (r#"{"kind":"after","span":-1}"#, "minimum"),
                (r#"{"kind":"after","span":{"secs":1,"nanos":0}}"#, "type"),
                (r#"{"kind":"after"}"#, "required"),
            ];
        #[arg(minimum = 2, maximum = 8, multiple_of = 2)]
        u8 = r#"{"type":"integer","minimum":2,"maximum":8,"multipleOf":2}"#,
            ["2", "8"],
            [("1", "minimum multipleOf"), ("10", "maximum"), ("3", "multipleOf")];
        #[arg(exclusive_minimum = 0, exclusive_maximum = 1.5)]
        f64 = r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5}"#,
            ["0.1", "1.4"],
            [("0", "exclusiveMinimum"), ("1.5", "exclusiveMaximum"), ("-1", "exclusiveMinimum")];
        #[arg(exclusive_minimum = 0, multiple_of = 0.01)]
        Decimal = r#"{"description":"A decimal of at most 15 significant digits.","type":"number","exclusiveMinimum":0,"multipleOf":0.01}"#,
            ["0.01", "19.99"],
            [("0", "exclusiveMinimum"), ("0.015", "multipleOf"), ("-0.01", "exclusiveMinimum")];
        #[arg(default = 5)]
        i64 = r#"{"description":"Default: 5.","type":["integer","null"]}"#,
            ["5", "null"],
            [(r#""5""#, "type"), ("5.5", "type"), ("[]", "type")];
    }
}

fn wrappers() -> Vec<Row> {
    rows! {
        Option<String> = r#"{"type":["string","null"]}"#,
            [r#""a""#, "null"],
            [("1", "type"), ("[]", "type"), ("false", "type")];
        Option<Plain> = r#"{"type":["string","null"],"enum":["dark_red","green",null]}"#,
            [r#""green""#, "null"],
            [(r#""Green""#, "enum"), (r#""""#, "enum"), ("1", "type")];
        Option<Option<u8>> = r#"{"type":["integer","null"],"minimum":0,"maximum":255}"#,
            ["1", "null"],
            [("256", "maximum"), ("-1", "minimum"), (r#""1""#, "type")];
        Option<Point> = r#"{"anyOf":[{"type":"object","properties":{"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["x","y"],"additionalProperties":false},{"type":"null"}]}"#,
            [r#"{"x":1,"y":2}"#, "null"],
            [("{}", "required required"), ("[]", "type"), (r#"{"x":1,"y":null}"#, "type")];
        Box<u8> = r#"{"type":"integer","minimum":0,"maximum":255}"#,
            ["1"],
            [("256", "maximum"), ("null", "type"), ("1.5", "type")];
        Vec<u8> = r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}"#,
            ["[]", "[1,1]"],
            [("[256]", "maximum"), ("[null]", "type"), ("1", "type")];
        Vec<Option<u8>> = r#"{"type":"array","items":{"type":["integer","null"],"minimum":0,"maximum":255}}"#,
            ["[null,1]"],
            [("[256]", "maximum"), (r#"["1"]"#, "type"), ("null", "type")];
        VecDeque<String> = r#"{"type":"array","items":{"type":"string"}}"#,
            [r#"["a"]"#],
            [("[1]", "type"), (r#""a""#, "type"), ("{}", "type")];
        Box<[bool]> = r#"{"type":"array","items":{"type":"boolean"}}"#,
            ["[true]"],
            [("[1]", "type"), ("true", "type"), ("null", "type")];
        [u8; 2] = r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":2,"maxItems":2}"#,
            ["[1,2]"],
            [("[1]", "minItems"), ("[1,2,3]", "maxItems"), ("[1,-1]", "minimum")];
        HashSet<String> = r#"{"description":"No two items the same.","type":"array","items":{"type":"string"}}"#,
            [r#"["a","b"]"#],
            [(r#"["a","a"]"#, "uniqueItems"), ("[1]", "type"), (r#""a""#, "type")];
        BTreeSet<u8> = r#"{"description":"No two items the same.","type":"array","items":{"type":"integer","minimum":0,"maximum":255}}"#,
            ["[2,1]"],
            [("[1,1.0]", "uniqueItems"), ("[256]", "maximum"), ("{}", "type")];
        Vec<Vec<u8>> = r#"{"type":"array","items":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}}"#,
            ["[[1],[]]"],
            [("[1]", "type"), ("[[256]]", "maximum"), ("[null]", "type")];
        #[arg(min_items = 1, max_items = 2)]
        Vec<u8> = r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":1,"maxItems":2}"#,
            ["[1]", "[1,2]"],
            [("[]", "minItems"), ("[1,2,3]", "maxItems"), ("1", "type")];
        #[arg(default = ["a"])]
        Vec<String> = r#"{"description":"Default: [\"a\"].","type":["array","null"],"items":{"type":"string"}}"#,
            ["[]", "null"],
            [("[1]", "type"), (r#""a""#, "type"), ("[null]", "type")];
    }
}

fn own() -> Vec<Row> {
    rows! {
        Newtype = r#"{"type":"string"}"#,
            [r#""a""#],
            [("1", "type"), (r#"["a"]"#, "type"), ("null", "type")];
        Transparent = r#"{"type":"integer","minimum":0,"maximum":255}"#,
            ["1"],
            [("256", "maximum"), (r#"{"number":1}"#, "type"), ("null", "type")];
        Empty = r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#,
            ["{}"],
            [("[]", "type"), (r#"{"a":1}"#, "additionalProperties"), ("null", "type")];
        Point = r#"{"type":"object","properties":{"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["x","y"],"additionalProperties":false}"#,
            [r#"{"x":1,"y":-0.5}"#],
            [
                (r#"{"x":1}"#, "required"),
                (r#"{"x":1,"y":2,"z":3}"#, "additionalProperties"),
                (r#"{"x":1,"y":2,"x":3}"#, "doubled"),
            ];
        Nested = r#"{"type":"object","properties":{"at":{"description":"Where it is.","type":"object","properties":{"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["x","y"],"additionalProperties":false},"name":{"description":"What it is called.","type":["string","null"]}},"required":["at","name"],"additionalProperties":false}"#,
            [r#"{"at":{"x":1,"y":2},"name":null}"#],
            [
                (r#"{"at":{"x":1},"name":"a"}"#, "required"),
                (r#"{"at":null,"name":"a"}"#, "type"),
                (r#"{"at":{"x":1,"y":2},"name":1}"#, "type"),
            ];
        Defaulted = r#"{"type":"object","properties":{"count":{"description":"How many.","type":["integer","null"],"minimum":0,"maximum":255}},"required":["count"],"additionalProperties":false}"#,
            [r#"{"count":null}"#, r#"{"count":1}"#],
            [(r#"{"count":256}"#, "maximum"), (r#"{"n":1}"#, "additionalProperties"), ("null", "type")];
        WithDefaults = r#"{"type":"object","properties":{"count":{"description":"How many. Default: 3.","type":["integer","null"],"minimum":0,"maximum":255},"name":{"description":"What it is called.","type":["string","null"]}},"required":["count","name"],"additionalProperties":false}"#,
            [r#"{"count":null,"name":null}"#],
            [(r#"{"count":"1"}"#, "type"), (r#"{"name":1}"#, "type"), ("[]", "type")];
        Renamed = r#"{"type":"object","properties":{"clientName":{"description":"Who orders.","type":"string"},"cur":{"description":"The currency.","type":"string"}},"required":["clientName","cur"],"additionalProperties":false}"#,
            [r#"{"clientName":"Ada","cur":"GBP"}"#],
            [
                (r#"{"client_name":"Ada","cur":"GBP"}"#, "additionalProperties required"),
                (r#"{"clientName":"Ada","customer":"Ada","cur":"GBP"}"#, "doubled"),
                (r#"{"clientName":"Ada"}"#, "required"),
            ];
        Skipping = r#"{"type":"object","properties":{"count":{"description":"How many.","type":"integer","minimum":0,"maximum":255}},"required":["count"],"additionalProperties":false}"#,
            [r#"{"count":1}"#],
            [
                (r#"{"count":1,"seen":true}"#, "additionalProperties"),
                (r#"{"count":1,"kept":true}"#, "additionalProperties"),
                ("{}", "required"),
            ];
        Closed = r#"{"type":"object","properties":{"count":{"description":"How many.","type":"integer","minimum":0,"maximum":255}},"required":["count"],"additionalProperties":false}"#,
            [r#"{"count":1}"#],
            [(r#"{"count":1,"more":1}"#, "additionalProperties"), ("{}", "required"), (r#"{"count":-1}"#, "minimum")];
        Flattened = r#"{"type":"object","properties":{"name":{"description":"What it is called.","type":"string"},"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["name","x","y"],"additionalProperties":false}"#,
            [r#"{"name":"a","x":1,"y":2}"#],
            [
                (r#"{"name":"a","at":{"x":1,"y":2}}"#, "additionalProperties required required"),
                (r#"{"name":"a","x":1}"#, "required"),
                (r#"{"name":"a","x":1,"y":"2"}"#, "type"),
            ];
        Page<Point> = r#"{"type":"object","properties":{"items":{"description":"What is on it.","type":"array","items":{"type":"object","properties":{"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["x","y"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}"#,
            [r#"{"items":[{"x":1,"y":2}]}"#],
            [(r#"{"items":[{}]}"#, "required required"), (r#"{"items":{}}"#, "type"), ("{}", "required")];
        Plain = r#"{"type":"string","enum":["dark_red","green"]}"#,
            [r#""dark_red""#],
            [(r#""DarkRed""#, "enum"), (r#""blue""#, "enum"), ("0", "type")];
        Documented = r#"{"description":"\n- `red`: As blood.","type":"string","enum":["red","green"]}"#,
            [r#""red""#, r#""green""#],
            [(r#""RED""#, "enum"), (r#""""#, "enum"), ("null", "type")];
        External = r#"{"anyOf":[{"type":"string","enum":["everyone"]},{"type":"object","properties":{"users":{"type":"array","items":{"type":"string"}}},"required":["users"],"additionalProperties":false},{"type":"object","properties":{"near":{"type":"object","properties":{"atMost":{"description":"How far.","type":"integer","minimum":0,"maximum":255}},"required":["atMost"],"additionalProperties":false}},"required":["near"],"additionalProperties":false}]}"#,
            [r#""everyone""#, r#"{"users":["a"]}"#, r#"{"near":{"atMost":3}}"#],
            [
                (r#""users""#, "type"),
                (r#"{"near":{"at_most":3}}"#, "additionalProperties required"),
                (r#"{"users":["a"],"near":{"atMost":3}}"#, "anyOf"),
            ];
        Internal = r#"{"anyOf":[{"description":"At the door.","type":"object","properties":{"kind":{"type":"string","enum":["cash"]}},"required":["kind"],"additionalProperties":false},{"type":"object","properties":{"kind":{"type":"string","enum":["card"]},"number":{"description":"As printed on it.","type":"string"}},"required":["kind","number"],"additionalProperties":false},{"type":"object","properties":{"kind":{"type":"string","enum":["at"]},"x":{"description":"To the right.","type":"number"},"y":{"description":"Upwards.","type":"number"}},"required":["kind","x","y"],"additionalProperties":false}]}"#,
            [r#"{"kind":"cash"}"#, r#"{"kind":"card","number":"1"}"#, r#"{"kind":"at","x":1,"y":2}"#],
            [
                (r#"{"kind":"coin"}"#, "enum"),
                (r#"{"number":"1"}"#, "required"),
                (r#"{"kind":"cash","number":"1"}"#, "additionalProperties"),
            ];
        Tree = r##"{"anyOf":[{"$ref":"#/$defs/Tree"}]},"$defs":{"Tree":{"type":"object","properties":{"value":{"description":"The value.","type":"integer","minimum":0,"maximum":255},"kids":{"description":"Below it.","type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["value","kids"],"additionalProperties":false}}"##,
            [r#"{"value":1,"kids":[{"value":2,"kids":[]}]}"#],
            [
                (r#"{"value":1,"kids":[{"value":256,"kids":[]}]}"#, "maximum"),
                (r#"{"value":1}"#, "required"),
                (r#"{"value":1,"kids":[null]}"#, "type"),
            ];
        Folder = r##"{"anyOf":[{"$ref":"#/$defs/Folder"}]},"$defs":{"Folder":{"type":"object","properties":{"items":{"description":"What is in it.","type":"array","items":{"type":"object","properties":{"folder":{"description":"A folder within.","anyOf":[{"$ref":"#/$defs/Folder"},{"type":"null"}]}},"required":["folder"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}}"##,
            [r#"{"items":[{"folder":null},{"folder":{"items":[]}}]}"#],
            [
                (r#"{"items":[{"folder":1}]}"#, "type"),
                (r#"{"items":[{"folder":{}}]}"#, "required"),
                (r#"{"items":null}"#, "type"),
            ];
    }
}
