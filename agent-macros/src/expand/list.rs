//! `tools![..]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Path, Token};

use super::assert::stop;
use super::lints;
use crate::paths;

/// The most tools that any provider takes in one request.
const MOST: usize = 128;
/// The longest row that the runtime knows.
const ROW: usize = 16;

/// A value that is its own type, and the check that no two tools of it have one name.
pub(crate) fn tools(list: TokenStream) -> TokenStream {
    match Punctuated::<Path, Token![,]>::parse_terminated.parse2(list) {
        Ok(list) => expand(&list.into_iter().collect::<Vec<_>>()),
        Err(error) => error.to_compile_error(),
    }
}

fn expand(list: &[Path]) -> TokenStream {
    let rt = paths::runtime(None);
    if let Some(over) = list.get(MOST) {
        let message =
            format!("a request takes at most {MOST} tools, this list has {}; give the agent fewer", list.len());
        return syn::Error::new_spanned(over, message).to_compile_error();
    }
    let lints = lints();
    let rows = list.chunks(ROW).map(|row| quote!((#(#row {},)*)));
    let specs = list.iter().map(|tool| quote!(#rt::check::spec(&#tool {})));
    let checks = list
        .iter()
        .enumerate()
        .skip(1)
        .map(|(index, tool)| stop(&rt, tool, &quote!(#rt::check::duplicate(__TOOLS, #index))));
    quote! {{
        #lints
        const _: () = {
            const __TOOLS: &[&'static #rt::ToolSpec] = &[#(#specs),*];
            #(#checks)*
        };
        #rt::Tools((#(#rows,)*))
    }}
}
