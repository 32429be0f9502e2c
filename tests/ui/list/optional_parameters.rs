//! More optional parameters than a provider takes.

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
                $field: Option<u8>,
            )*
        ) {
            let _ = ($($field,)*);
        }
    };
}

many!(first second third; (a b c d e f g h i));

fn main() {
    let _ = tools![first, second, third]; //~ optional parameters over all strict tools
}
