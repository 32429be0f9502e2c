use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(&self) -> u8 { //~ a tool is a free function and has no `self`; what it needs of the host is borrowed: `ledger: &Ledger`
    //~^ `self` parameter is only allowed in associated functions
    1
}

fn main() {}
