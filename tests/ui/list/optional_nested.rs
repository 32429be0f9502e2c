use agent_core::{ToolSchema, profile, tool, tools};
use agent_tests_shapes::Optionals;

#[derive(serde::Deserialize, ToolSchema)]
struct Nested {
    /// Further in.
    _value: Optionals,
}

macro_rules! tools_of {
    ($($name:ident)*) => {$(
        /// One of many.
        #[tool(providers(profile::ANTHROPIC))]
        async fn $name(
            /// What it takes.
            value: Nested,
        ) -> bool {
            let _ = value;
            true
        }
    )*};
}

tools_of!(a b c d e);

fn main() {
    let _ = tools![
        a, b, c, d,
        e, //~ a request with these tools has 25 optional parameters over all strict tools, and Anthropic takes 24; make some of them required
    ];
}
