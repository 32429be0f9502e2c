//! Fields and enum values by name.

use super::shapes::{COLOUR_LINK, ORDER, POINT_LINK};
use super::{field, read, ruled, said, shape, validator, with_default};
use crate::arguments::Validator;
use crate::schema::{Field, Rules};

#[test]
fn an_unknown_field_is_told_the_nearest_name() {
    let validator = validator(vec![field("quantity", shape::<Option<u8>>()), field("id", shape::<Option<u8>>())]);
    assert_eq!(
        said(&validator, r#"{"quantitiy":1,"x/y":2}"#),
        [
            "/quantitiy: expected one of the fields `quantity`, `id`, got a field `quantitiy` (did you mean `quantity`?)",
            "/x~1y: expected one of the fields `quantity`, `id`, got a field `x/y` (leave it out)",
        ]
    );
}

#[test]
fn an_alias_is_read_as_the_name_and_counts_as_the_same_field() {
    let validator = validator(vec![Field { aliases: &["qty", "n"], ..field("quantity", shape::<u8>()) }]);
    assert_eq!(read(&validator, r#"{"qty":1}"#).to_json(), r#"{"quantity":1}"#);
    for text in [r#"{"quantity":1,"quantity":1}"#, r#"{"quantity":1,"qty":1}"#, r#"{"n":1,"qty":null}"#] {
        assert_eq!(super::problems(&validator, text)[0].rule, "doubled", "{text}");
    }
}

#[test]
fn fields_come_in_the_order_of_the_shape() {
    let validator = validator(vec![field("a", shape::<u8>()), field("b", shape::<u8>()), field("c", shape::<u8>())]);
    assert_eq!(read(&validator, r#"{"c":3,"a":1,"b":2}"#).to_json(), r#"{"a":1,"b":2,"c":3}"#);
}

#[test]
fn an_enum_takes_its_values_and_aliases_and_hints_at_the_case() {
    let validator = validator(vec![field("colour", COLOUR_LINK)]);
    assert_eq!(read(&validator, r#"{"colour":"red"}"#).to_json(), r#"{"colour":"red"}"#);
    assert_eq!(read(&validator, r#"{"colour":"crimson"}"#).to_json(), r#"{"colour":"red"}"#);
    for (text, said_of_it) in [
        ("RED", "/colour: expected one of `red`, `green`, got \"RED\" (upper and lower case count: write `red`)"),
        ("gren", "/colour: expected one of `red`, `green`, got \"gren\" (did you mean `green`?)"),
        ("violet", "/colour: expected one of `red`, `green`, got \"violet\""),
    ] {
        assert_eq!(said(&validator, &format!("{{\"colour\":\"{text}\"}}")), [said_of_it]);
    }
}

#[test]
fn all_problems_of_nested_arguments_are_told_at_once() {
    let validator = Validator::new(&ORDER).unwrap();
    assert_eq!(
        said(
            &validator,
            r#"{"lines":[{"sku":"","qty":0},{"sku":"a","qty":1,"tag":[]}],"at":{"x":"1"},"colour":"Red"}"#
        ),
        [
            "/lines/0/sku: expected at least 1 character, got \"\"",
            "/lines/0/qty: expected at least 1, got 0",
            "/lines/1/tag: expected a string, got []",
            "/at/x: expected a number, got \"1\" (write 1 without quotes)",
            "/at/y: expected a number, got nothing",
            "/colour: expected one of `red`, `green`, got \"Red\" (upper and lower case count: write `red`)",
        ]
    );
}

#[test]
fn strings_are_held_to_length_pattern_and_format() {
    let code = Rules { pattern: Some("^[A-Z]{2}$"), ..Rules::NONE };
    let day = Rules { format: Some("date"), max_length: Some(10), ..Rules::NONE };
    let validator = validator(vec![ruled("code", shape::<String>(), code), ruled("day", shape::<String>(), day)]);
    read(&validator, r#"{"code":"UK","day":"2026-03-31"}"#);
    assert_eq!(
        said(&validator, r#"{"code":"uk","day":"2026-02-30"}"#),
        [
            "/code: expected text that matches the pattern ^[A-Z]{2}$, got \"uk\"",
            "/day: expected a date such as 2026-03-31, got \"2026-02-30\"",
        ]
    );
}

#[test]
fn sets_take_no_item_twice_and_lists_keep_to_their_number() {
    let few = Rules { min_items: Some(2), max_items: Some(3), ..Rules::NONE };
    let set = validator(vec![ruled("v", shape::<std::collections::HashSet<String>>(), few)]);
    read(&set, r#"{"v":["a","b"]}"#);
    assert_eq!(
        said(&set, r#"{"v":["a","b","a"]}"#),
        ["/v/2: expected no two items the same, got \"a\" (leave out the repetition)"]
    );
    assert_eq!(said(&set, r#"{"v":["a"]}"#), ["/v: expected at least 2 items, got 1 items"]);
    let numbers = validator(vec![field("v", shape::<std::collections::BTreeSet<rust_decimal::Decimal>>())]);
    assert_eq!(super::problems(&numbers, r#"{"v":[1,1.0]}"#)[0].rule, "uniqueItems");
    let fixed = validator(vec![field("v", shape::<[u8; 3]>())]);
    read(&fixed, r#"{"v":[1,2,3]}"#);
    assert_eq!(super::problems(&fixed, r#"{"v":[1,2]}"#)[0].rule, "minItems");
    assert_eq!(super::problems(&fixed, r#"{"v":[1,2,3,4]}"#)[0].rule, "maxItems");
}

#[test]
fn a_shape_that_cannot_be_used_is_an_error_with_its_path() {
    let bad = Rules { pattern: Some("("), ..Rules::NONE };
    let odd = Rules { format: Some("colour"), ..Rules::NONE };
    let cases = [
        (vec![ruled("a", shape::<String>(), bad)], "`Args.a`: the pattern is not valid"),
        (vec![ruled("a", shape::<String>(), odd)], "`Args.a`: the format `colour` is not known"),
        (vec![with_default("a", shape::<u8>(), "300")], "`Args.a`: the default 300 is not at most 255"),
        (vec![with_default("a", shape::<u8>(), "x")], "`Args.a`: the default x: the arguments are not JSON"),
        (vec![with_default("a", POINT_LINK, "{\"x\":1}")], "`Args.a`: the default {\"x\":1} is not valid at /y"),
        (
            vec![field("a", shape::<Vec<std::collections::HashMap<String, u8>>>())],
            "`Args.a[]`: this is a `HashMap` with open keys, which the strict modes of OpenAI and Anthropic refuse; use `Vec",
        ),
        (vec![field("a", shape::<[u8; 0]>())], "`Args.a`: this is an array of no items"),
        (vec![field("a", shape::<(u8, u8)>())], "`Args.a`: this is a tuple, which"),
        (
            vec![field("a", shape::<u8>()), Field { aliases: &["a"], ..field("b", shape::<u8>()) }],
            "`Args`: two fields have the name `a`",
        ),
        (vec![Field { flatten: true, ..field("a", shape::<u8>()) }], "`Args.a`: only a struct can be flattened"),
    ];
    for (fields, beginning) in cases {
        let error = Validator::new(super::object(fields)).unwrap_err().to_string();
        assert!(error.starts_with(beginning), "{error}");
    }
}

#[test]
fn what_is_said_of_a_wrong_call_is_short_however_long_the_call_is() {
    use crate::arguments::Problem;
    let long = "ä~/\u{1F600}".repeat(10_000);
    let key = serde_json::to_string(&long).unwrap();
    let one = validator(vec![field("v", shape::<Vec<u8>>()), field("p", POINT_LINK)]);
    let none = validator(vec![]);
    for (validator, text) in [
        (&one, format!("{{{key}:1,\"v\":{key}}}")),
        (&one, format!("{{\"v\":[{key}]}}")),
        (&one, format!("{{\"v\":[],\"p\":{{{key}:{key},{key}:1}}}}")),
        (&one, format!("{{\"v\":[],\"v\":{key}}}")),
        (&none, format!("{{{key}:{{}}}}")),
    ] {
        for problem in super::problems(validator, &text) {
            let Problem { pointer, expected, got, hint, .. } = &problem;
            assert!(pointer.len() <= 200 && got.len() <= 200 && expected.len() <= 200, "{problem}");
            assert!(hint.as_ref().is_none_or(|hint| hint.len() <= 400), "{problem}");
        }
    }
}
