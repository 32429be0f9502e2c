use agent_core::{tool, tools};

mod crm {
    /// Looks up a customer.
    #[agent_core::tool]
    pub async fn look_up() -> u8 {
        1
    }
}

/// Looks up an order.
#[tool]
async fn look_up() -> u8 {
    1
}

fn main() {
    let _ = tools![
        look_up,
        crm::look_up, //~ two tools in this list are named `look_up`; list it once, or
    ];
}
