//! What the attribute says, as data of the runtime.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::Expansion;
use crate::attr::{Access, Duplicates};
use crate::expand::field;

impl Expansion<'_> {
    pub(super) fn spec(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let attr = &tool.attr;
        let name = tool.name();
        let description = &tool.doc;
        let effect = self.effect();
        let permission = match tool.access() {
            Some(Access::Needs(role)) => field::some(role.to_token_stream()),
            Some(Access::Open) | None => field::none(),
        };
        let timeout = attr
            .timeout
            .get()
            .map_or_else(field::none, |millis| field::some(quote!(::core::time::Duration::from_millis(#millis))));
        let approval = attr.approval.is_given();
        let max_calls = attr.max_calls.get().map_or_else(field::none, |calls| field::some(calls.to_token_stream()));
        let retries = attr.retries.get().copied().unwrap_or(0);
        let strict = attr.strict.get().copied().unwrap_or(true);
        let profiles = self.profiles();
        quote! {
            #rt::ToolSpec {
                name: #name,
                description: #description,
                arguments: __ARGUMENTS,
                effect: #effect,
                permission: #permission,
                timeout: #timeout,
                approval: #approval,
                max_calls: #max_calls,
                retries: #retries,
                strict: #strict,
                profiles: &[#(&#profiles),*],
            }
        }
    }

    fn effect(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        if !tool.attr.mutating.is_given() {
            return quote!(#rt::Effect::Read);
        }
        let duplicates = match tool.attr.duplicates.get() {
            Some(Duplicates::Allow) => quote!(Allow),
            Some(Duplicates::Replay) | None => quote!(Replay),
        };
        let keyed = tool.attr.keyed.is_given();
        let reconciles = tool.attr.reconcile.is_given();
        quote! {
            #rt::Effect::Mutating {
                duplicates: #rt::Duplicates::#duplicates,
                keyed: #keyed,
                reconciles: #reconciles,
            }
        }
    }

    pub(super) fn profiles(&self) -> Vec<TokenStream> {
        let rt = &self.rt;
        match self.tool.attr.providers.get() {
            Some(paths) => paths.iter().map(ToTokens::to_token_stream).collect(),
            None => vec![quote!(#rt::profile::OPENAI)],
        }
    }
}
