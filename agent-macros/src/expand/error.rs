//! `#[derive(ToolError)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Fields, Path};

use super::{all_attrs, lints};
use crate::attr::Fault;
use crate::ctxt::{Ctxt, Failed};
use crate::paths;
use crate::symbol;

/// `From<TheError> for ToolError`, variant by variant.
pub(crate) fn tool_error(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let (krate, arms) = read(&cx, &input);
    let rt = paths::runtime(krate.as_ref());
    let into = if arms.is_empty() {
        quote!(match self {})
    } else {
        let arms = arms.iter().map(|arm| arm.tokens(&rt));
        quote!(match &self { #(#arms)* })
    };
    let errors = cx.check().err().map(|Failed(errors)| errors);
    let body = match &errors {
        // The impl stands even so: tools that return the error would be a second mistake.
        Some(_) => quote!(::core::unreachable!("this error did not compile")),
        None => quote!(__error.__into()),
    };
    let name = &input.ident;
    let (impls, types, wheres) = input.generics.split_for_impl();
    let lints = lints(all_attrs(&input));
    let convert = errors.is_none().then(|| {
        quote! {
            trait __Into {
                fn __into(self) -> #rt::ToolError;
            }
            impl #impls __Into for #name #types #wheres {
                fn __into(self) -> #rt::ToolError {
                    #into
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

/// A variant, or the whole struct.
struct Arm {
    pattern: TokenStream,
    fault: Fault,
}

/// Where the runtime is, and what each variant says of itself.
fn read(cx: &Ctxt, input: &DeriveInput) -> (Option<Path>, Vec<Arm>) {
    match &input.data {
        Data::Struct(data) => {
            let fault = Fault::parse(cx, &input.attrs);
            check_fields(cx, &data.fields);
            check(cx, &fault, &input.ident);
            (fault.krate.get().cloned(), vec![Arm { pattern: quote!(Self), fault }])
        }
        Data::Enum(data) => {
            let krate = Fault::of_enum(cx, &input.attrs);
            let arms = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                let fault = Fault::of_variant(cx, &variant.attrs);
                check_fields(cx, &variant.fields);
                check(cx, &fault, name);
                Arm { pattern: quote!(Self::#name), fault }
            });
            (krate, arms.collect())
        }
        Data::Union(data) => {
            cx.error(data.union_token, "a union is no error; use a struct or an enum");
            (None, Vec::new())
        }
    }
}

/// `Lost(#[tool(fatal)] io::Error)`
fn check_fields(cx: &Ctxt, fields: &Fields) {
    for attr in fields.iter().flat_map(|field| &field.attrs) {
        if attr.path().is_ident(symbol::TOOL.0) {
            cx.error(
                attr,
                "`#[tool(..)]` says what an error is to the model; it belongs above the variant or the struct",
            );
        }
    }
}

/// An error is one of the two, and is said to be so.
fn check(cx: &Ctxt, fault: &Fault, at: &impl ToTokens) {
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
}

impl Arm {
    fn tokens(&self, rt: &TokenStream) -> TokenStream {
        let Self { pattern, fault } = self;
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
}
