//! Type parameters of a derived type.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{DeriveInput, GenericParam, Ident, Type};

use crate::ctxt::Ctxt;
use crate::expand::fields;
use crate::parameter::last;

/// The type parameters, and the name that must not come back inside the type.
pub(super) struct Generics<'a> {
    input: &'a DeriveInput,
    names: HashSet<&'a Ident>,
}

impl<'a> Generics<'a> {
    pub(super) fn of(cx: &Ctxt, input: &'a DeriveInput) -> Self {
        let mut names = HashSet::new();
        for parameter in &input.generics.params {
            match parameter {
                GenericParam::Type(parameter) => {
                    names.insert(&parameter.ident);
                }
                GenericParam::Const(parameter) => {
                    names.insert(&parameter.ident);
                }
                GenericParam::Lifetime(lifetime) => {
                    cx.error(lifetime, "what the model fills in is owned; a type with a lifetime has no schema");
                }
            }
        }
        Self { input, names }
    }

    /// Whether there are none at all, not even lifetimes.
    pub(super) fn are_none(&self) -> bool {
        self.input.generics.params.is_empty()
    }

    pub(super) fn is_generic(&self) -> bool {
        !self.names.is_empty()
    }

    /// The type parameters whose schema matters: not those that stand in a `PhantomData` only.
    pub(super) fn types(&self) -> impl Iterator<Item = &'a Ident> {
        let parameters = self.input.generics.type_params().map(|parameter| &parameter.ident);
        parameters.filter(|parameter| {
            let mut held = fields(self.input).filter(|field| last(&field.ty).as_deref() != Some("PhantomData"));
            held.any(|field| mentions(&field.ty, |name| name == *parameter))
        })
    }

    /// The id of the type with its arguments, made of the id of the generic type.
    pub(super) fn mixed(&self, rt: &TokenStream, mut id: TokenStream) -> TokenStream {
        for parameter in self.types() {
            id = quote!(#rt::check::mixed(#id, <#parameter as #rt::ToolSchema>::SHAPE));
        }
        for parameter in self.input.generics.const_params().map(|parameter| &parameter.ident) {
            // An integer, a boolean or a character: each has a `u64` that tells it from others.
            id = quote!(#rt::check::valued(#id, #parameter as u64));
        }
        id
    }

    /// The bounds that the type has, and `ToolSchema` for each type parameter.
    pub(super) fn bounds(&self, rt: &TokenStream) -> TokenStream {
        let given = self.input.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        let given = given.map(ToTokens::to_token_stream);
        let ours = self.types().map(|parameter| quote!(#parameter: #rt::ToolSchema));
        let all: Vec<TokenStream> = given.chain(ours).collect();
        if all.is_empty() { TokenStream::new() } else { quote!(where #(#all),*) }
    }

    /// Whether `ty` depends on a type parameter, so that nothing is known of it here.
    pub(super) fn is_in(&self, ty: &Type) -> bool {
        self.is_generic() && mentions(ty, |name| self.names.contains(name))
    }

    /// `struct Tree(Vec<Tree>)`: the shape is that of what it holds, so it would be its own.
    pub(super) fn check_holds_other(&self, cx: &Ctxt, ty: &Type) {
        let own = |name: &Ident| *name == self.input.ident || name == "Self";
        if mentions(ty, own) {
            let name = &self.input.ident;
            cx.error(
                ty,
                format!("`{name}` is what it holds, and holds itself; name the field: `struct {name} {{ items: .. }}`"),
            );
        }
    }

    /// `struct Tree<T> { kids: Vec<Tree<T>> }`
    pub(super) fn check_not_recursive(&self, cx: &Ctxt, ty: &Type) {
        if self.is_generic() && mentions(ty, |name| *name == self.input.ident || name == "Self") {
            cx.error(ty, "a generic type that contains itself has no schema; make it non-generic");
        }
    }
}

fn mentions(ty: &Type, is: impl Fn(&Ident) -> bool) -> bool {
    struct Search<F> {
        is: F,
        found: bool,
    }
    impl<'ast, F: Fn(&Ident) -> bool> Visit<'ast> for Search<F> {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.found |= path.segments.first().is_some_and(|segment| (self.is)(&segment.ident));
            visit::visit_path(self, path);
        }
    }
    let mut search = Search { is, found: false };
    search.visit_type(ty);
    search.found
}
