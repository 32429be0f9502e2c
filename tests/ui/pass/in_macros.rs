//! Tools and types that `macro_rules!` writes.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{State, ToolError, ToolSchema, tool, tools};

macro_rules! order {
    ($(#[$attr:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty = $default:literal),* $(,)? }) => {
        $(#[$attr])*
        #[derive(serde::Deserialize, ToolSchema)]
        pub struct $name {
            $($(#[$doc])* #[arg(default = $default)] pub $field: $ty,)*
        }
    };
}

order! {
    /// An order.
    Order {
        /// How many.
        count: u32 = 1,
        /// Whose.
        owner: String = "nobody",
    }
}

macro_rules! crud {
    ($state:ty; $($read:ident, $write:ident, $permission:literal, $output:ty;)*) => {$(
        /// Reads.
        #[tool]
        pub async fn $read(state: &$state) -> $output {
            let _ = state;
            <$output>::default()
        }

        /// Writes.
        #[tool(mutating, permission = $permission, timeout = "2s")]
        pub async fn $write(
            /// What.
            value: $output,
            state: &$state,
        ) -> $output {
            let _ = state;
            value
        }
    )*};
}

/// A store.
#[derive(State)]
pub struct Store(u8);

crud! {
    Store;
    read_count, write_count, "count:write", u32;
    read_name, write_name, "name:write", Option<String>;
}

macro_rules! failure {
    ($name:ident, $code:literal) => {
        /// Fails.
        #[derive(Debug, ToolError)]
        #[tool(business($code))]
        pub struct $name;

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($code)
            }
        }

        impl std::error::Error for $name {}
    };
}

failure!(Gone, "GONE");

macro_rules! list {
    ($($tool:path),*) => { tools![$($tool),*] };
}

/// Orders.
#[tool]
pub async fn order(#[arg(flatten)] order: Order) -> Result<u32, Gone> {
    if order.owner.is_empty() { Err(Gone) } else { Ok(order.count) }
}

fn main() {
    let _ = list![read_count, write_count, read_name, write_name, self::order];
    let _ = Store(1).0;
}
