//! Generic types with different arguments are different types, also where they contain themselves in a roundabout way.

#![allow(dead_code, reason = "the types are read and not used")]

use std::collections::BTreeSet;

use agent_core::testing::ScriptedModel;
use agent_core::{Agent, ToolSchema, tool, tools};
use serde_json::Value;

/// One of several kinds of list.
#[derive(serde::Deserialize, ToolSchema)]
struct Pair<T> {
    /// What is held.
    held: T,
    /// Further ones.
    more: Vec<Ring>,
}

/// Holds pairs of many kinds, which hold rings.
#[derive(serde::Deserialize, ToolSchema)]
struct Ring {
    /// Text.
    text: Option<Box<Pair<String>>>,
    /// An id.
    id: Option<Box<Pair<uuid::Uuid>>>,
    /// A number.
    number: Option<Box<Pair<f32>>>,
    /// Any number.
    long: Option<Box<Pair<f64>>>,
    /// One letter.
    letter: Option<Box<Pair<char>>>,
    /// Three numbers.
    three: Option<Box<Grid<3>>>,
    /// Four numbers.
    four: Option<Box<Grid<4>>>,
}

/// As many as it says.
#[derive(serde::Deserialize, ToolSchema)]
struct Grid<const N: u8> {
    /// Held.
    held: Times<N>,
    /// Further ones.
    more: Vec<Ring>,
}

/// A number which serde does not read.
#[derive(serde::Deserialize)]
struct Times<const N: u8>(u8);

impl<const N: u8> ToolSchema for Times<N> {
    const SHAPE: agent_core::schema::Link = agent_core::schema::Link::to(&agent_core::schema::Shape {
        kind: agent_core::schema::Kind::Array(agent_core::schema::Array {
            item: u8::SHAPE,
            min_items: Some(N as u64),
            max_items: Some(N as u64),
            unique: false,
        }),
    });
}

/// Begins with text.
#[tool]
async fn text(
    /// A pair.
    pair: Pair<String>,
) -> bool {
    let _ = pair;
    true
}

/// Begins with a number.
#[tool]
async fn number(
    /// A pair.
    pair: Pair<f32>,
) -> bool {
    let _ = pair;
    true
}

/// Begins with a grid.
#[tool]
async fn grid(
    /// A grid.
    grid: Grid<3>,
) -> bool {
    let _ = grid;
    true
}

/// Every schema of a property `held`, wherever it stands.
fn held(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            found.extend(entries.get("properties").and_then(|fields| fields.get("held")).map(Value::to_string));
            entries.values().for_each(|entry| held(entry, found));
        }
        Value::Array(items) => items.iter().for_each(|item| held(item, found)),
        _ => {}
    }
}

#[test]
fn each_argument_of_a_generic_type_in_a_recursion_is_said_by_itself() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![text, number, grid]).build().unwrap();
    for tool in ["text", "number", "grid"] {
        let schema: Value = serde_json::from_str(&agent.toolbox().full_schema(tool).unwrap()).unwrap();
        let mut found = BTreeSet::new();
        held(&schema, &mut found);
        // Two of the seven are published alike.
        assert_eq!(found.len(), 6, "{tool}: {found:#?}");
    }
}
