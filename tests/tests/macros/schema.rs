//! Shapes of parameters and derived types.

use agent_core::schema::{DefaultValue, Field, Kind, Object, Shape, Tagging};
use agent_core::{Tool, ToolSchema, tool};
use serde::Deserialize;

#[derive(Deserialize, ToolSchema)]
struct Page<T> {
    /// The items.
    #[allow(dead_code)]
    items: Vec<T>,
}

/// A node.
#[derive(Deserialize, ToolSchema)]
struct Node {
    /// Its name.
    #[serde(alias = "label")]
    #[arg(min_length = 1, example = "a \"b\"")]
    name: String,
    /// What is below.
    #[serde(default)]
    kids: Vec<Node>,
    #[serde(flatten)]
    place: Place,
    #[serde(skip)]
    _seen: bool,
}

#[derive(Deserialize, ToolSchema)]
struct Place {
    /// The row.
    row: u8,
}

#[derive(Deserialize, ToolSchema)]
struct Sku(#[allow(dead_code)] String);

#[derive(Deserialize, ToolSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Payment {
    /// At the door.
    AtDoor,
    Card {
        /// As printed.
        number: Sku,
    },
    Other(Place),
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Either {
    Left(Place),
    #[serde(skip)]
    Hidden,
    Right,
}

/// Takes all.
#[tool(rename_all = "camelCase", mutating, unrestricted)]
async fn take(
    /// The price.
    #[arg(exclusive_minimum = 0, maximum = 1e3, default = 0.50)]
    unit_price: f64,
    /// The node.
    #[arg(identity)]
    node: Node,
    /// What kinds.
    #[arg(rename = "kinds_", default = ["a", "b"])]
    kinds: Vec<String>,
) -> u8 {
    let _ = (unit_price, node.name, node.kids, kinds);
    node.place.row
}

/// Takes one.
#[tool]
async fn whole(#[arg(flatten)] place: Place) -> u8 {
    place.row
}

fn object(shape: &'static Shape) -> &'static Object {
    match &shape.kind {
        Kind::Object(object) => object,
        kind => panic!("{} is no object", kind.name()),
    }
}

fn field(object: &'static Object, name: &str) -> &'static Field {
    object.fields.iter().find(|field| field.name == name).expect("a field of that name")
}

#[test]
fn parameters_are_fields_in_their_order() {
    let arguments = object(take::SPEC.arguments.get());
    let names: Vec<&str> = arguments.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["unitPrice", "node", "kinds_"]);
    assert_eq!(arguments.name, "take");
    assert_eq!(field(arguments, "node").doc, "The node.");
    assert!(field(arguments, "node").identity);
}

#[test]
fn rules_and_defaults_are_exactly_as_written() {
    let price = field(object(take::SPEC.arguments.get()), "unitPrice");
    assert_eq!(price.rules.exclusive_minimum.unwrap().whole, Some(0));
    assert_eq!(price.rules.maximum.unwrap().text, "1000");
    assert!(matches!(price.default, Some(DefaultValue::Json("0.5"))));
    let kinds = field(object(take::SPEC.arguments.get()), "kinds_");
    assert!(matches!(kinds.default, Some(DefaultValue::Json(r#"["a","b"]"#))));
}

#[test]
fn a_derived_struct_says_what_serde_reads() {
    let node = object(Node::SHAPE.get());
    let names: Vec<&str> = node.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["name", "kids", "place"]);
    assert_eq!((node.doc, node.name, node.generic), ("A node.", "Node", false));
    assert_eq!(field(node, "name").aliases, ["label"]);
    assert_eq!(field(node, "name").example, Some(r#""a \"b\"""#));
    assert!(matches!(field(node, "kids").default, Some(DefaultValue::Natural("[]"))));
    assert!(field(node, "place").flatten);
}

#[test]
fn a_type_may_contain_itself() {
    let Kind::Array(kids) = &field(object(Node::SHAPE.get()), "kids").shape.get().kind else { panic!("no list") };
    assert_eq!(object(kids.item.get()).id, object(Node::SHAPE.get()).id);
}

#[test]
fn generic_types_are_told_apart_by_their_arguments() {
    let ids = [
        object(<Page<u8> as ToolSchema>::SHAPE.get()).id,
        object(<Page<u16> as ToolSchema>::SHAPE.get()).id,
        object(<Page<Place> as ToolSchema>::SHAPE.get()).id,
        object(<Page<Page<Place>> as ToolSchema>::SHAPE.get()).id,
        object(Place::SHAPE.get()).id,
    ];
    for (at, id) in ids.iter().enumerate() {
        assert!(!ids[..at].contains(id), "{at}");
    }
    assert!(object(<Page<u8> as ToolSchema>::SHAPE.get()).generic);
}

#[test]
fn a_newtype_is_what_it_holds_and_a_flattened_parameter_is_all() {
    assert!(matches!(Sku::SHAPE.get().kind, Kind::Text(_)));
    assert_eq!(object(whole::SPEC.arguments.get()).name, "Place");
}

#[test]
fn enums_with_content_are_unions() {
    let Kind::Union(payment) = &Payment::SHAPE.get().kind else { panic!("no union") };
    assert!(matches!(payment.tagging, Tagging::Internal("kind")));
    let names: Vec<&str> = payment.variants.iter().map(|variant| variant.name).collect();
    assert_eq!(names, ["at_door", "card", "other"]);
    assert_eq!(payment.variants[0].doc, "At the door.");
    assert!(payment.variants[0].content.is_none());
    assert_eq!(object(payment.variants[1].content.unwrap().get()).fields[0].name, "number");
    let Kind::Union(either) = &Either::SHAPE.get().kind else { panic!("no union") };
    assert!(matches!(either.tagging, Tagging::External));
    assert_eq!(either.variants.len(), 2);
}
