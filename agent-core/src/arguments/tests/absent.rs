//! Optional and defaulted fields.

use super::{bound, field, problems, read, ruled, said, shape, validator, with_default};
use crate::schema::{DefaultValue, Field, Rules};

#[test]
fn an_optional_field_may_be_absent_or_null_and_then_is_absent() {
    let validator = validator(vec![field("a", shape::<Option<u8>>()), field("b", shape::<u8>())]);
    for text in [r#"{"b":1}"#, r#"{"a":null,"b":1}"#] {
        let arguments = read(&validator, text);
        assert_eq!(arguments.to_json(), r#"{"b":1}"#);
        assert_eq!(arguments.field::<Option<u8>>(0).unwrap(), None);
    }
    assert_eq!(said(&validator, r#"{"a":1,"b":null}"#), ["/b: expected an integer, got null"]);
    let problems = problems(&validator, "{}");
    assert_eq!((problems[0].pointer.as_str(), problems[0].rule.as_str()), ("/b", "required"));
}

#[test]
fn a_default_stands_in_for_absent_and_null_and_is_normalised() {
    let validator = validator(vec![
        with_default("a", shape::<u8>(), "3.0"),
        with_default("b", shape::<Option<String>>(), "\"x\""),
        with_default("c", shape::<Option<u8>>(), "null"),
    ]);
    for text in ["", "{}", r#"{"a":null,"b":null,"c":null}"#] {
        assert_eq!(read(&validator, text).to_json(), r#"{"a":3,"b":"x"}"#);
    }
    assert_eq!(read(&validator, r#"{"c":2,"a":1}"#).to_json(), r#"{"a":1,"b":"x","c":2}"#);
}

#[test]
fn what_serde_fills_in_stays_absent() {
    let by_serde = Field { default: Some(DefaultValue::Serde), ..field("a", shape::<u8>()) };
    let validator = validator(vec![by_serde]);
    assert_eq!(read(&validator, r#"{"a":null}"#).to_json(), "{}");
    assert_eq!(read(&validator, r#"{"a":4}"#).to_json(), r#"{"a":4}"#);
}

#[test]
fn a_default_that_serde_fills_in_and_that_is_known_is_filled_in_where_it_could_be_written() {
    let of = |rules| Field { default: Some(DefaultValue::Natural("0")), ..ruled("a", shape::<u8>(), rules) };
    let free = validator(vec![of(Rules::NONE)]);
    for text in ["{}", r#"{"a":null}"#, r#"{"a":0}"#, r#"{"a":-0.0}"#] {
        assert_eq!(read(&free, text).to_json(), r#"{"a":0}"#);
        assert_eq!(read(&free, text).digest(), read(&free, "{}").digest());
    }
    let positive = validator(vec![of(Rules { minimum: Some(bound("1")), ..Rules::NONE })]);
    assert_eq!(read(&positive, "{}").to_json(), "{}");
    assert_ne!(read(&positive, "{}").digest(), read(&positive, r#"{"a":1}"#).digest());
    assert!(positive.read(r#"{"a":0}"#).is_err());
}

#[test]
fn null_in_a_list_of_optionals_stays() {
    let validator = validator(vec![field("a", shape::<Vec<Option<u8>>>())]);
    assert_eq!(read(&validator, r#"{"a":[1,null]}"#).to_json(), r#"{"a":[1,null]}"#);
}
