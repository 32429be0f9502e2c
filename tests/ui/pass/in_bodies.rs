//! Tools in bodies, with names that are there twice.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};

/// Is outside.
#[tool]
pub async fn look_up() -> u8 {
    1
}

fn first() {
    /// Is inside.
    #[tool]
    async fn look_up(
        /// A number.
        number: u32,
    ) -> u32 {
        number
    }
    let _ = tools![look_up];
    {
        #[derive(serde::Deserialize, ToolSchema)]
        struct Order {
            /// The number.
            number: u32,
        }

        /// Is further inside.
        #[tool]
        async fn look_up(
            /// The order.
            order: Order,
        ) -> u32 {
            order.number
        }
        let _ = tools![look_up];
    }
    let list = || {
        /// Is in a closure.
        #[tool]
        async fn closed() {}
        tools![closed, look_up]
    };
    let _ = list();
}

struct Holder;

impl Holder {
    fn list() -> impl Sized {
        /// Is in a method.
        #[tool]
        async fn method() {}
        tools![method]
    }
}

fn main() {
    first();
    let _ = Holder::list();
    let _ = tools![look_up];
}
