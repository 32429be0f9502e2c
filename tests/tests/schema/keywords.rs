//! Each keyword that we publish, as the JSON Schema Test Suite has it: values that it takes and values that it does
//! not. The validator and the `jsonschema` crate must both say so, of the full text.

use std::collections::BTreeSet;

use agent_core::ToolSchema;
use agent_core::arguments::Validator;
use agent_core::schema::{Bound, Field, Kind, Link, Object, Rules, Shape, full_text};
use serde_json::{Value, json};

fn arguments(shape: Link, rules: Rules) -> &'static Shape {
    let fields = vec![Field {
        name: "v",
        aliases: &[],
        doc: "",
        shape,
        rules,
        default: None,
        example: None,
        identity: false,
        flatten: false,
    }]
    .leak();
    Box::leak(Box::new(Shape::new(Kind::Object(Object { id: 1, name: "Args", doc: "", fields, generic: false }))))
}

fn bound(text: &'static str) -> Option<Bound> {
    Some(Bound { text, whole: text.parse().ok(), float: text.parse().unwrap() })
}

/// Holds `{"v": value}` against the validator and the oracle; `text` must be the keyword as it is published.
fn check<const V: usize, const I: usize>(
    shape: Link,
    rules: Rules,
    keyword: &str,
    valid: [Value; V],
    invalid: [Value; I],
) {
    let shape = arguments(shape, rules);
    let text = full_text(shape);
    assert!(text.contains(keyword), "{keyword} is not in {text}");
    let oracle =
        jsonschema::options().should_validate_formats(true).build(&serde_json::from_str(&text).unwrap()).unwrap();
    let validator = Validator::new(shape).unwrap();
    let cases = valid.into_iter().map(|value| (value, true)).chain(invalid.into_iter().map(|value| (value, false)));
    for (value, expected) in cases {
        let document = json!({ "v": value });
        let text = document.to_string();
        let read = validator.read(&text);
        assert_eq!(read.is_ok(), expected, "{keyword}: {value}: {read:?}");
        assert_eq!(oracle.is_valid(&document), expected, "{keyword} (oracle): {value}");
    }
}

fn plain<T: ToolSchema + ?Sized, const V: usize, const I: usize>(
    keyword: &str,
    valid: [Value; V],
    invalid: [Value; I],
) {
    check(T::SHAPE, Rules::NONE, keyword, valid, invalid);
}

fn ruled<T: ToolSchema, const V: usize, const I: usize>(
    rules: Rules,
    keyword: &str,
    valid: [Value; V],
    invalid: [Value; I],
) {
    check(T::SHAPE, rules, keyword, valid, invalid);
}

#[test]
fn types_take_their_own_values_only() {
    plain::<bool, _, _>(
        r#""type":"boolean""#,
        [json!(true), json!(false)],
        [json!(0), json!(1), json!("true"), json!(null), json!([]), json!({})],
    );
    // A float without a fraction is an integer.
    plain::<i32, _, _>(
        r#""type":"integer""#,
        [json!(0), json!(-3), json!(1.0)],
        [json!(1.5), json!("1"), json!(null), json!(true), json!([1]), json!({})],
    );
    plain::<f64, _, _>(
        r#""type":"number""#,
        [json!(0), json!(1.1), json!(-2.5e10)],
        [json!("1.1"), json!(null), json!(true), json!([])],
    );
    plain::<str, _, _>(
        r#""type":"string""#,
        [json!(""), json!("1"), json!("\u{1F4A9}")],
        [json!(1), json!(null), json!(true), json!(["a"]), json!({"a": "b"})],
    );
    plain::<Vec<bool>, _, _>(r#""type":"array""#, [json!([]), json!([true])], [json!({}), json!("[]"), json!(null)]);
    plain::<Point, _, _>(r#""type":"object""#, [json!({"x": 1, "y": 2})], [json!([]), json!("{}"), json!(null)]);
}

#[test]
fn null_is_valid_where_the_type_lists_it() {
    plain::<Option<String>, _, _>(r#""type":["string","null"]"#, [json!(null), json!("a")], [json!(0), json!(false)]);
    plain::<Option<Choice>, _, _>(r#""enum":["a","b c",null]"#, [json!(null), json!("a")], [json!("null"), json!("")]);
    plain::<Option<Point>, _, _>(r#"{"type":"null"}"#, [json!(null), json!({"x": 1, "y": 1})], [json!({}), json!(0)]);
    plain::<Vec<Option<bool>>, _, _>(r#""items":{"type":["boolean","null"]}"#, [json!([null, true])], [json!([0])]);
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Point {
    /// To the right.
    x: i32,
    /// Up.
    y: i32,
    /// A label.
    label: Option<String>,
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Choice {
    #[serde(rename = "a")]
    A,
    #[serde(rename = "b c")]
    Bc,
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Tree {
    /// Its name.
    name: String,
    /// Below it.
    kids: Vec<Tree>,
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Either {
    /// Nothing.
    Nothing,
    /// A point.
    At(Point),
    /// Many.
    Many(Vec<bool>),
}

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Tagged {
    /// Nothing.
    Nothing,
    /// A point.
    At(Point),
}

#[test]
fn an_enum_takes_its_values_and_letter_case_counts() {
    plain::<Choice, _, _>(
        r#""enum":["a","b c"]"#,
        [json!("a"), json!("b c")],
        [json!("A"), json!("b"), json!("a "), json!(0), json!(null), json!(["a"])],
    );
}

#[test]
fn objects_have_what_is_required_and_nothing_unknown() {
    plain::<Point, _, _>(
        r#""required":["x","y"],"additionalProperties":false"#,
        [json!({"x": 1, "y": 2}), json!({"y": 2, "x": 1, "label": null}), json!({"x": 1, "y": 2, "label": "a"})],
        [
            json!({}),
            json!({"x": 1}),
            json!({"x": 1, "y": null}),
            json!({"x": 1, "y": 2, "z": 3}),
            json!({"x": 1, "y": 2, "X": 1}),
            json!({"x": "1", "y": 2}),
            json!({"x": 1, "y": 2, "label": 3}),
        ],
    );
}

#[test]
fn items_hold_at_each_place() {
    plain::<Vec<i32>, _, _>(
        r#""items":{"#,
        [json!([]), json!([1, 2, 3])],
        [json!([1, "x"]), json!(["x", 1]), json!([null])],
    );
    plain::<Vec<Vec<bool>>, _, _>(
        r#""items":{"type":"array","items":{"#,
        [json!([[], [true]])],
        [json!([true]), json!([[1]])],
    );
}

#[test]
fn numbers_of_items_are_bounded_on_both_sides() {
    let rules = Rules { min_items: Some(1), max_items: Some(2), ..Rules::NONE };
    ruled::<Vec<bool>, _, _>(
        rules,
        r#""minItems":1,"maxItems":2"#,
        [json!([true]), json!([true, true])],
        [json!([]), json!([true, true, true])],
    );
    plain::<[bool; 2], _, _>(r#""minItems":2,"maxItems":2"#, [json!([true, false])], [json!([true]), json!([])]);
}

#[test]
fn a_set_takes_each_value_once_and_compares_by_value() {
    plain::<BTreeSet<i32>, _, _>(
        r#""uniqueItems":true"#,
        [json!([]), json!([1, 2])],
        [json!([1, 1]), json!([1, 2, 1]), json!([1, 1.0])],
    );
    plain::<BTreeSet<String>, _, _>(r#""uniqueItems":true"#, [json!(["a", "A", ""])], [json!(["a", "b", "a"])]);
}

#[test]
fn bounds_of_numbers_include_or_exclude_their_end() {
    let inclusive = Rules { minimum: bound("1.1"), maximum: bound("3.0"), ..Rules::NONE };
    let values = ([json!(1.1), json!(2), json!(3), json!(3.0)], [json!(0.6), json!(1), json!(3.5), json!(-5)]);
    ruled::<f64, _, _>(inclusive, r#""minimum":1.1,"maximum":3.0"#, values.0, values.1);
    let exclusive = Rules { exclusive_minimum: bound("1.1"), exclusive_maximum: bound("3.0"), ..Rules::NONE };
    ruled::<f64, _, _>(
        exclusive,
        r#""exclusiveMinimum":1.1,"exclusiveMaximum":3.0"#,
        [json!(1.2), json!(2.9)],
        [json!(1.1), json!(3.0), json!(3), json!(0.6)],
    );
    let negative = Rules { minimum: bound("-2"), ..Rules::NONE };
    ruled::<i64, _, _>(
        negative,
        r#""minimum":-2"#,
        [json!(-1), json!(0), json!(-2), json!(-2.0)],
        [json!(-3), json!(-2.0001)],
    );
    plain::<u8, _, _>(r#""minimum":0,"maximum":255"#, [json!(0), json!(255)], [json!(-1), json!(256)]);
    let (least, most) = (json!(i64::MIN), json!(i64::MAX));
    plain::<i64, _, _>(r#""maximum":9223372036854775807"#, [least, most], [json!(9_223_372_036_854_775_808_u64)]);
    plain::<u64, _, _>(r#""maximum":18446744073709551615"#, [json!(u64::MAX)], [json!(-1)]);
}

#[test]
fn multiples_are_exact_for_integers_and_decimals() {
    let by_two = Rules { multiple_of: bound("2"), ..Rules::NONE };
    ruled::<i32, _, _>(
        by_two,
        r#""multipleOf":2"#,
        [json!(10), json!(0), json!(-4), json!(4.0)],
        [json!(7), json!(-1)],
    );
    let by_fraction = Rules { multiple_of: bound("1.5"), ..Rules::NONE };
    ruled::<f64, _, _>(by_fraction, r#""multipleOf":1.5"#, [json!(0), json!(4.5), json!(-3)], [json!(35), json!(0.1)]);
    let by_small = Rules { multiple_of: bound("0.0001"), ..Rules::NONE };
    ruled::<f64, _, _>(by_small, r#""multipleOf":0.0001"#, [json!(0.0075), json!(1)], [json!(0.00751)]);
}

#[test]
fn zero_is_left_out_by_not() {
    plain::<std::num::NonZeroI16, _, _>(r#""not":{"const":0}"#, [json!(1), json!(-1)], [json!(0), json!(0.0)]);
    plain::<std::num::NonZeroU8, _, _>(r#""minimum":1"#, [json!(1), json!(255)], [json!(0)]);
}

#[test]
fn lengths_count_code_points() {
    let rules = Rules { min_length: Some(2), max_length: Some(3), ..Rules::NONE };
    ruled::<String, _, _>(
        rules,
        r#""minLength":2,"maxLength":3"#,
        [json!("fo"), json!("foo"), json!("\u{1F4A9}\u{1F4A9}"), json!("äöü")],
        [json!(""), json!("f"), json!("\u{1F4A9}"), json!("fooo"), json!("e\u{301}e\u{301}")],
    );
    plain::<char, _, _>(r#""minLength":1,"maxLength":1"#, [json!("a"), json!("\u{1F4A9}")], [json!(""), json!("ab")]);
}

#[test]
fn a_pattern_is_searched_and_not_anchored() {
    let plain = Rules { pattern: Some("a+"), ..Rules::NONE };
    ruled::<String, _, _>(
        plain,
        r#""pattern":"a+""#,
        [json!("xxaayy"), json!("a")],
        [json!(""), json!("xyz"), json!("A")],
    );
    let whole = Rules { pattern: Some("^a*$"), ..Rules::NONE };
    ruled::<String, _, _>(whole, r#""pattern":"^a*$""#, [json!("aaa"), json!("")], [json!("abc"), json!("aa\n")]);
    let wide = Rules { pattern: Some("^[à-ü]$"), ..Rules::NONE };
    ruled::<String, _, _>(wide, r#""pattern":"^[à-ü]$""#, [json!("é")], [json!("e"), json!("éé")]);
}

#[test]
fn a_format_is_held_to() {
    let cases: [(&'static str, Value, Value); 10] = [
        ("date-time", json!("1963-06-19T08:30:06.283185Z"), json!("06/19/1963 08:30:06 PST")),
        ("date", json!("1963-06-19"), json!("1963-6-1")),
        ("time", json!("08:30:06Z"), json!("08:30:06")),
        ("duration", json!("P4DT12H30M5S"), json!("PT1D")),
        ("email", json!("joe.bloggs@example.com"), json!("2962")),
        ("hostname", json!("www.example.com"), json!("-a-host-name-that-starts-with--")),
        ("ipv4", json!("192.168.0.1"), json!("127.0.0.0.1")),
        ("ipv6", json!("::abef"), json!("12345::")),
        ("uuid", json!("2EB8AA08-AA98-11EA-B4AA-73B441D16380"), json!("2eb8aa08-aa98-11ea-b4aa-73b441d1638")),
        ("uri", json!("http://foo.bar/?baz=qux#quux"), json!("/abc")),
    ];
    for (format, valid, invalid) in cases {
        let rules = Rules { format: Some(format), ..Rules::NONE };
        ruled::<String, _, _>(rules, &format!(r#""format":"{format}""#), [valid], [invalid]);
    }
}

#[test]
fn any_of_takes_each_form_and_no_other() {
    plain::<Either, _, _>(
        r#""anyOf":["#,
        [json!("Nothing"), json!({"At": {"x": 1, "y": 2}}), json!({"Many": [true]})],
        [
            json!("At"),
            json!({"Nothing": null}),
            json!({}),
            json!({"At": {"x": 1, "y": 2}, "Many": []}),
            json!({"At": {"x": 1}}),
            json!({"Other": 1}),
            json!(null),
            json!([]),
        ],
    );
    plain::<Tagged, _, _>(
        r#""properties":{"kind":{"type":"string","enum":["At"]}"#,
        [json!({"kind": "Nothing"}), json!({"x": 1, "kind": "At", "y": 2})],
        [
            json!("Nothing"),
            json!({}),
            json!({"kind": "At"}),
            json!({"kind": "Nothing", "x": 1}),
            json!({"kind": "at", "x": 1, "y": 1}),
            json!({"kind": null}),
        ],
    );
}

#[test]
fn a_reference_holds_at_every_depth() {
    let leaf = json!({"name": "leaf", "kids": []});
    let deep = json!({"name": "root", "kids": [{"name": "node", "kids": [leaf]}, leaf]});
    let mut wrong = deep.clone();
    wrong["kids"][0]["kids"][0]["name"] = json!(3);
    let mut more = deep.clone();
    more["kids"][1]["other"] = json!(3);
    plain::<Tree, _, _>(r##""$ref":"#/$defs/Tree""##, [deep], [wrong, more]);
}

/// One that comes back beside the tag of a form.
#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Chain {
    /// What comes next.
    next: Option<Box<Ring>>,
}

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Ring {
    /// A chain.
    Chain(Chain),
    /// The end.
    End,
}

#[test]
fn a_type_that_comes_back_beside_a_tag_is_a_definition_too() {
    let end = json!({"next": {"kind": "End"}});
    let deep = json!({"next": {"kind": "Chain", "next": {"kind": "Chain", "next": {"kind": "End"}}}});
    let mut wrong = deep.clone();
    wrong["next"]["next"]["next"]["kind"] = json!("end");
    plain::<Chain, _, _>(r##""$ref":"#/$defs/"##, [end, deep], [wrong]);
    plain::<Ring, _, _>(r##""$ref":"#/$defs/"##, [json!({"kind": "Chain", "next": null})], [json!({"kind": "Chai"})]);
}
