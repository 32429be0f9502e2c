//! Numbers: bounds, forms of writing, digits.

use rust_decimal::Decimal;

use super::{bound, field, normal, read, ruled, shape, validator};
use crate::schema::{Link, Rules};

#[test]
fn one_number_has_one_form_however_it_is_written() {
    let cases: [(Link, &[&str], &str); 11] = [
        (shape::<u8>(), &["3", "3.0", "3e0", "0.3e1", "30e-1"], "3"),
        (shape::<i8>(), &["0", "-0", "-0.0", "0.0"], "0"),
        (shape::<i64>(), &["-9223372036854775808"], "-9223372036854775808"),
        (shape::<u64>(), &["18446744073709551615"], "18446744073709551615"),
        (shape::<i64>(), &["9007199254740991.0", "9007199254740991"], "9007199254740991"),
        (shape::<f64>(), &["1500", "1500.0", "1.5e3"], "1500.0"),
        (shape::<f64>(), &["0", "-0", "-0.0", "0e9"], "0.0"),
        (shape::<f32>(), &["0.1", "0.10", "0.100000001"], "0.1"),
        (shape::<Decimal>(), &["1500", "1500.0", "1.5e3", "1500.00"], "1500"),
        (shape::<Decimal>(), &["1500.1", "1500.10", "15001e-1"], "1500.1"),
        (shape::<Decimal>(), &["0", "-0", "0.00"], "0"),
    ];
    for (shape, texts, expected) in cases {
        for text in texts {
            assert_eq!(normal(shape, text).unwrap(), format!("{{\"v\":{expected}}}"), "{text}");
        }
    }
}

#[test]
fn a_number_outside_its_type_is_refused() {
    let cases: [(Link, &str, &str); 13] = [
        (shape::<u8>(), "256", "maximum"),
        (shape::<u8>(), "-1", "minimum"),
        (shape::<i8>(), "-129", "minimum"),
        (shape::<i64>(), "9223372036854775808", "maximum"),
        (shape::<u64>(), "18446744073709551616", "maximum"),
        (shape::<i64>(), "-9223372036854775809", "minimum"),
        (shape::<u64>(), "1e300", "maximum"),
        (shape::<u8>(), "1.5", "type"),
        (shape::<std::num::NonZeroI32>(), "0", "not"),
        (shape::<std::num::NonZeroU32>(), "0", "minimum"),
        (shape::<f32>(), "1e300", "maximum"),
        // 9007199254740993.0 reads as the same float: which was meant cannot be told.
        (shape::<i64>(), "9007199254740992.0", "type"),
        (shape::<u64>(), "1e19", "type"),
    ];
    for (shape, text, rule) in cases {
        assert_eq!(normal(shape, text).unwrap_err()[0].rule, rule, "{text}");
    }
}

#[test]
fn a_decimal_has_at_most_15_digits_and_28_places() {
    for text in ["123456789012.345", "-0.00000000000001", "1e-28", "9e27", "12000000000000000000", "999999999999999"] {
        assert!(normal(shape::<Decimal>(), text).is_ok(), "{text}");
    }
    for text in ["1234567890123.4567", "1234567890123456", "0.1234567890123456", "1e28", "1e-29", "1.5e-28", "1e300"] {
        assert_eq!(normal(shape::<Decimal>(), text).unwrap_err()[0].rule, "decimal", "{text}");
    }
}

#[test]
fn a_decimal_reaches_the_tool_with_every_digit() {
    let validator = validator(vec![field("v", shape::<Decimal>())]);
    for (text, expected) in [
        ("0.1", "0.1"),
        ("1500.10", "1500.1"),
        ("1e-7", "0.0000001"),
        ("123456789012.345", "123456789012.345"),
        ("-4.35", "-4.35"),
        ("1e-28", "0.0000000000000000000000000001"),
        ("9.99999999999999e27", "9999999999999990000000000000"),
        ("12000000000000000000", "12000000000000000000"),
        ("1500", "1500"),
    ] {
        let text = format!("{{\"v\":{text}}}");
        let value: Decimal = read(&validator, &text).field(0).unwrap();
        assert_eq!(value, expected.parse().unwrap(), "{text}");
        assert_eq!(value.normalize().to_string(), expected);
    }
}

#[test]
fn numeric_rules_hold_for_every_kind_of_number() {
    let rules = Rules {
        minimum: Some(bound("0.1")),
        exclusive_maximum: Some(bound("10")),
        multiple_of: Some(bound("0.1")),
        ..Rules::NONE
    };
    for shape in [shape::<Decimal>(), shape::<f64>()] {
        let validator = validator(vec![ruled("v", shape, rules)]);
        for text in ["0.1", "0.3", "9.9", "1", "4.7"] {
            read(&validator, &format!("{{\"v\":{text}}}"));
        }
        for (text, rule) in
            [("0", "minimum"), ("10", "exclusiveMaximum"), ("10.0", "exclusiveMaximum"), ("0.35", "multipleOf")]
        {
            let problems = super::problems(&validator, &format!("{{\"v\":{text}}}"));
            assert_eq!((problems.len(), problems[0].rule.as_str()), (1, rule), "{text}");
        }
    }
    let whole = Rules { exclusive_minimum: Some(bound("9007199254740992")), ..Rules::NONE };
    let validator = validator(vec![ruled("v", shape::<u64>(), whole)]);
    read(&validator, r#"{"v":9007199254740993}"#);
    assert_eq!(
        super::said(&validator, r#"{"v":9007199254740992}"#),
        ["/v: expected greater than 9007199254740992, got 9007199254740992"]
    );
}

#[test]
fn rules_reach_the_value_inside_an_option() {
    let rules = Rules { minimum: Some(bound("1")), ..Rules::NONE };
    let validator = validator(vec![ruled("v", shape::<Option<u8>>(), rules)]);
    read(&validator, "{}");
    assert_eq!(super::problems(&validator, r#"{"v":0}"#)[0].rule, "minimum");
}

#[test]
fn a_number_is_judged_by_its_digits_and_not_by_the_float_nearest_to_them() {
    for text in ["1.00000000000000000001", "0.99999999999999999999", "1e-400"] {
        assert_eq!(normal(shape::<u8>(), text).unwrap_err()[0].rule, "type", "{text}");
    }
    for text in ["1.000000000000000000000", "10000000000000000000000e-22"] {
        assert_eq!(normal(shape::<u8>(), text).unwrap(), r#"{"v":1}"#, "{text}");
    }
    for text in
        ["0.10000000000000000001", "0.30000000000000004", "0.30000000000000001", "1e-400", "100.00000000000000001"]
    {
        assert_eq!(normal(shape::<Decimal>(), text).unwrap_err()[0].rule, "decimal", "{text}");
    }
    assert_eq!(normal(shape::<Decimal>(), "0.10000000000000000000000").unwrap(), r#"{"v":0.1}"#);
    let span = shape::<std::time::Duration>();
    assert_eq!(normal(span, "1.00000000000000000001").unwrap_err()[0].rule, "decimal");
    assert_eq!(normal(span, "-1.00000000000000000001").unwrap_err()[0].rule, "minimum");
    assert_eq!(normal(span, "1.50000000000000000000").unwrap(), r#"{"v":1.5}"#);
    // Floats round by their nature.
    assert_eq!(normal(shape::<f64>(), "1.00000000000000000001").unwrap(), r#"{"v":1.0}"#);
    let [problem] = &normal(shape::<u8>(), &format!("1.{}1", "0".repeat(10_000))).unwrap_err()[..] else { panic!() };
    assert!(problem.to_string().len() < 200, "{problem}");
}

#[test]
fn the_rules_of_a_small_float_ask_about_the_float_that_the_tool_sees() {
    let above = Rules { exclusive_minimum: Some(bound("0")), ..Rules::NONE };
    let v = validator(vec![ruled("v", shape::<f32>(), above)]);
    assert!(v.read(r#"{"v":1e-60}"#).is_err());
    assert_eq!(read(&v, r#"{"v":1e-40}"#).field::<f32>(0).unwrap(), 1e-40);
    let below = Rules { maximum: Some(bound("0.1")), ..Rules::NONE };
    let v = validator(vec![ruled("v", shape::<f32>(), below)]);
    assert_eq!(read(&v, r#"{"v":0.100000000001}"#).to_json(), r#"{"v":0.1}"#);
    assert_eq!(read(&v, r#"{"v":0.100000000001}"#).digest(), read(&v, r#"{"v":0.1}"#).digest());
    assert_eq!(read(&v, r#"{"v":-1e-60}"#).digest(), read(&v, r#"{"v":0}"#).digest());
}
