//! The function, and the struct beside it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ItemFn;

use crate::model::{Tool, bare};

/// The most parameters that clippy likes a function to have.
const MANY: usize = 7;

/// The user's function; tools have as many parameters as their arguments have, and are `async` even if they wait for
/// nothing.
pub(crate) fn emitted(function: &ItemFn) -> TokenStream {
    let many = (function.sig.inputs.len() > MANY).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let body = &function.block;
    let waits = waits(quote!(#body));
    let unused = (!waits).then(|| quote!(#[allow(clippy::unused_async)]));
    quote!(#many #unused #function)
}

/// Whether there may be an `.await` in it.
fn waits(body: TokenStream) -> bool {
    body.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "await",
        TokenTree::Group(group) => waits(group.stream()),
        _ => false,
    })
}

/// The struct beside the function. Braced, so that it is in the type namespace only and one `use` brings both.
pub(crate) fn handle(tool: &Tool) -> TokenStream {
    let name = tool.handle();
    let vis = &tool.function.vis;
    let attrs = tool.function.attrs.iter().filter(|attr| {
        let path = attr.path();
        path.is_ident("cfg") || path.is_ident("deprecated")
    });
    let doc = format!("The tool [`{0}()`](fn@{0}), for `tools!`.", tool.function.sig.ident);
    // Where something else has the name, rustc says so here; its case and whether it is used are not the user's.
    let place = Span::call_site().located_at(name.span());
    let mut named = name.clone();
    named.set_span(place);
    let item = quote_spanned!(place=> struct #named {});
    quote!(#(#attrs)* #[doc = #doc] #vis #item)
}

/// What the struct is beside a tool, under the name of `__Handle`.
///
/// Only this names the struct: where something else has its name, that is one more message and not one for each impl.
pub(crate) fn handle_impls(tool: &Tool) -> TokenStream {
    let name = tool.handle();
    let text = bare(name);
    quote! {
        type __Handle = #name;
        #[automatically_derived]
        impl ::core::clone::Clone for __Handle {
            fn clone(&self) -> Self {
                *self
            }
        }
        #[automatically_derived]
        impl ::core::marker::Copy for __Handle {}
        #[automatically_derived]
        impl ::core::fmt::Debug for __Handle {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __f.write_str(#text)
            }
        }
    }
}
