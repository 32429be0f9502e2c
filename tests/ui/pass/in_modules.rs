//! Tools of many places and visibilities, brought by one `use` each.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::tools;
use outer::inner::{deep, renamed as other};
use outer::*;

/// Outside.
pub mod outer {
    use agent_core::tool;

    pub use self::inner::deep as reexported;

    /// Is plain.
    #[tool]
    pub async fn plain() {}

    /// Is of the crate.
    #[tool]
    pub(crate) async fn of_crate() {}

    /// Is of a path.
    #[tool]
    pub(in crate::outer) async fn of_path() {}

    /// Inside.
    pub mod inner {
        use agent_core::tool;

        /// Is deep.
        #[tool]
        pub async fn deep() {}

        /// Has another name.
        #[tool]
        pub async fn renamed() {}

        /// Is of the parent.
        #[tool]
        pub(super) async fn of_parent() {}
    }

    /// Lists those that are hidden.
    pub fn hidden() -> impl Sized {
        agent_core::tools![of_path, inner::of_parent]
    }
}

fn main() {
    let _ = tools![plain, of_crate, deep, other];
    let _ = outer::hidden();
    let _ = tools![outer::reexported];
    let _ = tools![crate::outer::inner::deep];
    drop(other());
}
