//! One value, one form: what is written otherwise is read as the same value, and is the same call.

use std::fmt::Debug;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use agent_core::arguments::{Digest, Invalid, Validator};
use agent_core::{Tool, ToolSchema, tool};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Number;
use url::Url;
use uuid::Uuid;

use crate::kinds::Waits;

#[derive(Deserialize, ToolSchema)]
struct One<T> {
    /// It.
    v: T,
}

/// The normal text of a value, the value, and its digest.
fn read<T: ToolSchema + DeserializeOwned>(value: &str) -> (String, T, Digest) {
    let validator = Validator::new(One::<T>::SHAPE.get()).unwrap();
    let text = crate::arguments(value);
    let read = validator.read(&text).unwrap_or_else(|invalid| panic!("{value}: {invalid:?}"));
    let kept = read.to_json();
    let again = validator.read(&kept).unwrap_or_else(|invalid| panic!("{kept}: {invalid:?}"));
    assert_eq!((again.to_json(), again.digest()), (kept.clone(), read.digest()), "the form of {value} is its own form");
    (kept, read.field(0).unwrap(), read.digest())
}

/// That all of these are one value, whose form is `form`.
fn are_one<T: ToolSchema + DeserializeOwned + PartialEq + Debug>(form: &str, spellings: &[&str]) {
    let (kept, value, digest) = read::<T>(form);
    assert_eq!(kept, crate::arguments(form));
    for spelling in spellings {
        assert_eq!(read::<T>(spelling), (kept.clone(), read::<T>(form).1, digest), "{spelling}");
        assert_eq!(read::<T>(spelling).1, value);
    }
}

fn are_two<T: ToolSchema + DeserializeOwned>(one: &str, other: &str) {
    assert_ne!(read::<T>(one).2, read::<T>(other).2, "{one} and {other}");
}

#[test]
fn two_spellings_of_one_value_are_one_call() {
    are_one::<DateTime<Utc>>(
        r#""2026-03-31T09:30:00Z""#,
        &[r#""2026-03-31T10:30:00+01:00""#, r#""2026-03-31T09:30:00.000Z""#, r#""2026-03-31t09:30:00z""#],
    );
    are_one::<Timestamp>(
        r#""2026-03-31T09:30:00Z""#,
        &[r#""2026-03-31T10:30:00+01:00""#, r#""2026-03-31T09:30:00.0Z""#],
    );
    are_one::<NaiveDateTime>(r#""2026-03-31T09:30:00""#, &[r#""2026-03-31T09:30:00.0""#]);
    are_one::<NaiveTime>(r#""09:30:00""#, &[r#""09:30:00.000""#]);
    are_one::<NaiveDate>(r#""2026-03-01""#, &[r#""2026-3-1""#]);
    are_one::<Uuid>(
        r#""123e4567-e89b-12d3-a456-426614174000""#,
        &[
            r#""123E4567-E89B-12D3-A456-426614174000""#,
            r#""123e4567e89b12d3a456426614174000""#,
            r#""urn:uuid:123e4567-e89b-12d3-a456-426614174000""#,
        ],
    );
    are_one::<Url>(
        r#""https://example.org/a""#,
        &[r#""HTTPS://EXAMPLE.org:443/a""#, r#""https://example.org/b/../a""#, r#"" https:\\example.org/a""#],
    );
    are_one::<Ipv6Addr>(r#""2001:db8::1""#, &[r#""2001:0DB8:0:0:0:0:0:1""#]);
    are_one::<SocketAddr>(r#""[::1]:80""#, &[r#""[0:0:0:0:0:0:0:1]:080""#]);
    are_one::<Number>("1500", &["1500.0", "1.5e3"]);
    are_one::<Number>("18446744073709551615", &[]);
    are_one::<Duration>("90", &["90.0", "9e1"]);
    are_one::<Duration>("1.5", &["1.50", "15e-1"]);
}

#[test]
fn an_offset_that_the_type_keeps_is_a_part_of_the_value() {
    are_one::<DateTime<FixedOffset>>(r#""2026-03-31T10:30:00+01:00""#, &[r#""2026-03-31T10:30:00.0+01:00""#]);
    let (_, value, _) = read::<DateTime<FixedOffset>>(r#""2026-03-31T10:30:00+01:00""#);
    assert_eq!(value.offset().local_minus_utc(), 3600);
    are_two::<DateTime<FixedOffset>>(r#""2026-03-31T10:30:00+01:00""#, r#""2026-03-31T09:30:00Z""#);
}

#[test]
fn a_path_is_told_apart_by_its_text() {
    are_two::<PathBuf>(r#""a/b""#, r#""a//b""#);
    assert_eq!(read::<PathBuf>(r#""a/b""#).1, PathBuf::from("a/b"));
}

#[test]
fn seconds_are_exact_to_the_nanosecond() {
    for (text, seconds, nanos) in [
        ("0", 0, 0),
        ("-0.0", 0, 0),
        ("0.1", 0, 100_000_000),
        ("4.35", 4, 350_000_000),
        ("0.000000001", 0, 1),
        ("1e-9", 0, 1),
        ("123456.123456789", 123_456, 123_456_789),
        ("1e18", 1_000_000_000_000_000_000, 0),
        ("9007199254740993", 9_007_199_254_740_993, 0),
        ("18446744073709551615", u64::MAX, 0),
    ] {
        assert_eq!(read::<Duration>(text).1, Duration::new(seconds, nanos), "{text}");
    }
    are_two::<Duration>("9007199254740992", "9007199254740993");
    are_two::<Duration>("1", "1.000000001");
    are_one::<Duration>("0.000000001", &["1e-9"]);
}

/// What is said of seconds that are none.
fn said(value: &str) -> String {
    match Validator::new(One::<Duration>::SHAPE.get()).unwrap().read(&crate::arguments(value)) {
        Err(Invalid::Problems(problems)) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        other => panic!("{value}: {other:?}"),
    }
}

#[test]
fn seconds_that_no_duration_holds_are_refused_in_words() {
    let inexact = "/v: expected seconds with at most 9 digits after the point and 15 in all, got ";
    assert_eq!(said("0.1234567891"), format!("{inexact}0.1234567891"));
    assert_eq!(said("12345678.123456789"), format!("{inexact}12345678.123456789"));
    assert_eq!(said("9007199254740993.0"), format!("{inexact}9007199254740993.0"));
    assert_eq!(said("-0.5"), "/v: expected at least 0, got -0.5");
    assert_eq!(said("18446744073709551616"), "/v: expected at most 18446744073709551615, got 18446744073709551616");
    assert_eq!(said(r#""90""#), "/v: expected a number of seconds, got \"90\" (write 90 without quotes)");
    assert_eq!(said(r#"{"secs":1,"nanos":0}"#), "/v: expected a number of seconds, got {\"secs\":1,\"nanos\":0}");
}

#[test]
fn a_duration_is_read_where_serde_keeps_it_first() {
    let (kept, waits, _) = read::<Waits>(r#"{"spans":[0,2.25],"kind":"before","number":1.0,"pause":{"span":1.5}}"#);
    assert_eq!(kept, r#"{"v":{"kind":"before","pause":{"span":1.5},"spans":[0,2.25],"number":1}}"#);
    let Waits::Before { pause, spans, number } = waits else { panic!("another form") };
    assert_eq!(pause.span, Duration::from_millis(1500));
    assert_eq!(spans, [Duration::ZERO, Duration::from_millis(2250)]);
    assert_eq!(number, Number::from(1));
}

/// A type of another crate that is a number of seconds.
#[derive(Deserialize)]
struct Timeout(f64);

/// Waits.
#[tool]
async fn wait(
    /// How long.
    #[arg(as_type = Duration)]
    timeout: Timeout,
) -> f64 {
    timeout.0
}

#[test]
fn a_type_that_stands_for_a_duration_may_read_the_number() {
    let validator = Validator::new(wait::SPEC.arguments.get()).unwrap();
    for (text, seconds) in [(r#"{"timeout":2}"#, 2.0), (r#"{"timeout":123456.123456789}"#, 123_456.123_456_789)] {
        assert_eq!(validator.read(text).unwrap().field::<Timeout>(0).unwrap().0, seconds);
    }
}

/// Opens a page.
#[tool]
async fn open(
    /// The page.
    #[arg(pattern = r"^https://example\.org/", max_length = 40)]
    page: Url,
) -> String {
    page.to_string()
}

#[test]
fn rules_are_asked_of_the_form_that_the_tool_sees() {
    let validator = Validator::new(open::SPEC.arguments.get()).unwrap();
    let page = |text: &str| format!(r#"{{"page":"{text}"}}"#);
    assert!(validator.read(&page("HTTPS://EXAMPLE.org")).is_ok());
    for text in [r"https://example.org\t.evil.example/", "https://example.org:443@evil.example/"] {
        let Err(Invalid::Problems(problems)) = validator.read(&page(text)) else { panic!("{text} is taken") };
        assert_eq!(problems[0].rule, "pattern", "{text}: {problems:?}");
    }
}
