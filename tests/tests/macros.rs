//! What the macros make of functions and types.
#![allow(missing_docs)]
use std::sync::Arc;

use agent_core::{CallContext, Offer, Provide, State, Tool, ToolError, ToolSchema, tool, tools};

#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// How many.
    #[arg(minimum = 1)]
    pub how_many: u32,
    /// Parts.
    pub parts: Vec<Line>,
    /// A note.
    #[arg(max_length = 80)]
    pub note: Option<String>,
}

pub struct Ledger;
pub trait Clock: Send + Sync {}
struct Wall;
impl Clock for Wall {}

#[derive(State)]
struct App {
    ledger: Ledger,
    clock: Arc<dyn Clock + Send + Sync>,
    #[state(skip)]
    _rest: u8,
}

/// Records an invoice.
/// In the ledger.
#[tool(name = "recordInvoice", rename_all = "camelCase", mutating, permission = "billing:write", timeout = "5s")]
pub async fn record_invoice(
    /// Name.
    #[arg(min_length = 1, pattern = "^[A-Z]{2}$")]
    client_name: String,
    /// Lines.
    lines: Vec<Line>,
    /// Page.
    #[arg(default = 1, minimum = 1, maximum = 10)]
    page: u8,
    ledger: &Ledger,
    clock: &dyn Clock,
    call: &CallContext,
) -> Result<u32, agent_core::ToolError> {
    let _ = (client_name, lines, ledger, clock, call, page);
    Ok(3)
}

/// Looks.
#[tool]
async fn look() -> u8 {
    3
}

fn needs<S, L: Offer<S>>(_: L, _: &S) {}

#[test]
fn lists() {
    let app = App { ledger: Ledger, clock: Arc::new(Wall), _rest: 0 };
    let _: &Ledger = app.provide();
    needs(tools![record_invoice, look, everything, whole], &app);
    needs(tools![look], &());
    needs(tools![], &());
    assert_eq!(record_invoice::SPEC.name, "recordInvoice");
    assert_eq!(record_invoice::SPEC.description, "Records an invoice.\nIn the ledger.");
}

/// A colour.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    /// Red.
    DarkRed,
    #[serde(alias = "g")]
    Green,
}

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Payment {
    Cash,
    Card {
        /// Number.
        #[arg(min_length = 12)]
        card_number: String,
    },
    Invoice(Line),
}

#[derive(serde::Deserialize, ToolSchema)]
pub enum Either {
    Nothing,
    Left(Sku),
    Right {
        /// A.
        a: Option<Box<Either>>,
    },
}

#[derive(serde::Deserialize, ToolSchema)]
pub struct Sku(String);

#[derive(serde::Deserialize, ToolSchema)]
pub struct Page<T> {
    /// Items.
    pub items: Vec<T>,
    /// Next.
    #[arg(default = 3)]
    pub next: u64,
    /// Order.
    #[serde(default)]
    pub colour: Option<Colour>,
    #[serde(flatten)]
    pub inner: Flat,
    #[serde(skip)]
    pub skipped: u8,
}
impl Default for Colour {
    fn default() -> Self {
        Self::Green
    }
}

#[derive(serde::Deserialize, ToolSchema)]
pub struct Flat {
    /// Deep.
    pub deep: bool,
}

#[derive(Debug, ToolError)]
pub enum BillingError {
    #[tool(business("CREDIT_LIMIT"))]
    Credit { limit: u32 },
    #[tool(fatal, not_done)]
    Io(#[allow(dead_code)] std::io::Error),
    #[tool(fatal)]
    Other,
}
impl std::fmt::Display for BillingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no")
    }
}
impl std::error::Error for BillingError {}

async fn find(_: Page<Payment>, _: Colour, _: Either, _: &Ledger) -> Result<Option<u8>, BillingError> {
    Ok(None)
}

/// Everything.
#[tool(mutating, unrestricted, keyed, reconcile = find, retries = 2, max_calls = 4, approval, providers(agent_core::profile::OPENAI))]
async fn everything(
    /// Page.
    page: Page<Payment>,
    /// Colour.
    #[arg(default = "dark-red", identity)]
    colour: Colour,
    /// Either.
    either: Either,
    _ledger: &Ledger,
) -> Result<u8, BillingError> {
    let _ = (page, colour, either);
    Err(BillingError::Other)
}

/// Whole.
#[tool]
async fn whole(#[arg(flatten)] line: Line) -> u32 {
    line.how_many
}
