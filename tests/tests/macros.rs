//! What the macros make of functions and types.
#![allow(missing_docs)]
use std::sync::Arc;

use agent_core::{CallContext, Offer, Provide, State, Tool, ToolSchema, tool, tools};

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
    needs(tools![record_invoice, look], &app);
    needs(tools![look], &());
    needs(tools![], &());
    assert_eq!(record_invoice::SPEC.name, "recordInvoice");
    assert_eq!(record_invoice::SPEC.description, "Records an invoice.\nIn the ledger.");
}
