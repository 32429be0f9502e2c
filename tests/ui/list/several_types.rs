//! More parameters of several types than a provider takes.

use agent_core::{profile, tool, tools};

macro_rules! many {
    ($($tool:ident)*; $fields:tt) => {$( one!($tool $fields); )*};
}

macro_rules! one {
    ($tool:ident ($($field:ident)*)) => {
        /// Has many.
        #[tool(providers(profile::ANTHROPIC))]
        async fn $tool(
            $(
                /// One of many.
                $field: Vec<Option<u8>>,
            )*
        ) {
            let _ = ($($field,)*);
        }
    };
}

many!(first second third; (a b c d e f));

fn main() {
    let _ = tools![first, second, third]; //~ parameters of several types over all strict tools
}
