//! The texts of shapes of every kind.

use super::{full_text, publish};
use crate::arguments::tests::shapes::{CHAIN, COLOUR_LINK, FILTER, ORDER, TARGET};
use crate::arguments::tests::{bound, field, object, ruled, shape, with_default};
use crate::schema::{Field, Rules, Shape, profile};

fn openai(shape: &'static Shape) -> String {
    publish("", shape, &profile::OPENAI).parameters
}

fn anthropic(shape: &'static Shape) -> String {
    publish("", shape, &profile::ANTHROPIC).parameters
}

/// The schema of one property, without what stands around it.
fn property(text: &str) -> &str {
    text.strip_prefix(r#"{"type":"object","properties":{"v":"#).unwrap().rsplit_once(r#"},"required""#).unwrap().0
}

#[test]
fn openai_requires_every_field_and_takes_null_for_optional_ones() {
    let args = object(vec![
        field("a", shape::<u8>()),
        field("b", shape::<Option<String>>()),
        field("c", <Option<crate::arguments::tests::shapes::Colour> as crate::ToolSchema>::SHAPE),
        field("d", shape::<Option<crate::arguments::tests::shapes::Point>>()),
        with_default("e", shape::<bool>(), "true"),
    ]);
    assert_eq!(
        openai(args),
        concat!(
            r#"{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":255},"#,
            r#""b":{"type":["string","null"]},"#,
            r#""c":{"description":"The paint.\n- `red`: As blood.","type":["string","null"],"enum":["red","green",null]},"#,
            r#""d":{"description":"A place.","anyOf":[{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false},{"type":"null"}]},"#,
            r#""e":{"description":"Default: true.","type":["boolean","null"]}},"#,
            r#""required":["a","b","c","d","e"],"additionalProperties":false}"#,
        )
    );
}

#[test]
fn anthropic_leaves_optional_fields_out_of_required_and_says_bounds_in_words() {
    let rules = Rules { min_length: Some(3), max_length: Some(80), pattern: Some("^[a-z]+$"), ..Rules::NONE };
    let args = object(vec![
        Field { doc: "How many.", ..field("a", shape::<u8>()) },
        Field { doc: "Who.", example: Some("\"ada\""), ..ruled("b", shape::<Option<String>>(), rules) },
    ]);
    assert_eq!(
        anthropic(args),
        concat!(
            r#"{"type":"object","properties":{"a":{"description":"How many. At least 0. At most 255.","type":"integer"},"#,
            r#""b":{"description":"Who. At least 3 characters. At most 80 characters. Text that matches the pattern ^[a-z]+$. Example: \"ada\".","type":"string"}},"#,
            r#""required":["a"],"additionalProperties":false}"#,
        )
    );
}

#[test]
fn each_constraint_is_a_keyword_or_words() {
    let number = Rules {
        minimum: Some(bound("0.5")),
        exclusive_maximum: Some(bound("10")),
        multiple_of: Some(bound("0.25")),
        ..Rules::NONE
    };
    let items = Rules { min_items: Some(1), max_items: Some(2), ..Rules::NONE };
    let uri = Rules { format: Some("uri"), ..Rules::NONE };
    let cases = [
        (
            ruled("v", shape::<f64>(), number),
            r#"{"type":"number","minimum":0.5,"exclusiveMaximum":10,"multipleOf":0.25}"#,
            r#"{"description":"At least 0.5. Less than 10. A multiple of 0.25.","type":"number"}"#,
        ),
        (
            ruled("v", shape::<Vec<bool>>(), items),
            r#"{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2}"#,
            r#"{"description":"At most 2 items.","type":"array","items":{"type":"boolean"},"minItems":1}"#,
        ),
        (
            field("v", shape::<[bool; 2]>()),
            r#"{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}"#,
            r#"{"description":"Exactly 2 items.","type":"array","items":{"type":"boolean"}}"#,
        ),
        (
            field("v", shape::<std::collections::HashSet<bool>>()),
            r#"{"description":"No two items the same.","type":"array","items":{"type":"boolean"}}"#,
            r#"{"description":"No two items the same.","type":"array","items":{"type":"boolean"}}"#,
        ),
        (
            ruled("v", shape::<String>(), uri),
            r#"{"description":"An absolute URI.","type":"string"}"#,
            r#"{"type":"string","format":"uri"}"#,
        ),
        (
            field("v", shape::<char>()),
            r#"{"description":"Exactly 1 character.","type":"string"}"#,
            r#"{"description":"Exactly 1 character.","type":"string"}"#,
        ),
        (
            field("v", shape::<std::num::NonZeroI64>()),
            r#"{"description":"A number other than 0.","type":"integer"}"#,
            r#"{"description":"A number other than 0.","type":"integer"}"#,
        ),
        (
            field("v", shape::<u64>()),
            r#"{"type":"integer","minimum":0}"#,
            r#"{"description":"At least 0.","type":"integer"}"#,
        ),
        (
            field("v", shape::<i32>()),
            r#"{"type":"integer","minimum":-2147483648,"maximum":2147483647}"#,
            r#"{"type":"integer"}"#,
        ),
        (
            field("v", shape::<rust_decimal::Decimal>()),
            r#"{"description":"A decimal of at most 15 significant digits.","type":"number"}"#,
            r#"{"description":"A decimal of at most 15 significant digits.","type":"number"}"#,
        ),
        (
            field("v", shape::<std::net::IpAddr>()),
            r#"{"description":"An IPv4 or IPv6 address.","type":"string"}"#,
            r#"{"description":"An IPv4 or IPv6 address.","type":"string"}"#,
        ),
        (
            field("v", shape::<Vec<Option<u64>>>()),
            r#"{"type":"array","items":{"type":["integer","null"],"minimum":0}}"#,
            r#"{"type":"array","items":{"description":"At least 0.","type":["integer","null"]}}"#,
        ),
    ];
    for (field, by_openai, by_anthropic) in cases {
        let args = object(vec![field]);
        assert_eq!(property(&openai(args)), by_openai);
        assert_eq!(property(&anthropic(args)), by_anthropic);
    }
}

#[test]
fn the_full_text_has_every_constraint() {
    let args = object(vec![
        field("a", shape::<i64>()),
        field("b", shape::<std::num::NonZeroI8>()),
        field("c", shape::<Option<std::collections::BTreeSet<char>>>()),
        with_default("d", shape::<u8>(), "3"),
    ]);
    assert_eq!(
        full_text(args),
        concat!(
            r#"{"type":"object","properties":{"a":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},"#,
            r#""b":{"type":"integer","minimum":-128,"maximum":127,"not":{"const":0}},"#,
            r#""c":{"type":["array","null"],"items":{"type":"string","minLength":1,"maxLength":1},"uniqueItems":true},"#,
            r#""d":{"type":["integer","null"],"minimum":0,"maximum":255,"default":3}},"#,
            r#""required":["a","b"],"additionalProperties":false}"#,
        )
    );
}

#[test]
fn the_documentation_of_a_field_comes_before_that_of_its_type() {
    let text = openai(&ORDER);
    assert!(text.contains(r#""colour":{"description":"The paint of it.\n- `red`: As blood.","#), "{text}");
    assert!(text.contains(r#""at":{"description":"A place.","#), "{text}");
    // Flattened: the struct itself has no property.
    assert!(!text.contains(r#""place""#), "{text}");
}

#[test]
fn forms_with_a_tag_are_closed_objects_with_the_tag_in_front() {
    let text = openai(object(vec![field("v", crate::schema::Link::to(&FILTER))]));
    let definition = text.split_once(r#""$defs":{"Filter":"#).unwrap().1;
    assert!(text.starts_with(r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/Filter"}},"##), "{text}");
    assert_eq!(
        definition,
        concat!(
            r#"{"description":"What to keep.","anyOf":["#,
            r#"{"description":"The opposite.","type":"object","properties":{"op":{"type":"string","enum":["not"]},"#,
            r##""of":{"description":"What is not.","anyOf":[{"$ref":"#/$defs/Filter"}]}},"required":["op","of"],"additionalProperties":false},"##,
            r#"{"type":"object","properties":{"op":{"type":"string","enum":["and"]},"#,
            r##""all":{"type":"array","items":{"$ref":"#/$defs/Filter"}}},"required":["op","all"],"additionalProperties":false},"##,
            r#"{"type":"object","properties":{"op":{"type":"string","enum":["any"]}},"required":["op"],"additionalProperties":false}]}}}"#,
        )
    );
}

#[test]
fn forms_with_a_key_are_strings_and_objects_of_one_key() {
    let text = anthropic(object(vec![field("v", crate::schema::Link::to(&TARGET))]));
    assert_eq!(
        property(&text),
        concat!(
            r#"{"anyOf":[{"description":"- `everyone`: The whole house.","type":"string","enum":["everyone","nobody"]},"#,
            r#"{"type":"object","properties":{"users":{"type":"array","items":{"type":"string"}}},"required":["users"],"additionalProperties":false},"#,
            r#"{"description":"Those close by.","type":"object","properties":{"near":{"type":"object","properties":{"at":{"description":"A place.","#,
            r#""type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false}},"#,
            r#""required":["at"],"additionalProperties":false}},"required":["near"],"additionalProperties":false}]}"#,
        )
    );
}

#[test]
fn a_root_that_contains_itself_is_referred_to_as_the_root() {
    assert_eq!(
        openai(&CHAIN),
        concat!(
            r#"{"type":"object","properties":{"value":{"type":"integer","minimum":0,"maximum":255},"#,
            r##""next":{"description":"The rest.","anyOf":[{"$ref":"#"},{"type":"null"}]}},"##,
            r#""required":["value","next"],"additionalProperties":false}"#,
        )
    );
}

#[test]
fn an_optional_enum_is_plain_where_optional_means_absent() {
    let list = Box::leak(Box::new(Shape::new(crate::schema::Kind::Nullable(COLOUR_LINK))));
    let args = object(vec![field("v", crate::schema::Link::to(list))]);
    assert_eq!(
        property(&anthropic(args)),
        r#"{"description":"The paint.\n- `red`: As blood.","type":"string","enum":["red","green"]}"#
    );
}
