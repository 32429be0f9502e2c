//! Tools in modules, in function bodies, in macros and under cfg.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agent_core::{tool, tools};
use billing::record_invoice;

/// Billing.
pub mod billing {
    use agent_core::tool;

    /// Records an invoice.
    #[tool(mutating, permission = "billing:write")]
    pub async fn record_invoice(
        /// Whose.
        client: String,
    ) -> String {
        client
    }

    #[allow(dead_code)]
    /// Is of this module only.
    #[tool]
    pub(super) async fn restricted() {}
}

macro_rules! reader {
    ($name:ident, $ty:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[tool]
        pub async fn $name(
            /// What is read.
            what: $ty,
        ) -> $ty {
            what
        }
    };
}

reader!(read_number, u64, /// Reads a number.
);
reader!(read_text, Option<String>, #[doc = "Reads a text."]
);

/// Is not there.
#[tool]
#[cfg(feature = "off")]
pub async fn absent(
    /// Is no type either.
    it: Missing,
) {
}

/// Has parameters that depend on features.
#[tool]
pub async fn conditional(
    /// Is not there.
    #[cfg(feature = "off")]
    absent: Missing,
    /// Is there.
    #[cfg(feature = "on")]
    present: u64,
    /// Is always there.
    last: u64,
) -> u64 {
    present + last
}

/// Is old.
#[tool]
#[deprecated]
pub async fn old() {}

fn main() {
    /// Is in a body.
    #[tool]
    async fn inner() {}

    let _ = tools![
        billing::record_invoice,
        read_number,
        read_text,
        conditional,
        inner,
    ];
    drop(record_invoice("Ada".into()));
    let _ = tools![];
    let _ = (tools![inner], tools![conditional]);
}
