//! From the normalised tree into the tool's own types.

use super::shapes::{Chain, Colour, Filter, Inner, Line, ORDER, Order, Place, Point, Target};
use super::{field, problems, read, shape, validator};
use crate::arguments::Validator;

const TEXT: &str = r#"{"colour":"crimson","at":{"y":2,"x":1.0},"lines":[{"qty":2.0,"sku":"a","weight":null}]}"#;

fn line() -> Line {
    Line { sku: "a".into(), qty: 2, weight: 3, tag: None }
}

#[test]
fn a_struct_is_read_as_a_whole_with_its_flattened_fields() {
    let validator = Validator::new(&ORDER).unwrap();
    let order: Order = read(&validator, TEXT).whole().unwrap();
    let place = Place { at: Point { x: 1.0, y: 2.0 }, floor: None };
    assert_eq!(order, Order { lines: vec![line()], place, colour: Colour::Red, note: "none".into() });
}

#[test]
fn each_field_is_read_by_its_place_and_a_flattened_one_as_its_struct() {
    let validator = Validator::new(&ORDER).unwrap();
    let arguments = read(&validator, TEXT);
    assert_eq!(arguments.field::<Vec<Line>>(0).unwrap(), [line()]);
    assert_eq!(arguments.field::<Place>(1).unwrap().at, Point { x: 1.0, y: 2.0 });
    assert_eq!(arguments.field::<String>(3).unwrap(), "none");
    assert_eq!(
        arguments.to_json(),
        r#"{"lines":[{"sku":"a","qty":2,"tag":null}],"at":{"x":1.0,"y":2.0},"colour":"red","note":"none"}"#
    );
}

#[test]
fn forms_of_an_enum_are_read_by_tag_and_by_key() {
    let validator = validator(vec![field("filter", shape::<Filter>()), field("to", shape::<Target>())]);
    let text = r#"{"filter":{"all":[{"op":"any"},{"of":{"op":"any"},"op":"not"}],"op":"all"},"to":{"users":["ada"]}}"#;
    let arguments = read(&validator, text);
    let not = Filter::Not(Inner { of: Box::new(Filter::Any) });
    assert_eq!(arguments.field::<Filter>(0).unwrap(), Filter::And { all: vec![Filter::Any, not] });
    assert_eq!(arguments.field::<Target>(1).unwrap(), Target::Users(vec!["ada".into()]));
    let text = r#"{"filter":{"op":"any"},"to":"all"}"#;
    assert_eq!(read(&validator, text).field::<Target>(1).unwrap(), Target::Everyone);
    let text = r#"{"filter":{"op":"any"},"to":{"near":{"at":{"x":0,"y":0}}}}"#;
    assert_eq!(read(&validator, text).field::<Target>(1).unwrap(), Target::Near { at: Point { x: 0.0, y: 0.0 } });
}

#[test]
fn a_form_that_is_none_is_refused_at_its_place() {
    let validator = validator(vec![field("f", shape::<Option<Filter>>()), field("t", shape::<Option<Target>>())]);
    for (text, pointer, rule) in [
        (r#"{"f":{}}"#, "/f/op", "required"),
        (r#"{"f":{"op":"Not"}}"#, "/f/op", "enum"),
        (r#"{"f":{"op":1}}"#, "/f/op", "type"),
        (r#"{"f":{"op":"any","op":"any"}}"#, "/f/op", "doubled"),
        (r#"{"f":{"op":"any","of":1}}"#, "/f/of", "additionalProperties"),
        (r#"{"f":{"op":"not"}}"#, "/f/of", "required"),
        (r#"{"f":{"op":"and","all":[{"op":"nor"}]}}"#, "/f/all/0/op", "enum"),
        (r#"{"f":"any"}"#, "/f", "type"),
        (r#"{"t":"user"}"#, "/t", "enum"),
        (r#"{"t":"users"}"#, "/t", "type"),
        (r#"{"t":{"everyone":null}}"#, "/t", "type"),
        (r#"{"t":{}}"#, "/t", "anyOf"),
        (r#"{"t":{"users":[],"near":{}}}"#, "/t", "anyOf"),
        (r#"{"t":{"users":[1]}}"#, "/t/users/0", "type"),
        (r#"{"t":7}"#, "/t", "type"),
    ] {
        let problems = problems(&validator, text);
        assert_eq!((problems[0].pointer.as_str(), problems[0].rule.as_str()), (pointer, rule), "{text}");
    }
}

#[test]
fn a_type_that_contains_itself_is_read_to_its_end() {
    let validator = validator(vec![field("chain", shape::<Chain>())]);
    let chain: Chain = read(&validator, r#"{"chain":{"value":1,"next":{"next":null,"value":2}}}"#).field(0).unwrap();
    assert_eq!(chain.next, Some(Box::new(Chain { value: 2, next: None })));
}

#[test]
fn the_deepest_json_does_not_overflow_a_small_stack() {
    let deep =
        |levels: usize| format!("{{\"chain\":{}null{}}}", "{\"value\":1,\"next\":".repeat(levels), "}".repeat(levels));
    let read = move || {
        let validator = validator(vec![field("chain", shape::<Chain>())]);
        let text = deep(126);
        let arguments = read(&validator, &text);
        arguments.digest();
        assert_eq!(arguments.to_json().len(), text.len());
        arguments.field::<Chain>(0).unwrap();
        assert!(matches!(validator.read(&deep(128)), Err(crate::arguments::Invalid::Malformed(_))));
    };
    // Half of what tokio's workers have.
    std::thread::Builder::new().stack_size(1 << 20).spawn(read).unwrap().join().unwrap();
}

#[test]
fn a_value_that_its_type_refuses_is_a_problem_with_its_place() {
    #[derive(Debug, serde::Deserialize)]
    struct Odd {
        #[serde(deserialize_with = "odd")]
        #[allow(dead_code)]
        qty: u8,
    }
    fn odd<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
        match serde::Deserialize::deserialize(from)? {
            value if value % 2 == 1 => Ok(value),
            _ => Err(serde::de::Error::custom("must be odd")),
        }
    }
    let inner = super::object(vec![field("qty", shape::<u8>())]);
    let item = crate::schema::Link::to(inner);
    let list = Box::leak(Box::new(crate::schema::Shape::new(crate::schema::Kind::Array(crate::schema::Array {
        item,
        min_items: None,
        max_items: None,
        unique: false,
    }))));
    let validator = validator(vec![field("a/b", crate::schema::Link::to(list))]);
    let problem = read(&validator, r#"{"a/b":[{"qty":1},{"qty":2}]}"#).field::<Vec<Odd>>(0).unwrap_err();
    assert_eq!(problem.to_string(), "/a~1b/1/qty: expected a value that the tool can read, got 2 (must be odd)");
}

#[test]
fn a_default_that_contains_itself_is_an_error_and_no_endless_loop() {
    use crate::schema::{Kind, Link, Object, Shape, ToolSchema};
    struct Endless;
    static ENDLESS: Shape = Shape::new(Kind::Object(Object {
        id: 77,
        name: "Endless",
        doc: "",
        generic: false,
        fields: &[super::with_default("a", Endless::SHAPE, "{}"), super::with_default("b", Endless::SHAPE, "{}")],
    }));
    impl ToolSchema for Endless {
        const SHAPE: Link = Link::to(&ENDLESS);
    }
    assert!(Validator::new(&ENDLESS).unwrap_err().reason.contains("the default {}"));
}
