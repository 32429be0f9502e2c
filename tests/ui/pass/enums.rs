//! Enums of all forms that have a schema.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};

/// A list.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Later.
    #[serde(alias = "later")]
    NotNow,
    /// Now.
    #[serde(rename = "NOW")]
    Now,
    /// Of the host.
    #[serde(skip)]
    Never,
}

/// With keys.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all_fields = "camelCase")]
pub enum Payment {
    /// By card.
    Card {
        /// The number.
        #[arg(pattern = "^[0-9]+$")]
        card_number: String,
    },
    /// By account.
    Account(Account),
    /// Not at all.
    Free,
}

/// An account.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Account {
    /// The number.
    pub iban: String,
}

/// With a tag.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Filter {
    /// All.
    All,
    /// By age.
    Age {
        /// Days.
        days: u16,
    },
    /// By account.
    Account(Account),
}

/// Pays.
#[tool]
pub async fn pay(
    /// How soon.
    #[arg(default = "not_now")]
    priority: Priority,
    /// How.
    payment: Payment,
    /// Which.
    filters: Vec<Filter>,
) -> usize {
    let _ = (priority, payment);
    filters.len()
}

fn main() {
    let _ = tools![pay];
}
