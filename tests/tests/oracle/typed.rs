//! Types as a program has them: what the validator takes of their shape, they take.

use std::collections::{BTreeSet, VecDeque};
use std::sync::LazyLock;
use std::time::Duration;

use agent_core::ToolSchema;
use agent_core::arguments::Validator;
use agent_core::schema::{Link, Shape};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use super::bytes::Bytes;
use super::values;

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct Order {
    /// The lines.
    #[arg(max_items = 3)]
    all_lines: Vec<Line>,
    /// Where.
    #[serde(flatten)]
    place: Place,
    /// How.
    how: Option<How>,
    /// Which.
    which: Which,
    /// Who.
    #[serde(default)]
    who: BTreeSet<Who>,
    /// A tree.
    tree: Option<Tree>,
    /// The amount.
    amount: Decimal,
    /// A share.
    share: f64,
    /// A small number.
    small: std::num::NonZeroI16,
    /// Two of them.
    two: [u64; 2],
    /// A letter.
    letter: char,
}

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[allow(dead_code)]
struct Line {
    /// The article.
    #[arg(min_length = 1)]
    sku: String,
    /// How many.
    #[arg(default = 1)]
    qty: u8,
    /// Whether it is a gift.
    #[serde(default)]
    gift: bool,
    /// How heavy it is.
    #[serde(default)]
    weight: f32,
    /// The address.
    from: Option<std::net::Ipv4Addr>,
}

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[allow(dead_code)]
struct Place {
    /// The city.
    city: Option<String>,
    /// The floor.
    floor: i64,
    /// How long.
    stay: Duration,
    /// A page about it.
    page: Option<Url>,
}

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum How {
    /// By road.
    Road {
        /// The wheels.
        wheels: u8,
        /// The load.
        load: Option<Decimal>,
        /// How long.
        time: Duration,
        /// From when on.
        since: DateTime<Utc>,
        /// The waybill.
        id: Uuid,
    },
    /// By sea.
    Sea,
}

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)]
enum Which {
    /// All of them.
    All,
    /// Some.
    Some(VecDeque<String>),
    /// Those between.
    Between {
        /// The first.
        first: f64,
        /// The last.
        last: Option<f64>,
    },
}

#[derive(Debug, Deserialize, Serialize, ToolSchema, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Ada,
    Grace,
}

#[derive(Debug, Deserialize, Serialize, ToolSchema)]
#[allow(dead_code)]
struct Tree {
    /// The value.
    value: u8,
    /// Below it.
    children: Vec<Tree>,
    /// Beside it.
    next: Option<Box<Tree>>,
}

/// A shape that contains itself.
pub(crate) fn tree() -> Link {
    Tree::SHAPE
}

/// All the arguments.
pub(crate) fn order() -> &'static Shape {
    Order::SHAPE.get()
}

pub(crate) fn validator() -> &'static Validator {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| Validator::new(Order::SHAPE.get()).unwrap());
    &VALIDATOR
}

pub(crate) fn check(bytes: &mut Bytes<'_>) {
    for _ in 0..super::VALUES {
        let text = values::value(bytes, Order::SHAPE.get()).to_string();
        let Ok(read) = validator().read(&text) else { continue };
        let order = read.whole::<Order>().unwrap_or_else(|problem| panic!("{text}: {problem}"));
        let again = written(&order);
        // What the tool sees, written back, is the same call.
        let back = validator().read(&again).unwrap_or_else(|invalid| panic!("{text} as {again}: {invalid:?}"));
        assert_eq!((back.to_json(), back.digest()), (read.to_json(), read.digest()), "{text} as {again}");
        read.field::<Vec<Line>>(0).unwrap();
        read.field::<Place>(1).unwrap();
        // What is kept of a call is its one form, which is read again.
        let kept = read.to_json();
        let again = validator().read(&kept).unwrap_or_else(|invalid| panic!("{kept}: {invalid:?}"));
        assert_eq!((again.to_json(), again.digest()), (kept, read.digest()), "{text}");
    }
}

/// The order as JSON. `Decimal` writes itself as a string, which is not what models are asked for.
fn written(order: &Order) -> String {
    let mut value = serde_json::to_value(order).unwrap();
    for pointer in ["/amount", "/how/load"] {
        if let Some(Value::String(digits)) = value.pointer(pointer) {
            *value.pointer_mut(pointer).unwrap() = serde_json::from_str(digits).unwrap();
        }
    }
    in_seconds(&mut value);
    value.to_string()
}

/// serde writes a span as `{secs, nanos}`, which is not what models are asked for either.
fn in_seconds(value: &mut Value) {
    if let (Some(seconds), Some(nanos)) =
        (value.get("secs").and_then(Value::as_u64), value.get("nanos").and_then(Value::as_u64))
    {
        *value = serde_json::from_str(&format!("{seconds}.{nanos:09}")).unwrap();
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(in_seconds),
        Value::Object(fields) => fields.values_mut().for_each(in_seconds),
        _ => {}
    }
}
