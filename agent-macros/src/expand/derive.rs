//! `#[derive(ToolSchema)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use syn::{Data, DataStruct, DeriveInput, Fields};

use super::assert::stop;
use super::tool::id;
use super::{field, lints};
use crate::attr::Container;
use crate::check;
use crate::ctxt::{Ctxt, Failed};
use crate::docs::Doc;
use crate::fallback;
use crate::model::{Field, bare};
use crate::paths;

/// Reads, checks and generates; or says all that is wrong.
pub(crate) fn tool_schema(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let rt = paths::runtime(None);
    let container = Container::parse(&cx, &input.attrs);
    let body = match &input.data {
        Data::Struct(data) => structure(&cx, &rt, &input, &container, data),
        Data::Enum(data) => {
            cx.error(data.enum_token, "enums are not supported yet");
            TokenStream::new()
        }
        Data::Union(data) => {
            cx.error(data.union_token, "a union has no schema; use a struct or an enum");
            TokenStream::new()
        }
    };
    match cx.check() {
        Ok(()) => body,
        Err(Failed(errors)) => fallback::tool_schema(&rt, &input, &errors),
    }
}

fn structure(
    cx: &Ctxt,
    rt: &TokenStream,
    input: &DeriveInput,
    container: &Container,
    data: &DataStruct,
) -> TokenStream {
    let case = container.rename_all.get().copied();
    let Fields::Named(named) = &data.fields else {
        cx.error(&input.ident, "tuple structs are not supported yet");
        return TokenStream::new();
    };
    let fields: Vec<Field> =
        named.named.iter().filter_map(|field| Field::read(cx, field, case, container.default.is_given())).collect();
    check::fields(cx, &fields);
    object(rt, input, &fields)
}

fn object(rt: &TokenStream, input: &DeriveInput, fields: &[Field]) -> TokenStream {
    let name = &input.ident;
    let lints = lints();
    let mut shapes = TokenStream::new();
    let mut checks = TokenStream::new();
    let mut data = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let shape = field::shape_const(index);
        let of = field::shape_of(rt, field.shape_type());
        shapes.extend(quote!(const #shape: #rt::Link = #of;));
        checks.extend(field::checks(rt, field, &shape));
        data.push(field::data(rt, field, &shape.to_token_stream()));
    }
    if let Some(flat) = fields.iter().find(|field| field.flatten) {
        checks.extend(stop(rt, &flat.ident, &quote!(#rt::check::names(&__SHAPE))));
    }
    let text = bare(name);
    let id = id(rt, &text);
    let doc = Doc::of(&input.attrs);
    quote! {
        #lints
        const _: () = {
            #shapes
            const __FIELDS: &[#rt::Field] = &[#(#data),*];
            static __SHAPE: #rt::Shape = #rt::Shape::new(#rt::Kind::Object(#rt::Object {
                id: #id,
                name: #text,
                doc: #doc,
                fields: __FIELDS,
                generic: false,
            }));
            #[automatically_derived]
            impl #rt::ToolSchema for #name {
                const SHAPE: #rt::Link = #rt::Link::to(&__SHAPE);
            }
            #checks
        };
    }
}
