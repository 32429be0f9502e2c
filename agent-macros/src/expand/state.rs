//! `#[derive(State)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Index, Member, Token, Type, TypeParamBound, TypeTraitObject};

use super::{all_attrs, lints};
use crate::attr::{crate_path, words_of};
use crate::ctxt::{Ctxt, Failed};
use crate::parameter::{argument, is_same, last, peel, shown};
use crate::paths;
use crate::symbol;

/// `Provide<T>` for the type of each field.
pub(crate) fn state(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let lent = lent(&cx, &input);
    // What is right is lent even so: a missing `Provide` elsewhere would be a second error.
    let krate = crate_path(&cx, &input.attrs, symbol::STATE);
    let impls = impls(krate.as_ref(), &input, &lent);
    match cx.check() {
        Ok(()) => impls,
        Err(Failed(errors)) => quote!(#errors #impls),
    }
}

/// A field and the type that it lends.
struct Lent {
    member: Member,
    ty: Type,
    /// Whether the field is an `Arc` or a `Box` of it.
    pointed: bool,
}

fn lent(cx: &Ctxt, input: &DeriveInput) -> Vec<Lent> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            cx.error(data.enum_token, "an agent's state is a struct; each of its fields is lent to tools");
            return Vec::new();
        }
        Data::Union(data) => {
            cx.error(data.union_token, "an agent's state is a struct; each of its fields is lent to tools");
            return Vec::new();
        }
    };
    let mut lent: Vec<Lent> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if is_skipped(cx, field) {
            continue;
        }
        let member = match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index::from(index)),
        };
        let inner = pointee(&field.ty);
        let ty = peel(inner.unwrap_or(&field.ty)).clone();
        if lent.iter().any(|before| is_same(&before.ty, &ty)) {
            cx.error(
                &field.ty,
                format!("two fields lend a `{}`, and a tool could not tell which it borrows; wrap one in a type of its own, or leave it out with `#[state(skip)]`", shown(&ty)),
            );
            continue;
        }
        let bare = bare_dyn(&ty);
        lent.push(Lent { member: member.clone(), ty, pointed: inner.is_some() });
        if let Some(bare) = bare.filter(|bare| lent.iter().all(|before| !is_same(&before.ty, bare))) {
            lent.push(Lent { member, ty: bare, pointed: true });
        }
    }
    lent
}

/// `#[state(skip)]`
fn is_skipped(cx: &Ctxt, field: &syn::Field) -> bool {
    let mut skipped = false;
    for word in words_of(cx, &field.attrs, symbol::STATE) {
        if word.name == symbol::SKIP {
            word.flag(cx);
            skipped = true;
        } else {
            word.unknown(cx, &[symbol::SKIP]);
        }
    }
    skipped
}

/// `T` of `Arc<T>` and `Box<T>`.
fn pointee(ty: &Type) -> Option<&Type> {
    matches!(last(ty).as_deref(), Some("Arc" | "Box")).then(|| argument(ty)).flatten()
}

/// `dyn Clock` of `dyn Clock + Send + Sync`, which is what a tool writes.
fn bare_dyn(ty: &Type) -> Option<Type> {
    let Type::TraitObject(object) = ty else { return None };
    let is_auto = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|segment| segment.ident == "Send" || segment.ident == "Sync")
        }
        _ => false,
    };
    if !object.bounds.iter().any(is_auto) {
        return None;
    }
    let bounds: Punctuated<_, Token![+]> = object.bounds.iter().filter(|bound| !is_auto(bound)).cloned().collect();
    let bare = TypeTraitObject { bounds, ..object.clone() };
    (!bare.bounds.is_empty()).then_some(Type::TraitObject(bare))
}

/// Behind a reference, `dyn Clock` would live only as long as that.
fn lasting(ty: &Type) -> TokenStream {
    match ty {
        Type::TraitObject(object)
            if !object.bounds.iter().any(|bound| matches!(bound, TypeParamBound::Lifetime(_))) =>
        {
            quote!(#ty + 'static)
        }
        ty => ty.to_token_stream(),
    }
}

fn impls(krate: Option<&syn::Path>, input: &DeriveInput, lent: &[Lent]) -> TokenStream {
    let rt = paths::runtime(krate);
    let name = &input.ident;
    let (impls, types, wheres) = input.generics.split_for_impl();
    let lints = lints(all_attrs(input));
    let impls = lent.iter().map(|Lent { member, ty, pointed }| {
        let value = if *pointed { quote!(&*self.#member) } else { quote!(&self.#member) };
        let lent = lasting(ty);
        let provide = quote_spanned!(ty.span()=> #rt::Provide<#ty>);
        quote! {
            #lints
            #[automatically_derived]
            impl #impls #provide for #name #types #wheres {
                fn provide(&self) -> &(#lent) {
                    #value
                }
            }
        }
    });
    let impls: Vec<TokenStream> = impls.map(ToTokens::into_token_stream).collect();
    quote!(#(#impls)*)
}
