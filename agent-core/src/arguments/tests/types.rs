//! Values of the wrong type.

use super::{field, normal, said, shape, validator};
use crate::schema::Link;

/// Every kind of JSON value.
const VALUES: [&str; 8] = ["null", "true", "7", "7.5", "\"text\"", "[]", "{}", "18446744073709551615"];

#[test]
fn each_type_takes_its_own_values_and_no_others() {
    let cases: [(Link, &str, &[&str]); 13] = [
        (shape::<bool>(), "a boolean", &["true"]),
        (shape::<u8>(), "an integer", &["7"]),
        (shape::<i64>(), "an integer", &["7"]),
        (shape::<u64>(), "an integer", &["7", "18446744073709551615"]),
        (shape::<f64>(), "a number", &["7", "7.5", "18446744073709551615"]),
        (shape::<f32>(), "a number", &["7", "7.5", "18446744073709551615"]),
        (shape::<rust_decimal::Decimal>(), "a number", &["7", "7.5"]),
        (shape::<String>(), "a string", &["\"text\""]),
        (shape::<Vec<u8>>(), "an array", &["[]"]),
        (shape::<std::collections::BTreeSet<String>>(), "an array", &["[]"]),
        (shape::<Option<bool>>(), "a boolean", &["null", "true"]),
        (shape::<Box<String>>(), "a string", &["\"text\""]),
        (super::shapes::POINT_LINK, "an object", &[]),
    ];
    for (shape, expected, right) in cases {
        for value in VALUES {
            match normal(shape, value) {
                Ok(_) => assert!(right.contains(&value), "{expected} takes {value}"),
                Err(problems) => {
                    assert!(!right.contains(&value), "{expected} refuses {value}: {problems:?}");
                    if problems[0].rule == "type" {
                        assert_eq!((problems[0].expected.as_str(), problems[0].pointer.as_str()), (expected, "/v"));
                        assert_eq!(problems[0].got, value);
                    }
                }
            }
        }
    }
}

#[test]
fn a_mistake_that_models_make_is_told_how_to_mend() {
    let validator = validator(vec![
        field("count", shape::<u8>()),
        field("flag", shape::<bool>()),
        field("list", shape::<Vec<u8>>()),
        field("text", shape::<String>()),
        field("more", shape::<Vec<String>>()),
    ]);
    assert_eq!(
        said(&validator, r#"{"count":"10","flag":"true","list":"[1]","text":5,"more":"a"}"#),
        [
            "/count: expected an integer, got \"10\" (write 10 without quotes)",
            "/flag: expected a boolean, got \"true\" (write true without quotes)",
            "/list: expected an array, got \"[1]\" (write the JSON itself, not a string that holds it)",
            "/text: expected a string, got 5 (write it in quotes)",
            "/more: expected an array, got \"a\" (write a list, even of one item)",
        ]
    );
}

#[test]
fn arguments_that_are_no_object_are_a_problem_of_the_whole() {
    let validator = validator(vec![]);
    for text in ["[]", "3", "true", "\"text\""] {
        let problems = super::problems(&validator, text);
        assert_eq!((problems[0].pointer.as_str(), problems[0].expected.as_str()), ("", "an object"), "{text}");
    }
}

#[test]
fn problems_are_listed_up_to_a_bound_and_the_rest_is_counted() {
    let validator = validator(vec![field("list", shape::<Vec<u8>>())]);
    let text = format!("{{\"list\":[{}]}}", ["-1"; 100].join(","));
    let problems = super::problems(&validator, &text);
    assert_eq!(problems.len(), 33);
    assert_eq!(problems[31].pointer, "/list/31");
    assert_eq!((problems[32].rule.as_str(), problems[32].got.as_str()), ("more", "68 more problems"));
}

#[test]
fn an_address_is_read_by_its_own_type() {
    use std::net::{IpAddr, Ipv4Addr};
    assert_eq!(normal(shape::<Ipv4Addr>(), "\"127.0.0.1\"").unwrap(), r#"{"v":"127.0.0.1"}"#);
    let problems = normal(shape::<IpAddr>(), "\"localhost\"").unwrap_err();
    assert_eq!((problems[0].rule.as_str(), problems[0].expected.as_str()), ("format", "an IPv4 or IPv6 address"));
}

#[test]
fn a_char_is_one_character_however_many_bytes_it_has() {
    assert!(normal(shape::<char>(), "\"é\"").is_ok());
    assert!(normal(shape::<char>(), "\"😀\"").is_ok());
    assert_eq!(normal(shape::<char>(), "\"\"").unwrap_err()[0].rule, "minLength");
    assert_eq!(normal(shape::<char>(), "\"ab\"").unwrap_err()[0].rule, "maxLength");
}
