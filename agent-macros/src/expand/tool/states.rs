//! What the state must hold for the tool to be called.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Type};

use super::Expansion;
use crate::model::Source;
use crate::parameter::is_same;
use crate::paths;

/// The bounds on the state, and the traits that some of them name.
pub(super) struct States {
    pub(super) items: TokenStream,
    pub(super) bounds: Vec<TokenStream>,
}

impl States {
    /// What the tool borrows, each type once.
    pub(super) fn of(expansion: &Expansion<'_>) -> Self {
        let mut states = Self { items: TokenStream::new(), bounds: Vec::new() };
        let mut plain: Vec<&Type> = Vec::new();
        for param in &expansion.tool.params {
            let Source::State(ty) = &param.source else { continue };
            if !param.cfgs.is_empty() {
                states.conditional(&expansion.rt, ty, &param.cfgs);
            } else if !plain.iter().any(|before| is_same(before, ty)) {
                plain.push(ty);
                states.bounds.push(provides(&expansion.rt, ty));
            }
        }
        states
    }

    /// A bound takes no `#[cfg]`, so one that depends on it is a trait that asks for nothing otherwise.
    fn conditional(&mut self, rt: &TokenStream, ty: &Type, cfgs: &[Attribute]) {
        let name = Ident::new(&format!("__Lends{}", self.bounds.len()), Span::mixed_site());
        let provides = provides(rt, ty);
        let conditions = cfgs.iter().filter_map(|attr| attr.meta.require_list().ok()).map(|list| &list.tokens);
        let otherwise = match &conditions.collect::<Vec<_>>()[..] {
            [one] => quote!(#[cfg(not(#one))]),
            all => quote!(#[cfg(not(all(#(#all),*)))]),
        };
        self.items.extend(quote! {
            #(#cfgs)*
            pub trait #name: #provides {}
            #(#cfgs)*
            impl<__S: #provides> #name for __S {}
            #otherwise
            pub trait #name {}
            #otherwise
            impl<__S> #name for __S {}
        });
        self.bounds.push(name.to_token_stream());
    }
}

fn provides(rt: &TokenStream, ty: &Type) -> TokenStream {
    let rt = paths::at(rt, ty.span());
    quote_spanned!(ty.span()=> #rt::Provide<#ty>)
}
