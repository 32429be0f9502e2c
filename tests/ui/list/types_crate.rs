use agent_core::{profile, tool, tools};

macro_rules! tools_of {
    ($($name:ident)*) => {$(
        /// One of many.
        #[tool(providers(profile::ANTHROPIC))]
        async fn $name(
            /// What it takes.
            value: agent_tests_shapes::Unions,
        ) -> bool {
            let _ = value;
            true
        }
    )*};
}

tools_of!(a b c);

fn main() {
    let _ = tools![
        a, b,
        c, //~ a request with these tools has 18 parameters of several types over all strict tools, and Anthropic takes 16; use fewer enums
    ];
}
