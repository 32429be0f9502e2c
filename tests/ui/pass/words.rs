//! Every word of the attributes.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use std::sync::Arc;

use agent_core::{BusinessError, CallContext, Offer, State, ToolSchema, profile, tool, tools};
use rust_decimal::Decimal;

/// Tells the time.
pub trait Clock: Send + Sync {}

/// A ledger.
pub struct Ledger;

/// What tools borrow.
#[derive(State)]
pub struct App(Ledger, Arc<dyn Clock + Send + Sync>, #[state(skip)] u8, Box<u16>);

/// A request.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrder {
    /// Who orders.
    #[arg(min_length = 1, max_length = 80, pattern = "^[^<>]+$", example = "Ada")]
    pub client_name: String,
    /// What is ordered.
    #[arg(min_items = 1, max_items = 10)]
    pub lines: Vec<Line>,
    /// A mail address.
    #[serde(default)]
    #[arg(format = "email")]
    pub mail: Option<String>,
}

/// A line.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Line {
    /// What.
    pub sku: Sku,
    /// How many.
    #[arg(minimum = 1, maximum = 1_000, default = 1)]
    pub qty: u32,
    /// Lines below it.
    #[serde(rename = "sub-lines", alias = "subLines", default)]
    pub sub: Vec<Line>,
}

/// A name that is read as it is written.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Sku(pub String);

/// The same, by word.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(transparent)]
pub struct Batch {
    /// The number.
    pub number: Option<u32>,
}

/// A type of no schema.
#[derive(serde::Deserialize)]
pub struct Foreign(pub String);

/// Finds an order.
pub async fn find_order(_: NewOrder, _: &Ledger, _: &CallContext) -> Result<Option<u32>, BusinessError> {
    Ok(None)
}

/// Orders.
#[tool(
    name = "place-order",
    mutating,
    permission = "orders:write",
    timeout = "1500ms",
    approval,
    max_calls = 3,
    keyed,
    retries = 2,
    duplicates = "replay",
    reconcile = find_order,
    providers(profile::OPENAI),
    allow(long_description)
)]
pub async fn place_order(
    #[arg(flatten)] order: NewOrder,
    ledger: &Ledger,
    call: &CallContext,
) -> Result<u32, BusinessError> {
    let _ = (order.client_name, order.lines, order.mail, ledger, call);
    Ok(1)
}

/// Counts.
#[tool(rename_all = "SCREAMING-KEBAB-CASE", strict = false, crate = ::agent_core)]
pub async fn count(
    /// A price.
    #[arg(exclusive_minimum = 0, multiple_of = 0.01, maximum = 1e6, default = 0.50)]
    unit_price: Decimal,
    /// A share.
    #[arg(minimum = -1e300, exclusive_maximum = 1.5)]
    share: f64,
    /// A flag.
    #[arg(default = true, rename = "flag?")]
    flag: bool,
    /// Names.
    #[arg(default = ["a", "b"], max_items = 2)]
    names: Vec<String>,
    /// Of another crate.
    #[arg(as_type = String)]
    foreign: Foreign,
    /// A batch.
    batch: Batch,
    clock: &dyn Clock,
    again: &dyn Clock,
    small: &u16,
) -> u32 {
    let _ = (unit_price, share, flag, names, foreign.0, batch.number, clock, again, small);
    1
}

/// Gives itself as state.
#[tool]
pub async fn same(app: &App) -> u8 {
    app.2
}

/// Takes lists that are attached.
pub fn needs<S, L: Offer<S>>(_: L, _: &S) {}

struct Wall;
impl Clock for Wall {}

fn main() {
    let app = App(Ledger, Arc::new(Wall), 1, Box::new(1));
    needs(tools![place_order, count, same], &app);
    needs((tools![place_order], tools![crate = ::agent_core; count]), &app);
}
