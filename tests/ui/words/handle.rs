use agent_core::tool;

mod look_up {}

/// Looks up an order.
#[tool] //~ the trait `Copy` cannot be implemented for this type
async fn look_up() -> u8 {
    //~^ the name `look_up` is defined multiple times
    //~^^ expected type, found module `look_up`
    1
}

fn main() {}
