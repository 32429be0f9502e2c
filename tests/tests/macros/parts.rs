//! What is there or not, what tells calls apart, and what is read in other ways than its type.

use std::marker::PhantomData;

use agent_core::schema::{Kind, Object};
use agent_core::{Offer, Tool, ToolSchema, tool, tools};
use serde::{Deserialize, Deserializer};

fn object(shape: &'static agent_core::schema::Shape) -> &'static Object {
    match &shape.kind {
        Kind::Object(object) => object,
        kind => panic!("{}", kind.name()),
    }
}

/// Has parts that are there or not.
#[tool]
async fn conditional(
    /// Is not there.
    #[cfg(not(test))]
    #[arg(minimum = 1)]
    absent: Missing,
    #[cfg(not(test))] nothing: &Missing,
    /// Is there.
    #[cfg(test)]
    present: u32,
) -> u32 {
    present
}

fn is_offered<S, L: Offer<S>>(_: L, _: &S) {}

#[test]
fn what_is_configured_out_is_in_no_schema_and_asked_of_no_state() {
    let fields = object(conditional::SPEC.arguments.get()).fields;
    assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["present"]);
    is_offered(tools![conditional], &());
}

#[derive(Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[arg(identity)]
    number: u32,
    /// A note.
    note: Option<String>,
}

/// Orders.
#[tool(mutating, unrestricted)]
async fn order(#[arg(flatten)] order: Order) -> u32 {
    let _ = order.note;
    order.number
}

#[test]
fn a_field_of_the_whole_argument_object_may_tell_calls_apart() {
    let fields = object(order::SPEC.arguments.get()).fields;
    assert_eq!(fields.iter().map(|field| field.identity).collect::<Vec<_>>(), [true, false]);
}

fn digits<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

#[derive(Deserialize, ToolSchema)]
struct Read {
    /// In digits.
    #[serde(deserialize_with = "digits")]
    #[arg(as_type = String, min_length = 1)]
    number: u32,
}

#[test]
fn a_field_with_a_reader_of_its_own_has_the_schema_of_what_stands_on_the_wire() {
    let field = &object(Read::SHAPE.get()).fields[0];
    assert!(matches!(field.shape.get().kind, Kind::Text(_)));
    assert_eq!(field.rules.min_length, Some(1));
    assert_eq!(serde_json::from_str::<Read>(r#"{"number":"7"}"#).unwrap().number, 7);
}

struct Customer;

#[derive(Deserialize, ToolSchema)]
#[serde(transparent, bound = "")]
struct Id<T> {
    text: String,
    of: PhantomData<T>,
}

#[test]
fn a_transparent_type_is_what_it_holds_beside_what_marks_it() {
    assert!(matches!(Id::<Customer>::SHAPE.get().kind, Kind::Text(_)));
    let id: Id<Customer> = serde_json::from_str(r#""c-1""#).unwrap();
    let _ = id.of;
    assert_eq!(id.text, "c-1");
}

#[test]
fn a_tool_is_shown_by_the_name_of_its_struct() {
    assert_eq!(format!("{:?}", tools![order, conditional]), "Tools(((order, conditional),))");
}
