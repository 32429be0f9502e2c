//! What is generated.

mod assert;
mod error;
mod field;
mod list;
mod schema;
mod state;
mod tool;

pub(crate) use assert::stop;
pub(crate) use error::tool_error;
pub(crate) use list::tools;
pub(crate) use schema::tool_schema;
pub(crate) use state::state;
pub(crate) use tool::{emitted, handle, handle_impls, tool};

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Field};

/// Lets generated code name what the user calls deprecated.
///
/// No other lint is turned off: a crate that forbids one would not compile. What is generated has the origin of the
/// macro instead, where lints do not look, and what they look at all the same is as they like it.
pub(crate) fn lints<'a>(attrs: impl IntoIterator<Item = &'a Attribute>) -> TokenStream {
    let deprecated = attrs.into_iter().any(|attr| attr.path().is_ident("deprecated"));
    if deprecated { quote!(#[allow(deprecated)]) } else { TokenStream::new() }
}

/// The attributes of a type and of all that is in it.
fn all_attrs(input: &DeriveInput) -> impl Iterator<Item = &Attribute> {
    let variants = match &input.data {
        Data::Enum(data) => Some(&data.variants),
        Data::Struct(_) | Data::Union(_) => None,
    };
    let variants = variants.into_iter().flatten().flat_map(|variant| &variant.attrs);
    input.attrs.iter().chain(fields(input).flat_map(|field| &field.attrs)).chain(variants)
}

/// All fields of a type.
fn fields(input: &DeriveInput) -> impl Iterator<Item = &Field> {
    let (own, variants) = match &input.data {
        Data::Struct(data) => (Some(&data.fields), None),
        Data::Enum(data) => (None, Some(&data.variants)),
        Data::Union(_) => (None, None),
    };
    let inner = variants.into_iter().flatten().map(|variant| &variant.fields);
    own.into_iter().chain(inner).flatten()
}
