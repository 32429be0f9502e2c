//! What stands beside the shape: a constant for the shape of each type in it, and the checks.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use super::generics::Generics;
use crate::expand::assert::stop;
use crate::expand::field;
use crate::model::{Field, bare};

pub(super) struct Parts<'a> {
    rt: &'a TokenStream,
    generics: &'a Generics<'a>,
    count: usize,
    pub(super) items: TokenStream,
    pub(super) checks: TokenStream,
    /// What the type's `Default` is, as JSON, where it can be seen.
    pub(super) default: Option<String>,
}

/// The shape of a type, and whether it can be checked here.
pub(super) struct Of {
    pub(super) shape: TokenStream,
    pub(super) known: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(rt: &'a TokenStream, generics: &'a Generics<'a>) -> Self {
        Self { rt, generics, count: 0, items: TokenStream::new(), checks: TokenStream::new(), default: None }
    }

    /// The shape of a type: a constant, unless it depends on a type parameter.
    pub(super) fn shape(&mut self, ty: &Type) -> Of {
        let shape = field::shape_of(self.rt, ty);
        self.named(ty, shape)
    }

    /// The shape of a field's value.
    fn shape_of_field(&mut self, field: &Field) -> Of {
        let shape = field::shape_of_field(self.rt, field);
        self.named(field.shape_type(), shape)
    }

    fn named(&mut self, ty: &Type, shape: TokenStream) -> Of {
        let rt = self.rt;
        if self.generics.is_in(ty) {
            return Of { shape, known: false };
        }
        let name = field::shape_const(self.count);
        self.count += 1;
        self.items.extend(quote!(const #name: #rt::Link = #shape;));
        Of { shape: name.to_token_stream(), known: true }
    }

    /// A check at `at`, where the types are known.
    pub(super) fn check(&mut self, of: &Of, at: &impl ToTokens, report: &TokenStream) {
        if of.known {
            self.checks.extend(stop(self.rt, at, report));
        }
    }

    /// What can be asked of fields where something else of the type is wrong. A type with lifetimes or type parameters is
    /// only asked once it is right.
    pub(super) fn beside_errors(&self) -> TokenStream {
        let Self { items, checks, .. } = self;
        if self.generics.are_none() { quote!(#items #checks) } else { TokenStream::new() }
    }

    /// An `Object` of these fields.
    pub(super) fn object(&mut self, id: &TokenStream, name: &str, doc: &TokenStream, fields: &[Field]) -> TokenStream {
        let rt = self.rt;
        let mut data = Vec::new();
        let mut generic = false;
        // What has a mistake of its own is not asked for its type: all of this is left out then.
        for field in fields.iter().filter(|field| field.is_sound) {
            let of = self.shape_of_field(field);
            if of.known {
                self.checks.extend(field::checks(rt, field, &of.shape, &format!("{name}.{}", bare(&field.ident))));
            }
            generic |= !of.known;
            data.push(field::data(rt, field, &of.shape));
        }
        quote! {
            #rt::Kind::Object(#rt::Object {
                id: #id,
                name: #name,
                doc: #doc,
                fields: const { &[#(#data),*] },
                generic: #generic,
            })
        }
    }
}
