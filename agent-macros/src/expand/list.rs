//! `tools![..]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Path, Token};

use super::assert::{ends, stop};
use crate::paths;

/// The most tools that any provider takes in one request.
const MOST: usize = 128;
/// The longest row that the runtime knows.
const ROW: usize = 16;

/// A value that is its own type, and the check that no two tools of it have one name.
pub(crate) fn tools(list: TokenStream) -> TokenStream {
    match syn::parse2::<List>(list) {
        Ok(list) => expand(&list),
        Err(error) => error.to_compile_error(),
    }
}

/// `a, b::c`, or `crate = path; a, b::c` where the runtime has another name.
struct List {
    krate: Option<Path>,
    tools: Vec<Path>,
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut krate = None;
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            krate = Some(input.call(Path::parse_mod_style)?);
            input.parse::<Token![;]>()?;
        }
        let tools = Punctuated::<Path, Token![,]>::parse_terminated(input)?;
        Ok(Self { krate, tools: tools.into_iter().collect() })
    }
}

fn expand(list: &List) -> TokenStream {
    let rt = paths::runtime(list.krate.as_ref());
    let list = &list.tools;
    if let Some(over) = list.get(MOST) {
        let message =
            format!("a request takes at most {MOST} tools, this list has {}; give the agent fewer", list.len());
        return syn::Error::new_spanned(over, message).to_compile_error();
    }
    let rows = list.chunks(ROW).map(|row| quote!((#(#row {},)*)));
    let specs = list.iter().map(|tool| {
        // What is no tool is told there.
        let (first, _) = ends(tool);
        let rt = paths::at(&rt, first);
        quote_spanned!(first=> #rt::check::spec(&#tool {}))
    });
    let checks = list.iter().enumerate().map(|(index, tool)| {
        let twice = stop(&rt, tool, &quote!(#rt::check::duplicate(__TOOLS, #index)));
        let sums = stop(&rt, tool, &quote!(#rt::check::list(__TOOLS, #index, __FITS)));
        quote!(#twice #sums)
    });
    quote! {{
        const _: () = {
            const __TOOLS: &[&'static #rt::ToolSpec] = &[#(#specs),*];
            const __FITS: bool = #rt::check::fits(__TOOLS);
            #(#checks)*
        };
        #rt::Tools((#(#rows,)*))
    }}
}
