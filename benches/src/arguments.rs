//! Arguments of some size and some depth, and the tools that take them.

use std::fmt::Write as _;

use agent_core::{ToolSchema, tool};
use serde::Deserialize;

/// Grows in size.
#[derive(Deserialize, ToolSchema)]
pub struct Invoice {
    /// Who pays.
    #[arg(min_length = 1, max_length = 80)]
    pub client: String,
    /// A currency.
    #[arg(pattern = "^[A-Z]{3}$")]
    pub currency: String,
    /// The lines.
    #[arg(max_items = 1000)]
    pub lines: Vec<Line>,
    /// A note.
    pub note: Option<String>,
}

/// Part of an [`Invoice`].
#[derive(Deserialize, ToolSchema)]
pub struct Line {
    /// The article.
    pub sku: String,
    /// How many.
    #[arg(minimum = 1)]
    pub quantity: u32,
    /// The price of one.
    #[arg(exclusive_minimum = 0)]
    pub price: f64,
    /// How it is sent.
    pub way: Option<Way>,
}

/// Part of a [`Line`].
#[derive(Deserialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By road.
    Road,
    /// By sea.
    Sea,
}

/// Grows in depth.
#[derive(Deserialize, ToolSchema)]
pub struct Folder {
    /// Its name.
    #[arg(min_length = 1)]
    pub name: String,
    /// What is in it.
    pub inside: Option<Box<Folder>>,
}

/// Looks at an invoice.
#[tool]
pub async fn look(#[arg(flatten)] invoice: Invoice) -> usize {
    invoice.lines.len()
}

/// Books an invoice; twice the same is twice booked.
#[tool(mutating, unrestricted, duplicates = "allow")]
pub async fn book(#[arg(flatten)] invoice: Invoice) -> usize {
    invoice.lines.len()
}

/// Opens a folder.
#[tool]
pub async fn open(#[arg(flatten)] folder: Folder) -> String {
    folder.name
}

/// An invoice of so many lines.
pub fn invoice(lines: usize) -> String {
    let mut text = r#"{"client":"Ada Lovelace","currency":"GBP","lines":["#.to_owned();
    for index in 0..lines {
        let comma = if index == 0 { "" } else { "," };
        write!(text, r#"{comma}{{"sku":"A-{index}","quantity":{},"price":{}.25,"way":"sea"}}"#, index + 1, index)
            .unwrap();
    }
    text + r#"],"note":null}"#
}

/// So many folders, each in the one before.
pub fn folder(depth: usize) -> String {
    let mut text = String::new();
    for level in 1..depth {
        write!(text, r#"{{"name":"folder {level}","inside":"#).unwrap();
    }
    write!(text, r#"{{"name":"the last","inside":null"#).unwrap();
    text + &"}".repeat(depth)
}
