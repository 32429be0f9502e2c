//! What is emitted beside errors, so that one mistake is one message and uses elsewhere resolve.

use proc_macro2::TokenStream;
use quote::quote;

use crate::expand::{emitted, handle, handle_impls, lints};
use crate::model::{Tool, cfgs};
use crate::paths;

/// The item as it is, beside what is wrong with it.
pub(crate) fn not_a_function(item: TokenStream, error: syn::Error) -> TokenStream {
    let error = match syn::parse2::<syn::Item>(item.clone()) {
        // It is Rust, but not a function.
        Ok(item) => syn::Error::new_spanned(first_token(&item), "`#[tool]` goes on an `async fn`"),
        Err(_) => error,
    };
    let error = error.to_compile_error();
    quote!(#item #error)
}

fn first_token(item: &syn::Item) -> TokenStream {
    let tokens = quote!(#item).into_iter();
    // After the attributes, which are `#` and `[..]`.
    let mut tokens = tokens.skip_while(|token| match token {
        proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '#',
        proc_macro2::TokenTree::Group(_) => true,
        _ => false,
    });
    tokens.next().map(TokenStream::from).unwrap_or_default()
}

/// The function, and a tool that cannot be called.
pub(crate) fn tool(tool: &Tool, errors: &TokenStream, checks: &TokenStream) -> TokenStream {
    let rt = paths::runtime(tool.attr.krate.get());
    let function = emitted(&tool.function);
    if tool.function.sig.receiver().is_some() {
        // It stands in an `impl`, where no struct can.
        return quote!(#function #errors);
    }
    let handle = handle(tool);
    let impls = handle_impls(tool);
    let text = tool.name();
    let cfgs = cfgs(&tool.function.attrs);
    let lints = lints(&tool.function.attrs);
    quote! {
        #function
        #handle
        #(#cfgs)*
        #lints
        const _: () = {
            #impls
            static __SHAPE: #rt::Shape = #rt::Shape::new(#rt::Kind::Bool);
            static __SPEC: #rt::ToolSpec = #rt::ToolSpec {
                name: #text,
                description: "",
                arguments: #rt::Link::to(&__SHAPE),
                effect: #rt::Effect::Read,
                permission: ::core::option::Option::None,
                timeout: ::core::option::Option::None,
                approval: false,
                max_calls: ::core::option::Option::None,
                retries: 0,
                strict: false,
                profiles: &[],
            };
            impl #rt::Tool for __Handle {
                const SPEC: &'static #rt::ToolSpec = &__SPEC;
            }
            impl<__S> #rt::Callable<__S> for __Handle {
                fn prepare(
                    _: &#rt::Arguments<'_>,
                ) -> ::core::result::Result<#rt::Prepared<__S>, #rt::Problem> {
                    ::core::unreachable!("this tool did not compile")
                }
            }
            #checks
        };
        #errors
    }
}

/// A type whose schema is not known, so that tools that take it are not a second error.
pub(crate) fn tool_schema(
    rt: &TokenStream,
    input: &syn::DeriveInput,
    errors: &TokenStream,
    checks: &TokenStream,
) -> TokenStream {
    let name = &input.ident;
    let (impls, types, wheres) = input.generics.split_for_impl();
    let lints = lints(&input.attrs);
    quote! {
        #errors
        #lints
        const _: () = {
            static __SHAPE: #rt::Shape = #rt::Shape::new(#rt::Kind::Object(#rt::Object {
                id: 0,
                name: "",
                doc: "",
                fields: &[],
                generic: false,
            }));
            impl #impls #rt::ToolSchema for #name #types #wheres {
                const SHAPE: #rt::Link = #rt::Link::to(&__SHAPE);
            }
            #checks
        };
    }
}
