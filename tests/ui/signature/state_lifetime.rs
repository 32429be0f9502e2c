//! A state with a lifetime, and an argument with one.

use std::borrow::Cow;

use agent_core::tool;

struct Books<'a>(&'a str);

/// Looks up an order.
#[tool]
async fn look_up<'a>( //~ a tool has no lifetimes; what it borrows is lent for the call
    books: &Books<'a>, //~ state is lent to tools for as long as the agent lives; a type with a lifetime cannot be
    /// Which.
    id: Cow<'a, str>, //~ what the model fills in is owned; take a type without a lifetime
) {
    let _ = (books.0, id);
}

fn main() {}
