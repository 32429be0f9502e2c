//! Where a parameter's value comes from, by its type: owned from the model, borrowed from the host.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeParamBound, TypePath, TypeReference};

use crate::ctxt::Ctxt;

/// Who fills a parameter.
pub(crate) enum Role {
    Model,
    State(Box<Type>),
    Call,
}

/// The role of a parameter of this type; none where there is a mistake in it.
pub(crate) fn role(cx: &Ctxt, ty: &Type) -> Option<Role> {
    match peel(ty) {
        Type::Reference(reference) => borrowed(cx, ty, reference),
        owned => owned_role(cx, ty, owned),
    }
}

/// The type without the invisible groups and the parentheses around it.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        ty => ty,
    }
}

/// The last segment of a path type: `Vec` of `std::vec::Vec<u8>`.
pub(crate) fn last(ty: &Type) -> Option<String> {
    match peel(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The first type argument of a path type: `u8` of `Vec<u8>`.
pub(crate) fn argument(ty: &Type) -> Option<&Type> {
    let Type::Path(TypePath { path, .. }) = peel(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn borrowed(cx: &Ctxt, ty: &Type, reference: &TypeReference) -> Option<Role> {
    let inner = peel(&reference.elem);
    let text = shown(inner);
    if reference.mutability.is_some() {
        let message = format!(
            "a tool borrows `&{text}`, not `&mut`: calls may run side by side; put what changes behind a lock inside it"
        );
        return wrong(cx, ty, message);
    }
    match (inner, last(inner).as_deref()) {
        (Type::Slice(slice), _) => {
            let item = shown(&slice.elem);
            return wrong(
                cx,
                ty,
                format!(
                    "a slice is borrowed, and borrowed is what the host lends; for the model to fill it in, take `Vec<{item}>`; to borrow one from the state, wrap it in a struct of your own"
                ),
            );
        }
        (Type::Path(_), Some("str" | "String")) => {
            return wrong(
                cx,
                ty,
                format!(
                    "`&{text}` is borrowed, and borrowed is what the host lends; for the model to fill it in, take `String`"
                ),
            );
        }
        (Type::Path(_), Some("Vec")) => {
            return wrong(
                cx,
                ty,
                format!(
                    "`&{text}` is borrowed, and borrowed is what the host lends; for the model to fill it in, take `{text}`; to borrow one from the state, wrap it in a struct of your own"
                ),
            );
        }
        (Type::Path(_), Some("CallContext")) => return Some(Role::Call),
        (Type::ImplTrait(_), _) => {
            return wrong(cx, ty, "`impl` makes a tool generic; name the type, or borrow `&dyn Trait`");
        }
        _ => {}
    }
    if let Some(lifetime) = &reference.lifetime {
        return wrong(cx, lifetime, "state is lent for one call; leave the lifetime out");
    }
    if let Some(lifetime) = Inner::of(inner).lifetime {
        return wrong(
            cx,
            lifetime,
            "state is lent to tools for as long as the agent lives; a type with a lifetime cannot be",
        );
    }
    Some(Role::State(Box::new(inner.clone())))
}

fn owned_role(cx: &Ctxt, ty: &Type, owned: &Type) -> Option<Role> {
    if matches!(owned, Type::ImplTrait(_)) {
        return wrong(cx, ty, "`impl` makes a tool generic; name the type");
    }
    if matches!(owned, Type::Infer(_)) {
        return wrong(cx, ty, "a tool's parameter names its type");
    }
    match owned {
        Type::Slice(slice) => {
            let item = shown(&slice.elem);
            return wrong(
                cx,
                ty,
                format!("a slice has no size of its own; for the model to fill it in, take `Vec<{item}>`"),
            );
        }
        Type::TraitObject(_) => {
            let text = shown(owned);
            return wrong(cx, ty, format!("`{text}` has no size of its own; the host lends it: borrow `&{text}`"));
        }
        _ => {}
    }
    match last(owned).as_deref() {
        Some("str") => {
            return wrong(cx, ty, "`str` has no size of its own; for the model to fill it in, take `String`");
        }
        Some("CallContext") => return wrong(cx, ty, "the call is borrowed: `&CallContext`"),
        Some(pointer @ ("Arc" | "Rc")) => {
            let inner = argument(owned).map_or_else(|| "T".to_owned(), shown);
            let message = format!(
                "owned is what the model fills in; borrow `&{inner}`, which a field `{pointer}<{inner}>` of the state lends"
            );
            return wrong(cx, ty, message);
        }
        Some("Option") => {
            if let Some(Type::Reference(reference)) = argument(owned).map(peel) {
                let inner = shown(&reference.elem);
                let message = format!(
                    "what a tool borrows is always there, a state without it does not compile; borrow `&{inner}`, or `&Option<{inner}>` where the state holds that"
                );
                return wrong(cx, ty, message);
            }
        }
        _ => {}
    }
    let inner = Inner::of(owned);
    if let Some(reference) = inner.reference {
        return wrong(
            cx,
            reference,
            "what the model fills in is owned; take `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`",
        );
    }
    if let Some(lifetime) = inner.lifetime {
        return wrong(cx, lifetime, "what the model fills in is owned; take a type without a lifetime");
    }
    Some(Role::Model)
}

fn wrong(cx: &Ctxt, at: impl ToTokens, message: impl std::fmt::Display) -> Option<Role> {
    cx.error(at, message);
    None
}

/// The tokens of a type as one would write them.
pub(crate) fn shown(ty: &Type) -> String {
    let text = peel(ty).to_token_stream().to_string();
    // Tokens are joined by spaces; a type has none but after commas and words.
    let text = text.replace(" :: ", "::").replace(" < ", "<").replace(" >", ">").replace(" ,", ",");
    text.replace(":: ", "::").replace("< ", "<").replace("& ", "&")
}

/// A reference or lifetime somewhere in a type.
#[derive(Default)]
struct Inner {
    reference: Option<TypeReference>,
    lifetime: Option<Lifetime>,
}

impl Inner {
    fn of(ty: &Type) -> Self {
        let mut inner = Self::default();
        inner.visit_type(ty);
        inner
    }
}

impl<'ast> Visit<'ast> for Inner {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.reference.get_or_insert_with(|| reference.clone());
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if lifetime.ident != "static" {
            self.lifetime.get_or_insert_with(|| lifetime.clone());
        }
    }

    fn visit_type_param_bound(&mut self, bound: &'ast TypeParamBound) {
        // `for<'a> Fn(&'a T)` is a type of its own right.
        if !matches!(bound, TypeParamBound::Trait(_)) {
            visit::visit_type_param_bound(self, bound);
        }
    }
}

/// Puts another type in place of one that no parameter has, which is told already.
pub(crate) fn make_passable(ty: &mut Type) {
    let without_size = match peel(ty) {
        Type::Slice(_) | Type::TraitObject(_) => true,
        owned @ Type::Path(_) => last(owned).as_deref() == Some("str"),
        Type::Infer(_) => {
            *ty = syn::parse_quote!(::core::convert::Infallible);
            return;
        }
        _ => false,
    };
    if without_size {
        *ty = syn::parse_quote!(&#ty);
    }
}

/// Whether two types are written alike.
pub(crate) fn is_same(a: &Type, b: &Type) -> bool {
    peel(a).to_token_stream().to_string() == peel(b).to_token_stream().to_string()
}
