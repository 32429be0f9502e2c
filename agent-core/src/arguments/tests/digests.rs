//! What makes two calls the same.

use super::{field, read, shape, validator, with_default};
use crate::arguments::Validator;
use crate::schema::{DefaultValue, Field};

fn digest(validator: &Validator, text: &str) -> String {
    read(validator, text).digest().to_string()
}

#[test]
fn a_number_has_one_digest_however_it_is_written() {
    for shape in [shape::<f64>(), shape::<f32>(), shape::<rust_decimal::Decimal>(), shape::<u32>()] {
        let validator = validator(vec![field("v", shape)]);
        let one = digest(&validator, r#"{"v":1500}"#);
        assert_eq!(one, digest(&validator, r#"{"v":1500.0}"#));
        assert_eq!(one, digest(&validator, r#"{"v":1.5e3}"#));
        assert_ne!(one, digest(&validator, r#"{"v":1501}"#));
        assert_eq!(digest(&validator, r#"{"v":0}"#), digest(&validator, r#"{"v":-0.0}"#));
    }
}

#[test]
fn neighbouring_integers_beyond_floats_have_digests_of_their_own() {
    let validator = validator(vec![field("v", shape::<u64>())]);
    assert_ne!(digest(&validator, r#"{"v":9007199254740992}"#), digest(&validator, r#"{"v":9007199254740993}"#));
    assert_ne!(
        digest(&validator, r#"{"v":18446744073709551614}"#),
        digest(&validator, r#"{"v":18446744073709551615}"#)
    );
}

#[test]
fn order_spacing_aliases_escapes_and_defaults_do_not_tell_calls_apart() {
    let validator = validator(vec![
        Field { aliases: &["c"], ..field("city", shape::<String>()) },
        with_default("days", shape::<u8>(), "3"),
        field("unit", shape::<Option<String>>()),
    ]);
    let one = digest(&validator, r#"{"city":"York"}"#);
    for text in [
        r#"{"c":"York"}"#,
        r#" { "city" : "\u0059ork" } "#,
        r#"{"days":3,"city":"York"}"#,
        r#"{"unit":null,"days":null,"city":"York"}"#,
        r#""{\"city\":\"York\"}""#,
    ] {
        assert_eq!(one, digest(&validator, text), "{text}");
    }
    for text in [r#"{"city":"york"}"#, r#"{"city":"York","days":4}"#, r#"{"city":"York","unit":"C"}"#] {
        assert_ne!(one, digest(&validator, text), "{text}");
    }
}

#[test]
fn parts_cannot_run_into_one_another() {
    let validator = validator(vec![field("a", shape::<Vec<String>>()), field("b", shape::<Vec<String>>())]);
    let digests: std::collections::HashSet<_> = [
        r#"{"a":["x","y"],"b":[]}"#,
        r#"{"a":["x"],"b":["y"]}"#,
        r#"{"a":["xy"],"b":[]}"#,
        r#"{"a":[],"b":["x","y"]}"#,
        r#"{"a":["x",""],"b":["y"]}"#,
    ]
    .map(|text| digest(&validator, text))
    .into();
    assert_eq!(digests.len(), 5);
}

#[test]
fn only_identity_fields_count_where_there_are_any() {
    let id = Field { identity: true, ..field("id", shape::<String>()) };
    let validator = validator(vec![id, field("note", shape::<String>())]);
    assert_eq!(digest(&validator, r#"{"id":"1","note":"a"}"#), digest(&validator, r#"{"id":"1","note":"b"}"#));
    assert_ne!(digest(&validator, r#"{"id":"1","note":"a"}"#), digest(&validator, r#"{"id":"2","note":"a"}"#));
}

#[test]
fn a_value_left_to_serde_is_not_one_that_is_absent() {
    let absent = validator(vec![field("v", shape::<Option<u8>>())]);
    let by_serde = validator(vec![Field { default: Some(DefaultValue::Serde), ..field("v", shape::<u8>()) }]);
    assert_ne!(digest(&absent, "{}"), digest(&by_serde, "{}"));
}

#[test]
fn the_digest_of_known_arguments_never_changes() {
    // Keys made from it live in stores: a change here is a change of the format, and needs another version byte.
    let validator = validator(vec![
        field("name", shape::<String>()),
        field("amount", shape::<rust_decimal::Decimal>()),
        field("rate", shape::<f64>()),
        field("tags", shape::<Vec<Option<bool>>>()),
        field("note", shape::<Option<String>>()),
    ]);
    let text = r#"{"name":"Ada","amount":1500.10,"rate":0.2,"tags":[true,null],"note":null}"#;
    assert_eq!(digest(&validator, text), "7bd168a4e48c80a5eb4637351d6ad5a76272b757a97c94cb5b30a3fe6c4abc52");
}

#[test]
fn a_set_has_one_digest_in_whatever_order_it_is_written() {
    let validator = validator(vec![field("v", shape::<std::collections::HashSet<String>>())]);
    assert_eq!(digest(&validator, r#"{"v":["a","b"]}"#), digest(&validator, r#"{"v":["b","a"]}"#));
    let list = super::validator(vec![field("v", shape::<Vec<String>>())]);
    assert_ne!(digest(&list, r#"{"v":["a","b"]}"#), digest(&list, r#"{"v":["b","a"]}"#));
}

#[test]
fn the_sum_of_a_read_tells_apart_what_its_digest_does() {
    let validator = validator(vec![
        field("a", shape::<Option<Vec<String>>>()),
        field("b", shape::<Option<f64>>()),
        field("c", shape::<Option<u64>>()),
        with_default("d", shape::<i64>(), "3"),
    ]);
    let lists =
        [r#""a":["x","y"]"#, r#""a":["x"]"#, r#""a":["xy"]"#, r#""a":["x","y",""]"#, r#""a":[]"#, r#""a":null"#];
    let floats = [r#""b":1"#, r#""b":1.0"#, r#""b":1.5"#, r#""b":-0.0"#, r#""b":0"#, r#""b":null"#];
    let whole = [r#""c":1,"d":-1"#, r#""c":18446744073709551615,"d":3"#, r#""d":1"#, r#""c":null"#, r#""d":-1"#];
    let mut sums = std::collections::HashMap::new();
    for list in lists {
        for float in floats {
            for whole in whole {
                let text = format!("{{{whole},{list},{float}}}");
                let arguments = read(&validator, &text);
                let (digest, sum) = (arguments.digest(), arguments.sum());
                assert_eq!(sums.entry(digest).or_insert(sum), &sum, "{text}");
            }
        }
    }
    let kinds: std::collections::HashSet<_> = sums.values().collect();
    assert_eq!(kinds.len(), sums.len());
}
