//! Types that no strict schema can describe, each with the way out.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::time::SystemTime;

use crate::schema::{Kind, Link, Refused, Shape, ToolSchema};

const MAP_HELP: &str = "use `Vec<Entry>` with `struct Entry { key: String, value: V }`, or list the keys as fields";
const TUPLE: &str = "a tuple, which the strict modes of OpenAI and Anthropic refuse";
const TUPLE_HELP: &str = "use a struct with named fields";
const RANGE: &str = "a range, which is an object of `start` and `end` on the wire";
const RANGE_HELP: &str = "use a struct with named fields, so that each says what it is";
const NOTHING: &str = "leave it out: there is nothing to fill in";
const OS: &str = "a string of the platform, which has another form on each";
const OS_HELP: &str = "use `String` or `PathBuf`";

macro_rules! refused {
    ($([$($generics:tt)*] $refused:ty, $what:expr, $help:expr;)*) => {$(
        // It is there so that the message can be ours; what it says is not to be recommended.
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ToolSchema for $refused {
            const SHAPE: Link = {
                static SHAPE: Shape = Shape::new(Kind::Refused(Refused { what: $what, help: $help }));
                Link::to(&SHAPE)
            };
        }
    )*};
}

refused! {
    [K, V, S] HashMap<K, V, S>,
        "a `HashMap` with open keys, which the strict modes of OpenAI and Anthropic refuse", MAP_HELP;
    [K, V] BTreeMap<K, V>,
        "a `BTreeMap` with open keys, which the strict modes of OpenAI and Anthropic refuse", MAP_HELP;
    [] serde_json::Map<String, serde_json::Value>,
        "a `serde_json::Map` with open keys, which the strict modes of OpenAI and Anthropic refuse", MAP_HELP;
    [] serde_json::Value,
        "a `serde_json::Value` of any form, which the strict modes of OpenAI and Anthropic refuse",
        "name the fields in a struct, or take a `String` that holds JSON";
    [] (), "the unit type `()`, which OpenAI's strict mode refuses", NOTHING;
    [T: ?Sized] PhantomData<T>, "a `PhantomData`, which OpenAI's strict mode refuses", NOTHING;
    [A] (A,), TUPLE, TUPLE_HELP;
    [A, B] (A, B), TUPLE, TUPLE_HELP;
    [A, B, C] (A, B, C), TUPLE, TUPLE_HELP;
    [A, B, C, D] (A, B, C, D), TUPLE, TUPLE_HELP;
    [A, B, C, D, E] (A, B, C, D, E), TUPLE, TUPLE_HELP;
    [A, B, C, D, E, F] (A, B, C, D, E, F), TUPLE, TUPLE_HELP;
    [] u128, "a `u128`, which JSON numbers cannot hold", "use `u64`, or a `String` of digits";
    [] i128, "an `i128`, which JSON numbers cannot hold", "use `i64`, or a `String` of digits";
    [T] Range<T>, RANGE, RANGE_HELP;
    [T] RangeInclusive<T>, RANGE, RANGE_HELP;
    [T, E] Result<T, E>, "a `Result`, which names no value that a model could mean", "use an enum of your own";
    [] SystemTime,
        "a `SystemTime`, which is an object of seconds and nanoseconds on the wire",
        "use `chrono::DateTime<Utc>` or `jiff::Timestamp`, with the feature of their crate";
    [] OsString, OS, OS_HELP;
    [] OsStr, OS, OS_HELP;
}

#[cfg(feature = "chrono")]
refused! {
    [] chrono::TimeDelta,
        "a `TimeDelta`, which is a tuple on the wire, and refused by the strict modes of OpenAI and Anthropic",
        "use `std::time::Duration`, which is a number of seconds";
}
