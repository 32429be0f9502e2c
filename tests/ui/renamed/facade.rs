//! A crate whose users know the runtime through it only, from macros of its own.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

/// What users of this crate see of the runtime.
pub mod facade {
    pub use agents;
}

/// Writes a tool.
#[macro_export]
macro_rules! reader {
    ($name:ident -> $ty:ty) => {
        /// Reads.
        #[$crate::facade::agents::tool(crate = $crate::facade::agents)]
        pub async fn $name(
            /// What.
            what: $ty,
        ) -> $ty {
            what
        }
    };
}

/// Lists tools.
#[macro_export]
macro_rules! list {
    ($($tool:ident),*) => { $crate::facade::agents::tools![crate = $crate::facade::agents; $($tool),*] };
}

reader!(read_number -> u32);
reader!(read_text -> Option<String>);

fn main() {
    let _ = list![read_number, read_text];
}
