//! Types of a program's own.

use std::sync::Arc;
use std::time::Duration;

use agent_core::ToolSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Newtype(String);

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(transparent)]
pub(crate) struct Transparent {
    /// The number.
    number: u8,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Empty {}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Point {
    /// To the right.
    x: f64,
    /// Upwards.
    y: f64,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Nested {
    /// Where it is.
    at: Point,
    /// What it is called.
    name: Option<String>,
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(default)]
#[derive(Default)]
pub(crate) struct Defaulted {
    /// How many.
    count: u8,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct WithDefaults {
    /// How many.
    #[arg(default = 3)]
    count: u8,
    /// What it is called.
    #[serde(default)]
    name: String,
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renamed {
    /// Who orders.
    #[serde(alias = "customer")]
    client_name: String,
    /// The currency.
    #[serde(rename = "cur")]
    currency: String,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Skipping {
    /// How many.
    count: u8,
    #[serde(skip)]
    seen: bool,
    #[serde(skip_deserializing)]
    kept: bool,
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Closed {
    /// How many.
    count: u8,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Flattened {
    /// What it is called.
    name: String,
    #[serde(flatten)]
    at: Point,
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Plain {
    DarkRed,
    Green,
}

/// The paint.
#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Documented {
    /// As blood.
    Red,
    #[serde(alias = "lime")]
    Green,
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum External {
    Everyone,
    Users(Vec<String>),
    Near {
        /// How far.
        at_most: u8,
    },
}

#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Internal {
    /// At the door.
    Cash,
    Card {
        /// As printed on it.
        number: String,
    },
    At(Point),
}

/// Reading it needs serde's feature `rc`.
#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Shared {
    /// What it is called.
    name: Arc<str>,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Wait {
    /// How long it takes.
    pub(crate) span: Duration,
}

/// Serde keeps what stands beside a tag before it reads it.
#[derive(Deserialize, Serialize, ToolSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Waits {
    Before {
        /// How long.
        pause: Wait,
        /// How often.
        spans: Vec<Duration>,
        /// Any.
        number: serde_json::Number,
    },
    After(Wait),
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Tree {
    /// The value.
    value: u8,
    /// Below it.
    kids: Vec<Tree>,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Folder {
    /// What is in it.
    items: Vec<Item>,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Item {
    /// A folder within.
    folder: Option<Box<Folder>>,
}

#[derive(Deserialize, Serialize, ToolSchema)]
pub(crate) struct Page<T> {
    /// What is on it.
    items: Vec<T>,
}

/// A type without a schema.
#[derive(Deserialize, Serialize)]
pub(crate) struct Foreign(String);
