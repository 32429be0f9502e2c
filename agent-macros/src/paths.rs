//! The one place that names the runtime.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::Path;

/// Where generated code finds what it needs: `::agent_core::__private`, or that of `crate = path`.
pub(crate) fn runtime(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(path) => quote!(#path::__private),
        None => quote!(::agent_core::__private),
    }
}

/// The same path, underlined at `span`.
///
/// rustc shows tokens of two origins as the whole attribute, so they take the origin of `span` too; all but
/// `$crate`, which means what it says only where it comes from.
pub(crate) fn at(rt: &TokenStream, span: Span) -> TokenStream {
    let tokens = rt.clone().into_iter().map(|mut token| {
        let is_crate = matches!(&token, TokenTree::Ident(ident) if ident == "$crate");
        if !is_crate {
            token.set_span(span);
        }
        token
    });
    tokens.collect()
}
