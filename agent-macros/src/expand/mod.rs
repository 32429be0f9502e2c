//! What is generated.

mod assert;
mod error;
mod field;
mod list;
mod schema;
mod state;
mod tool;

pub(crate) use assert::stop;
pub(crate) use error::tool_error;
pub(crate) use list::tools;
pub(crate) use schema::tool_schema;
pub(crate) use state::state;
pub(crate) use tool::{emitted, handle, tool};

use proc_macro2::TokenStream;
use quote::quote;

/// Generated code follows no one's lints but ours.
pub(crate) fn lints() -> TokenStream {
    quote!(#[allow(unused, deprecated, missing_docs, unreachable_pub, non_camel_case_types, non_upper_case_globals, clippy::all, clippy::pedantic)])
}
