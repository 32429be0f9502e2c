use agent_core::tool;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up<'a>(store: &Store) -> u8 { //~ a tool has no lifetimes; what it borrows is lent for the call: `ledger: &Ledger`
    let _ = store;
    1
}

fn main() {}
