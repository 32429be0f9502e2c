//! `#[tool]` on a function of a type.

use agent_core::tool;

struct Orders;

impl Orders {
    /// Looks up an order.
    #[tool] //~ `const` items in this context need a name
    //~^ the trait `Copy` cannot be implemented for this type
    async fn look_up() -> u8 { //~ struct is not supported in `trait`s or `impl`s
        //~^ cannot find type `look_up` in this scope
        //~^^ cannot find function `look_up` in this scope
        1
    }
}

fn main() {
    drop(Orders::look_up());
}
