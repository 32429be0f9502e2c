//! `#[derive(ToolError)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput};

use super::lints;
use crate::attr::Fault;
use crate::ctxt::{Ctxt, Failed};
use crate::paths;

/// `From<TheError> for ToolError`, variant by variant.
pub(crate) fn tool_error(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let rt = paths::runtime(None);
    let cx = Ctxt::new();
    let arms: Vec<TokenStream> = match &input.data {
        Data::Struct(_) => vec![arm(&cx, &rt, &quote!(Self), &input.ident, &input.attrs)],
        Data::Enum(data) => {
            let variants = data.variants.iter();
            variants
                .map(|variant| {
                    let name = &variant.ident;
                    arm(&cx, &rt, &quote!(Self::#name), name, &variant.attrs)
                })
                .collect()
        }
        Data::Union(data) => {
            cx.error(data.union_token, "a union is no error; use a struct or an enum");
            Vec::new()
        }
    };
    let errors = cx.check().err().map(|Failed(errors)| errors);
    let body = match &errors {
        // The impl stands even so: tools that return the error would be a second mistake.
        Some(_) => quote!(::core::unreachable!("this error did not compile")),
        None => quote!(__error.__into()),
    };
    let name = &input.ident;
    let (impls, types, wheres) = input.generics.split_for_impl();
    let lints = lints();
    let convert = errors.is_none().then(|| {
        quote! {
            trait __Into {
                fn __into(self) -> #rt::ToolError;
            }
            impl #impls __Into for #name #types #wheres {
                fn __into(self) -> #rt::ToolError {
                    match &self {
                        #(#arms)*
                    }
                }
            }
        }
    });
    quote! {
        #errors
        #lints
        const _: () = {
            #convert
            #[automatically_derived]
            impl #impls ::core::convert::From<#name #types> for #rt::ToolError #wheres {
                fn from(__error: #name #types) -> Self {
                    #body
                }
            }
        };
    }
}

fn arm(cx: &Ctxt, rt: &TokenStream, pattern: &TokenStream, at: &impl ToTokens, attrs: &[Attribute]) -> TokenStream {
    let fault = Fault::parse(cx, attrs);
    match (fault.business.word(), fault.fatal.word()) {
        (Some(_), Some(word)) => {
            cx.error(word, "an error is a rule of the domain or a fault; keep `business(..)` or `fatal`");
        }
        (None, None) if !fault.business.is_given() => cx.error(
            at,
            "say what this error is to the model: `#[tool(business(\"CODE\"))]` for a rule of the domain, `#[tool(fatal)]` for a fault",
        ),
        (Some(_), None) => {
            for word in [fault.not_done.word(), fault.transient.word()].into_iter().flatten() {
                cx.error(word, format!("`{word}` is for faults; a business error promises that nothing was changed"));
            }
        }
        _ => {}
    }
    let value = match fault.business.get() {
        Some(code) => quote! {
            <#rt::ToolError as ::core::convert::From<#rt::BusinessError>>::from(
                #rt::BusinessError::new(#code, #rt::ToString::to_string(&self)),
            )
        },
        None => {
            let not_done = fault.not_done.is_given().then(|| quote!(.not_done()));
            let transient = fault.transient.is_given().then(|| quote!(.transient()));
            quote!(#rt::ToolError::fatal(self) #not_done #transient)
        }
    };
    quote!(#pattern { .. } => #value,)
}
