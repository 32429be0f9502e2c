use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up_an_order_by_the_number_that_was_printed_on_the_invoice_of_it() -> u8 {
    //~^ a tool's name has 1 to 64 characters, this one has 68; give it another with `#[tool(name = "..")]`
    1
}

fn main() {}
