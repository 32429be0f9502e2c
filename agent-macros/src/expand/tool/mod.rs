//! `#[tool]`.

mod call;
mod checks;
mod handle;
mod spec;
mod states;
mod warnings;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, ItemFn};

use self::call::reader;
use super::{field, lints};
use crate::check;
use crate::ctxt::{Ctxt, Failed};
use crate::fallback;
use crate::model::{Tool, bare, cfgs};
use crate::paths;

pub(crate) use handle::{emitted, handle, handle_impls};

/// Reads, checks and generates; or says all that is wrong, and what lets the rest of the crate compile.
pub(crate) fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::not_a_function(item, error),
    };
    let cx = Ctxt::new();
    let tool = Tool::read(&cx, attr, function);
    check::tool(&cx, &tool);
    match cx.check() {
        Ok(()) => Expansion::of(&tool).tokens(),
        Err(Failed(errors)) => fallback::tool(&tool, &errors, &Expansion::of(&tool).checks_beside_errors()),
    }
}

struct Expansion<'a> {
    tool: &'a Tool,
    rt: TokenStream,
    /// `#[cfg]`s of the function, which all that belongs to it has too.
    cfgs: Vec<Attribute>,
}

impl<'a> Expansion<'a> {
    fn of(tool: &'a Tool) -> Self {
        Self { tool, rt: paths::runtime(tool.attr.krate.get()), cfgs: cfgs(&tool.function.attrs) }
    }

    fn tokens(&self) -> TokenStream {
        let Self { rt, cfgs, tool } = self;
        let function = emitted(&tool.function);
        let handle = handle(tool);
        let impls = handle_impls(tool);
        let lints = lints(&tool.function.attrs);
        let shapes = self.shapes();
        let arguments = self.arguments();
        let spec = self.spec();
        let callable = self.callable();
        let checks = self.checks();
        let warning = self.warning();
        let wide = self.wide_integers();
        let long = self.long_parameters();
        quote! {
            #function
            #handle
            #(#cfgs)*
            #lints
            const _: () = {
                #impls
                #shapes
                #arguments
                static __SPEC: #rt::ToolSpec = #spec;
                #[automatically_derived]
                impl #rt::Tool for __Handle {
                    const SPEC: &'static #rt::ToolSpec = &__SPEC;
                }
                #callable
                #checks
            };
            #warning
            #wide
            #long
        }
    }

    /// What can be asked of parameters where something else of the tool is wrong, so that one build tells all of it.
    fn checks_beside_errors(&self) -> TokenStream {
        let shapes =
            self.tool.fields().enumerate().filter(|(_, parameter)| parameter.is_sound).map(|(index, parameter)| {
                let name = field::shape_const(index);
                let shape = field::shape_of_field(&self.rt, parameter);
                let (cfgs, rt) = (&parameter.cfgs, &self.rt);
                quote!(#(#cfgs)* const #name: #rt::Link = #shape;)
            });
        let checks = self.checks_of_parameters();
        quote!(#(#shapes)* #checks)
    }

    /// One constant for the shape of each parameter.
    fn shapes(&self) -> TokenStream {
        let rt = &self.rt;
        let shapes = self.tool.fields().enumerate().map(|(index, parameter)| {
            let name = field::shape_const(index);
            let shape = field::shape_of_field(rt, parameter);
            let cfgs = &parameter.cfgs;
            let ty = &parameter.ty;
            // A name of the user's place would be offered type parameters by rustc.
            let reader = reader(index, Span::mixed_site());
            let at = paths::at(rt, ty.span());
            // Types are named outside anything generic, where rustc takes an unknown one for a missing parameter.
            let read = quote_spanned!(ty.span()=> const #reader: #at::Reader<#ty> = #at::Reader::NEW;);
            quote!(#(#cfgs)* const #name: #rt::Link = #shape; #(#cfgs)* #read)
        });
        quote!(#(#shapes)*)
    }

    /// `__ARGUMENTS`: the link to the shape of all arguments.
    fn arguments(&self) -> TokenStream {
        let rt = &self.rt;
        if self.tool.whole().is_some() {
            let shape = field::shape_const(0);
            return quote!(const __ARGUMENTS: #rt::Link = #shape;);
        }
        let fields = self
            .tool
            .fields()
            .enumerate()
            .map(|(index, parameter)| field::data(rt, parameter, &field::shape_const(index).to_token_stream()));
        let name = bare(&self.tool.function.sig.ident);
        let id = id(rt, &name);
        let doc = &self.tool.doc;
        quote! {
            const __FIELDS: &[#rt::Field] = &[#(#fields),*];
            static __SHAPE: #rt::Shape = #rt::Shape::new(#rt::Kind::Object(#rt::Object {
                id: #id,
                name: #name,
                doc: #doc,
                fields: __FIELDS,
                generic: false,
            }));
            const __ARGUMENTS: #rt::Link = #rt::Link::to(&__SHAPE);
        }
    }
}

/// The id of a type or tool of this name that is written here.
pub(crate) fn id(rt: &TokenStream, name: &str) -> TokenStream {
    quote!(#rt::check::hash(::core::concat!(
        ::core::module_path!(), "::", #name, ":", ::core::line!(), ":", ::core::column!()
    )))
}
