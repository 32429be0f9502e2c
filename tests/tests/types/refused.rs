//! Types that no tool takes. The compiler says so in these words; `tests/ui/types` has it rendered.

use std::collections::{BTreeMap, HashMap};

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
    let tuple = "a tuple; use a struct with named fields";
    let rows = [
        (words::<HashMap<String, u8>>(), format!("a `HashMap` with open keys; {map}")),
        (words::<BTreeMap<u32, u8>>(), format!("a `BTreeMap` with open keys; {map}")),
        (words::<serde_json::Map<String, serde_json::Value>>(), format!("a `serde_json::Map` with open keys; {map}")),
        (
            words::<serde_json::Value>(),
            "a `serde_json::Value` of any form; name the fields in a struct, or take a `String` that holds JSON".into(),
        ),
        (words::<()>(), "the unit type `()`; leave it out: there is nothing to fill in".into()),
        (words::<(u8,)>(), tuple.into()),
        (words::<(u8, u8)>(), tuple.into()),
        (words::<(u8, u8, u8, u8, u8, u8)>(), tuple.into()),
        (words::<u128>(), "a `u128`, which JSON numbers cannot hold; use `u64`, or a `String` of digits".into()),
        (words::<i128>(), "an `i128`, which JSON numbers cannot hold; use `i64`, or a `String` of digits".into()),
        (words::<[u8; 0]>(), "an array of no items; leave it out: there is nothing to fill in".into()),
    ];
    for (said, expected) in rows {
        assert_eq!(said, expected);
    }
}
