//! Types that no strict schema can describe, each with the way out.

use std::collections::{BTreeMap, HashMap};

use crate::schema::{Kind, Link, Refused, Shape, ToolSchema};

const MAP_HELP: &str = "use `Vec<Entry>` with `struct Entry { key: String, value: V }`, or list the keys as fields";
const VALUE_HELP: &str = "name the fields in a struct, or take a `String` that holds JSON";
const TUPLE_HELP: &str = "use a struct with named fields";

macro_rules! refused {
    ($([$($generics:tt)*] $refused:ty, $what:literal, $help:expr;)*) => {$(
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
    [K, V, S] HashMap<K, V, S>, "a `HashMap` with open keys", MAP_HELP;
    [K, V] BTreeMap<K, V>, "a `BTreeMap` with open keys", MAP_HELP;
    [] serde_json::Map<String, serde_json::Value>, "a `serde_json::Map` with open keys", MAP_HELP;
    [] serde_json::Value, "a `serde_json::Value` of any form", VALUE_HELP;
    [] (), "the unit type `()`", "leave it out: there is nothing to fill in";
    [A] (A,), "a tuple", TUPLE_HELP;
    [A, B] (A, B), "a tuple", TUPLE_HELP;
    [A, B, C] (A, B, C), "a tuple", TUPLE_HELP;
    [A, B, C, D] (A, B, C, D), "a tuple", TUPLE_HELP;
    [A, B, C, D, E] (A, B, C, D, E), "a tuple", TUPLE_HELP;
    [A, B, C, D, E, F] (A, B, C, D, E, F), "a tuple", TUPLE_HELP;
    [] u128, "a `u128`, which JSON numbers cannot hold", "use `u64`, or a `String` of digits";
    [] i128, "an `i128`, which JSON numbers cannot hold", "use `i64`, or a `String` of digits";
}
