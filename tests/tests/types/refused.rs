//! Types that no tool takes. The compiler says so in these words; `tests/ui/types` has it rendered.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::time::SystemTime;

use agent_core::ToolSchema;
use agent_core::schema::Kind;

fn words<T: ToolSchema>() -> String {
    match &T::SHAPE.get().kind {
        Kind::Refused(refused) => format!("{}; {}", refused.what, refused.help),
        kind => panic!("it is taken: {kind:?}"),
    }
}

#[test]
fn each_refused_type_names_what_it_is_and_the_way_out() {
    let map = "use `Vec<Entry>` with `struct Entry { key: String, value: V }`, or list the keys as fields";
    let tuple = "a tuple, which the strict modes of OpenAI and Anthropic refuse; use a struct with named fields";
    let strict = "which the strict modes of OpenAI and Anthropic refuse";
    let range = "a range, which is an object of `start` and `end` on the wire; use a struct with named fields, so that each says what it is";
    let rows = [
        (words::<HashMap<String, u8>>(), format!("a `HashMap` with open keys, {strict}; {map}")),
        (words::<BTreeMap<u32, u8>>(), format!("a `BTreeMap` with open keys, {strict}; {map}")),
        (words::<serde_json::Map<String, serde_json::Value>>(), format!("a `serde_json::Map` with open keys, {strict}; {map}")),
        (
            words::<serde_json::Value>(),
            format!("a `serde_json::Value` of any form, {strict}; name the fields in a struct, or take a `String` that holds JSON"),
        ),
        (words::<()>(), "the unit type `()`, which OpenAI's strict mode refuses; leave it out: there is nothing to fill in".into()),
        (words::<(u8,)>(), tuple.into()),
        (words::<(u8, u8)>(), tuple.into()),
        (words::<(u8, u8, u8, u8, u8, u8)>(), tuple.into()),
        (words::<u128>(), "a `u128`, which JSON numbers cannot hold; use `u64`, or a `String` of digits".into()),
        (words::<i128>(), "an `i128`, which JSON numbers cannot hold; use `i64`, or a `String` of digits".into()),
        (words::<[u8; 0]>(), "an array of no items, which OpenAI's strict mode refuses; leave it out: there is nothing to fill in".into()),
        (
            words::<PhantomData<u8>>(),
            "a `PhantomData`, which OpenAI's strict mode refuses; leave it out: there is nothing to fill in".into(),
        ),
        (words::<Range<u8>>(), range.into()),
        (words::<RangeInclusive<u8>>(), range.into()),
        (
            words::<Result<u8, u8>>(),
            "a `Result`, which names no value that a model could mean; use an enum of your own".into(),
        ),
        (
            words::<SystemTime>(),
            "a `SystemTime`, which is an object of seconds and nanoseconds on the wire; use `chrono::DateTime<Utc>` or `jiff::Timestamp`, with the feature of their crate".into(),
        ),
        (
            words::<OsString>(),
            "a string of the platform, which has another form on each; use `String` or `PathBuf`".into(),
        ),
        (
            words::<chrono::TimeDelta>(),
            "a `TimeDelta`, which is a tuple on the wire, and refused by the strict modes of OpenAI and Anthropic; use `std::time::Duration`, which is a number of seconds".into(),
        ),
    ];
    for (said, expected) in rows {
        assert_eq!(said, expected);
    }
}
