//! Lists: empty, long, nested, of one's own, kept and used twice.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{Offer, tool, tools};

macro_rules! many {
    ($($name:ident)*) => {$(
        /// One of many.
        #[tool]
        pub async fn $name() {}
    )*};
}

many!(a b c d e f g h i j k l m n o p q r s t);

/// Takes lists that are attached.
pub fn needs<L: Offer<()>>(_: &L) {}

fn main() {
    needs(&tools![]);
    let all = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t,];
    needs(&all);
    let copy = all;
    needs(&all);
    needs(&(copy, (tools![], ())));
    let _ = format!("{:?} {:?}", tools![a, b], a {});
}
