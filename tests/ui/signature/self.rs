use agent_core::tool;

struct Shop;

impl Shop {
    /// Looks up an order.
    #[tool]
    async fn look_up(&self) -> u8 { //~ a tool is a free function and has no `self`; what it needs of the host is borrowed: `ledger: &Ledger`
        1
    }
}

fn main() {}
