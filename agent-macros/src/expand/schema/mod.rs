//! `#[derive(ToolSchema)]`.

mod enumeration;
mod generics;
mod parts;
mod structure;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput};

use self::generics::Generics;
use self::parts::Parts;
use super::assert::stop;
use super::field::some;
use super::tool::id;
use super::{all_attrs, lints};
use crate::attr::{Container, crate_path};
use crate::ctxt::{Ctxt, Failed};
use crate::docs::Doc;
use crate::fallback;
use crate::model::bare;
use crate::paths;
use crate::symbol;

/// Reads, checks and generates; or says all that is wrong.
pub(crate) fn tool_schema(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let krate = crate_path(&cx, &input.attrs, symbol::ARG);
    let rt = paths::runtime(krate.as_ref());
    let container = Container::parse(&cx, &input.attrs);
    let generics = Generics::of(&cx, &input);
    let ty = Ty { rt: &rt, input: &input, container: &container, generics: &generics };
    let mut parts = Parts::new(&rt, &generics);
    let form = match &input.data {
        Data::Struct(data) => structure::form(&cx, &ty, &mut parts, data),
        Data::Enum(data) => enumeration::form(&cx, &ty, &mut parts, data),
        Data::Union(data) => {
            cx.error(data.union_token, "a union has no schema; use a struct or an enum");
            None
        }
    };
    match (cx.check(), form) {
        (Ok(()), Some(form)) => ty.tokens(&parts, &form),
        (Ok(()), None) => TokenStream::new(),
        (Err(Failed(errors)), _) => fallback::tool_schema(&rt, &input, &errors, &parts.beside_errors()),
    }
}

/// The type, as it is read.
struct Ty<'a> {
    rt: &'a TokenStream,
    input: &'a DeriveInput,
    container: &'a Container,
    generics: &'a Generics<'a>,
}

/// What the type's shape is.
enum Form {
    /// A `Kind` of its own.
    Own(TokenStream),
    /// The shape of the only field.
    Same(TokenStream),
}

impl Ty<'_> {
    fn name(&self) -> String {
        bare(&self.input.ident)
    }

    fn doc(&self) -> TokenStream {
        Doc::of(&self.input.attrs).to_token_stream()
    }

    /// The id, which for a generic type depends on its arguments.
    fn id(&self) -> TokenStream {
        let rt = self.rt;
        self.generics.mixed(rt, id(rt, &self.name()))
    }

    fn tokens(&self, parts: &Parts<'_>, form: &Form) -> TokenStream {
        let rt = self.rt;
        let name = &self.input.ident;
        let Parts { items, checks, default, .. } = parts;
        let default = default.iter().map(|text| {
            let text = some(text.to_token_stream());
            quote!(const DEFAULT: ::core::option::Option<&'static ::core::primitive::str> = #text;)
        });
        let (fixed, link) = match form {
            Form::Same(shape) => (TokenStream::new(), shape.clone()),
            // A static cannot name type parameters; a constant cannot contain itself.
            Form::Own(kind) if self.generics.is_generic() => {
                (TokenStream::new(), quote!(#rt::Link::to(const { &#rt::Shape { kind: #kind } })))
            }
            Form::Own(kind) => {
                (quote!(static __SHAPE: #rt::Shape = #rt::Shape { kind: #kind };), quote!(#rt::Link::to(&__SHAPE)))
            }
        };
        let finite = (!self.generics.is_generic()).then(|| {
            let shape = self.name();
            stop(rt, name, &quote!(#rt::check::finite(<#name as #rt::ToolSchema>::SHAPE.get(), #shape)))
        });
        let lints = lints(all_attrs(self.input));
        let (impls, types, _) = self.input.generics.split_for_impl();
        let bounds = self.generics.bounds(rt);
        quote! {
            #lints
            const _: () = {
                #items
                #fixed
                #[automatically_derived]
                impl #impls #rt::ToolSchema for #name #types #bounds {
                    const SHAPE: #rt::Link = #link;
                    #(#default)*
                }
                #checks
                #finite
            };
        }
    }
}
