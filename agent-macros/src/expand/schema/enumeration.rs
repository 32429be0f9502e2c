//! Enums: a list of strings, or a union of forms told apart by a tag.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DataEnum, Fields, LitStr, Variant};

use super::structure::check_reads_itself;
use super::{Form, Parts, Ty};
use crate::attr::{Arg, FieldAttr, VariantAttr, quoted};
use crate::check;
use crate::ctxt::Ctxt;
use crate::docs::Doc;
use crate::expand::field::{none, some};
use crate::expand::tool::id;
use crate::model::{Field, bare};
use crate::symbol;

pub(super) fn form(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, data: &DataEnum) -> Option<Form> {
    let container = ty.container;
    let mut variants = Vec::new();
    for variant in &data.variants {
        let attr = VariantAttr::parse(cx, &variant.attrs);
        check_no_words(cx, variant);
        if !attr.skip {
            variants.push((variant, wire(ty, variant, &attr), attr));
        }
    }
    if variants.is_empty() {
        cx.error(&ty.input.ident, "an enum without variants has no value that a model could give; name some");
        return None;
    }
    check_names(cx, &variants);
    let plain = variants.iter().all(|(variant, ..)| matches!(variant.fields, Fields::Unit));
    if plain && !container.tag.is_given() {
        parts.default = variants.iter().find(|(variant, ..)| is_default(variant)).map(|(_, wire, _)| quoted(wire));
        return Some(Form::Own(list(ty, &variants)));
    }
    Some(Form::Own(union(cx, ty, parts, &variants)))
}

/// Whether `derive(Default)` gives this variant.
fn is_default(variant: &Variant) -> bool {
    variant.attrs.iter().any(|attr| attr.path().is_ident(symbol::DEFAULT.0))
}

/// A variant, its name on the wire and its attributes.
type Read<'a> = (&'a Variant, String, VariantAttr);

fn wire(ty: &Ty<'_>, variant: &Variant, attr: &VariantAttr) -> String {
    let name = bare(&variant.ident);
    match (attr.rename.get(), ty.container.rename_all.get()) {
        (Some(given), _) => given.value(),
        (None, Some(case)) => case.variant(&name),
        (None, None) => name,
    }
}

/// `#[arg(rename = "low")] Low`
fn check_no_words(cx: &Ctxt, variant: &Variant) {
    if let Some(attr) = variant.attrs.iter().find(|attr| attr.path().is_ident(symbol::ARG.0)) {
        cx.error(
            attr,
            "`#[arg]` goes on the fields of a variant; its name is serde's to change, and its doc comment describes it",
        );
    }
}

/// Two variants of one name on the wire.
fn check_names(cx: &Ctxt, variants: &[Read<'_>]) {
    let mut seen = HashSet::new();
    for (variant, wire, attr) in variants {
        for name in std::iter::once(wire.clone()).chain(attr.aliases.iter().map(LitStr::value)) {
            if !seen.insert(name.clone()) {
                cx.error(&variant.ident, format!("two variants are named `{name}` on the wire; rename one of them"));
            }
        }
    }
}

fn list(ty: &Ty<'_>, variants: &[Read<'_>]) -> TokenStream {
    let (rt, name, doc) = (ty.rt, ty.name(), ty.doc());
    let values = variants.iter().map(|(variant, wire, attr)| {
        let aliases = &attr.aliases;
        let doc = Doc::of(&variant.attrs);
        quote!(#rt::EnumValue { name: #wire, aliases: &[#(#aliases),*], doc: #doc })
    });
    quote!(#rt::Kind::Enum(#rt::Enum { name: #name, doc: #doc, values: const { &[#(#values),*] } }))
}

fn union(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, variants: &[Read<'_>]) -> TokenStream {
    let (rt, name, doc, id) = (ty.rt, ty.name(), ty.doc(), ty.id());
    let tag = ty.container.tag.get();
    let tagging = match tag {
        Some(tag) => quote!(#rt::Tagging::Internal(#tag)),
        None => quote!(#rt::Tagging::External),
    };
    let mut generic = false;
    let mut forms = Vec::new();
    for (variant, wire, attr) in variants {
        let content = match &variant.fields {
            Fields::Unit => none(),
            Fields::Named(_) => some(structure(cx, ty, parts, variant, attr)),
            Fields::Unnamed(_) => match newtype(cx, ty, parts, variant) {
                Some((shape, known)) => {
                    generic |= !known;
                    some(shape)
                }
                None => none(),
            },
        };
        let aliases = &attr.aliases;
        let doc = Doc::of(&variant.attrs);
        forms.push(quote! {
            #rt::Variant { name: #wire, aliases: &[#(#aliases),*], doc: #doc, content: #content }
        });
    }
    quote! {
        #rt::Kind::Union(#rt::Union {
            id: #id,
            name: #name,
            doc: #doc,
            tagging: #tagging,
            variants: const { &[#(#forms),*] },
            generic: #generic,
        })
    }
}

/// `Card { number: String }`
fn structure(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, variant: &Variant, attr: &VariantAttr) -> TokenStream {
    let rt = ty.rt;
    let case = attr.rename_all.get().or(ty.container.rename_all_fields.get()).copied();
    let fields: Vec<Field> = variant.fields.iter().filter_map(|field| Field::read(cx, field, case, false)).collect();
    check::fields(cx, &fields);
    for field in &fields {
        ty.generics.check_not_recursive(cx, &field.ty);
        if let Some(tag) = ty.container.tag.get().filter(|tag| tag.value() == field.wire) {
            cx.error(&field.ident, format!("`{}` is the name of the tag; rename one of them", tag.value()));
        }
    }
    let name = format!("{}::{}", ty.name(), bare(&variant.ident));
    let of = ty.generics.mixed(rt, id(rt, &name));
    let doc = Doc::of(&variant.attrs).to_token_stream();
    let object = parts.object(&of, &name, &doc, &fields);
    quote!(#rt::Link::to(const { &#rt::Shape { kind: #object } }))
}

/// `Card(Card)`
fn newtype(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, variant: &Variant) -> Option<(TokenStream, bool)> {
    let mut fields = variant.fields.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        cx.error(&variant.ident, "a variant with a tuple has no schema that every provider takes; name the fields");
        return None;
    };
    let before = cx.count();
    ty.generics.check_not_recursive(cx, &field.ty);
    let attr = FieldAttr::parse(cx, &field.attrs);
    check_reads_itself(cx, &attr);
    if attr.skip {
        cx.error(&field.ty, "serde reads this variant as one without content; write it without the field");
    }
    if let Some(word) = Arg::parse(cx, &field.attrs).first_word() {
        cx.error(word, "this variant has the schema of what it holds; name the field to say more of it");
    }
    if cx.count() > before {
        return None;
    }
    let of = parts.shape(&field.ty);
    let name = bare(&variant.ident);
    let path = format!("{}::{name}", ty.name());
    let (rt, shape) = (ty.rt, &of.shape);
    parts.check(&of, &field.ty, &quote!(#rt::check::refused(#shape.get(), #path)));
    if let Some(tag) = ty.container.tag.get() {
        parts.check(&of, &field.ty, &quote!(#rt::check::tagged(#shape.get(), #name, #tag)));
    }
    Some((of.shape, of.known))
}
