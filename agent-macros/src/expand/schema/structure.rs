//! Structs: named fields are an object, a newtype is what it holds.

use quote::quote;
use syn::{DataStruct, Fields};

use super::{Form, Parts, Ty};
use crate::attr::{Arg, FieldAttr};
use crate::check;
use crate::ctxt::Ctxt;
use crate::expand::assert::stop;
use crate::model::Field;
use crate::parameter;

pub(super) fn form(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, data: &DataStruct) -> Option<Form> {
    let container = ty.container;
    if let Some(word) = container.tag.word() {
        cx.error(word, "on a struct, `tag` is one more field that the model is not shown; leave it out");
    }
    match &data.fields {
        Fields::Named(_) if !container.transparent.is_given() => named(cx, ty, parts, &data.fields),
        Fields::Unit => {
            cx.error(&ty.input.ident, "a unit struct has one value, so there is nothing to fill in; leave it out");
            None
        }
        fields => same(cx, ty, parts, fields),
    }
}

fn named(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, fields: &Fields) -> Option<Form> {
    let case = ty.container.rename_all.get().copied();
    let all_default = ty.container.default.is_given();
    let fields: Vec<Field> = fields.iter().filter_map(|field| Field::read(cx, field, case, all_default)).collect();
    for field in &fields {
        ty.generics.check_not_recursive(cx, &field.ty);
    }
    check::fields(cx, &fields);
    let object = parts.object(&ty.id(), &ty.name(), &ty.doc(), &fields);
    let flat = fields.iter().find(|field| field.flatten && !ty.generics.is_generic());
    if let Some(flat) = flat {
        let rt = ty.rt;
        parts.checks.extend(stop(rt, &flat.ident, &quote!(#rt::check::names(&__SHAPE))));
    }
    Some(Form::Own(object))
}

/// `struct At(#[serde(with = "..")] Instant)`
pub(super) fn check_reads_itself(cx: &Ctxt, attr: &FieldAttr) {
    if let Some(word) = &attr.with {
        cx.error(
            word,
            format!("`{word}` changes what is read, and the schema cannot follow; name the field, and say there `#[arg(as_type = ..)]`"),
        );
    }
}

/// What serde does not read of a transparent struct.
fn is_beside(field: &syn::Field, attr: &FieldAttr) -> bool {
    attr.skip || attr.default.is_given() || parameter::last(&field.ty).as_deref() == Some("PhantomData")
}

/// `struct Sku(String)`, which serde reads as a `String`.
fn same(cx: &Ctxt, ty: &Ty<'_>, parts: &mut Parts<'_>, fields: &Fields) -> Option<Form> {
    // Without `transparent` serde reads a tuple of one value where another field is skipped.
    let transparent = ty.container.transparent.is_given();
    let read = fields.iter().map(|field| (field, FieldAttr::parse(cx, &field.attrs)));
    let held: Vec<_> = read.filter(|(field, attr)| !(transparent && is_beside(field, attr))).collect();
    let [(field, attr)] = &held[..] else {
        cx.error(&ty.input.ident, "a tuple of values has no schema that every provider takes; name the fields");
        return None;
    };
    let before = cx.count();
    ty.generics.check_holds_other(cx, &field.ty);
    if let Some(word) = Arg::parse(cx, &field.attrs).first_word() {
        cx.error(
            word,
            "a newtype has the schema of what it holds; put this on the parameter or field that has this type",
        );
    }
    check_reads_itself(cx, attr);
    if cx.count() > before {
        return None;
    }
    let of = parts.shape(&field.ty);
    let name = ty.name();
    let (rt, shape) = (ty.rt, &of.shape);
    parts.check(&of, &field.ty, &quote!(#rt::check::refused(#shape.get(), #name)));
    Some(Form::Same(of.shape))
}
