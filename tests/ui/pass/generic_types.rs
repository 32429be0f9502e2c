//! Types with parameters, and what derives for them.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use std::marker::PhantomData;

use agent_core::{ToolSchema, tool, tools};

/// A page.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Page<T> {
    /// What is on it.
    #[arg(max_items = 10)]
    pub items: Vec<T>,
    /// The next.
    pub next: Option<u32>,
}

/// A pair.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Pair<A, B>
where
    A: Clone,
{
    /// One.
    pub left: A,
    /// Two.
    pub right: B,
}

/// One of two.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
pub enum Either<T> {
    /// This.
    This {
        /// What.
        it: T,
    },
    /// That.
    That,
}

/// An id of something, which has no schema.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(transparent, bound = "")]
pub struct Id<T> {
    text: String,
    of: PhantomData<T>,
}

/// A mark.
pub struct Customer;

/// A row.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Row<const N: usize> {
    /// The cells.
    pub cells: Vec<[u8; 2]>,
}

/// An alias.
pub type Lines = Page<Pair<u32, Either<String>>>;

/// Counts.
#[tool]
pub async fn count(
    /// The lines.
    lines: Lines,
    /// More of them.
    more: Option<Page<bool>>,
    /// Whose.
    id: Id<Customer>,
    /// The row.
    row: Row<3>,
) -> usize {
    let _ = (id.of, row.cells, more.map(|page| page.next));
    lines.items.len() + id.text.len()
}

fn main() {
    let _ = tools![count];
}
