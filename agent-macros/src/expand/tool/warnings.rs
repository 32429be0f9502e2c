//! What is neither an error nor right.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::Expansion;
use crate::expand::assert::ends;
use crate::expand::lints;
use crate::model::Field;
use crate::symbol::{self, Symbol};

impl Expansion<'_> {
    /// What is neither an error nor right: a deprecated constant is the only warning that a macro can give.
    pub(super) fn warning(&self) -> Option<TokenStream> {
        const LONGEST: usize = 1024;
        if self.tool.attr.allow.contains(&symbol::LONG_DESCRIPTION) {
            return None;
        }
        let cfgs = &self.cfgs;
        let used = Ident::new("LONG_DESCRIPTION", self.tool.function.sig.ident.span());
        let Some(length) = self.tool.doc.len() else {
            // What a macro such as `include_str!` gives is known to a constant only.
            let (rt, doc) = (&self.rt, &self.tool.doc);
            return Some(quote! {
                #(#cfgs)*
                const _: () = #rt::When::<{ #rt::check::is_long(#doc) }>::#used;
            });
        };
        if length <= LONGEST {
            return None;
        }
        let note = format!(
            "this description has {length} characters, and older deployments of OpenAI and Azure answer HTTP 400 over {LONGEST}; shorten it, or write `#[tool(allow(long_description))]`"
        );
        Some(quote! {
            #(#cfgs)*
            const _: () = {
                #[deprecated(note = #note)]
                const #used: () = ();
                #used
            };
        })
    }

    /// A warning at each parameter that has, or holds what has, a long description.
    pub(super) fn long_parameters(&self) -> Option<TokenStream> {
        let at = |parameter: &Field| parameter.ident.span();
        self.at_each_parameter(symbol::LONG_DESCRIPTION, "LONG_PARAMETER", at, &quote!(is_long_below))
    }

    /// A warning at each parameter that holds integers beyond 2^53, which only the shape of its type tells.
    pub(super) fn wide_integers(&self) -> Option<TokenStream> {
        let at = |parameter: &Field| ends(parameter.shape_type()).0;
        self.at_each_parameter(symbol::WIDE_INTEGERS, "WIDE_INTEGER", at, &quote!(is_wide))
    }

    /// The warning `used` at each parameter of which the constant function `check` holds, unless `word` allows it.
    fn at_each_parameter(
        &self,
        word: Symbol,
        used: &str,
        at: impl Fn(&Field) -> Span,
        check: &TokenStream,
    ) -> Option<TokenStream> {
        if self.tool.attr.allow.contains(&word) {
            return None;
        }
        let Self { rt, tool, cfgs } = self;
        let handle = tool.handle();
        let lints = lints(&tool.function.attrs);
        let warnings = tool.fields().map(|parameter| {
            let wire = if parameter.arg.flatten.is_given() { quote!("") } else { parameter.wire.to_token_stream() };
            let used = Ident::new(used, at(parameter));
            let own = &parameter.cfgs;
            quote! {
                #(#cfgs)*
                #(#own)*
                const _: () = {
                    #lints
                    const __HOLDS: bool = #rt::check::#check(<#handle as #rt::Tool>::SPEC, #wire);
                    #rt::When::<__HOLDS>::#used
                };
            }
        });
        Some(quote!(#(#warnings)*))
    }
}
