//! More strict tools than a provider takes.

use agent_core::{profile, tool, tools};

macro_rules! many {
    ($($name:ident)*) => {$(
        /// One of many.
        #[tool(providers(profile::ANTHROPIC))]
        async fn $name() {}
    )*};
}

many!(a b c d e f g h i j k l m n o p q r s t u);

fn main() {
    let _ = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u]; //~ a request with these tools has 21 strict tools
}
