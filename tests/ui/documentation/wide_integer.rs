#![deny(deprecated)]

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Its number.
    _number: Option<u64>,
}

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    order: u64, //~ integers beyond 2^53 come rounded from what reads JSON numbers as floats
    /// The lines.
    lines: Vec<Line>, //~ integers beyond 2^53
    /// The page.
    #[arg(maximum = 1000)]
    page: u64,
    /// The year.
    year: u32,
) -> u8 {
    let _ = (order, lines, page, year);
    1
}

/// Looks up an order.
#[tool(allow(wide_integers))]
async fn look_again(
    /// The order.
    order: u64,
) -> u8 {
    let _ = order;
    1
}

fn main() {}
