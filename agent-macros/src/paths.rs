//! The one place that names the runtime.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// Where generated code finds what it needs: `::agent_core::__private`, or that of `crate = path`.
pub(crate) fn runtime(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(path) => quote!(#path::__private),
        None => quote!(::agent_core::__private),
    }
}
