//! The call: state and arguments in, a future out.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, ReturnType};

use super::Expansion;
use super::states::States;
use crate::expand::assert::ends;
use crate::model::{Field, Source};
use crate::paths;

impl Expansion<'_> {
    pub(super) fn callable(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let States { items, bounds } = States::of(self);
        let prepare = self.prepare();
        let reconcile = tool.attr.reconcile.get().map(|path| self.reconcile(path));
        // rustc names this impl where the state lacks something; it does so at the function's name.
        let span = tool.function.sig.ident.span();
        let named = paths::at(rt, span);
        let generics = quote!(<__S>);
        let header = quote_spanned!(span=> impl #generics #named::Callable<__S> for __Handle);
        quote! {
            #items
            #[automatically_derived]
            #header
            where
                __S: #(#bounds +)* ::core::marker::Send + ::core::marker::Sync + 'static,
            {
                fn prepare(
                    __arguments: &#rt::Arguments<'_>,
                ) -> ::core::result::Result<#rt::Prepared<__S>, #rt::Problem> {
                    #prepare
                }
                #reconcile
            }
        }
    }

    /// Reads the arguments, and packs the call of the function into a future.
    fn prepare(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let function = &tool.function.sig.ident;
        let output = match &tool.function.sig.output {
            ReturnType::Default => function.span(),
            ReturnType::Type(_, ty) => ends(ty).0,
        };
        let (reads, passed) = self.values();
        let running = running(rt, &quote!(#function), &passed, &quote!(Returned), output);
        quote! {
            use #rt::{NoSchema as _, ReturnsValue as _};
            #reads
            let __prepared: #rt::Prepared<__S> =
                #rt::Box::new(move |__state: #rt::Arc<__S>, __call: #rt::CallContext| -> #rt::Running { #running });
            ::core::result::Result::Ok(__prepared)
        }
    }

    /// The same for the function that tells whether a call has happened.
    fn reconcile(&self, path: &Path) -> TokenStream {
        let rt = &self.rt;
        let (reads, passed) = self.values();
        let asked = running(rt, &quote!(#path), &passed, &quote!(Reconciled), ends(path).0);
        quote! {
            fn reconcile(
                __arguments: &#rt::Arguments<'_>,
            ) -> ::core::result::Result<::core::option::Option<#rt::Asking<__S>>, #rt::Problem> {
                use #rt::NoSchema as _;
                #reads
                let __asking: #rt::Asking<__S> =
                    #rt::Box::new(move |__state: #rt::Arc<__S>, __call: #rt::CallContext| -> #rt::Asked { #asked });
                ::core::result::Result::Ok(::core::option::Option::Some(__asking))
            }
        }
    }

    /// Statements that read the arguments, and what is passed to the function.
    fn values(&self) -> (TokenStream, TokenStream) {
        let rt = &self.rt;
        let mut reads = Vec::new();
        let mut passed = Vec::new();
        for param in &self.tool.params {
            let cfgs = &param.cfgs;
            let value = match &param.source {
                Source::Model(parameter) => {
                    let local = Ident::new(&format!("__value_{}", reads.len()), Span::mixed_site());
                    let read = read(reads.len(), parameter);
                    reads.push(quote!(#(#cfgs)* let #local = { let __read = #read; __index += 1; __read };));
                    quote!(#local)
                }
                Source::State(ty) => quote!(#rt::Provide::<#ty>::provide(&*__state)),
                Source::Call => quote!(&__call),
            };
            passed.push(quote!(#(#cfgs)* #value));
        }
        (quote!(let mut __index = 0usize; #(#reads)*), quote!(#(#passed),*))
    }
}

/// A boxed future that calls `function` and tells its outcome.
///
/// What is wrong with the type that is returned is an error at `output`; a future that is not `Send` is one at the
/// function's name.
fn running(
    rt: &TokenStream,
    function: &TokenStream,
    passed: &TokenStream,
    wrapper: &TokenStream,
    output: Span,
) -> TokenStream {
    let returned = Ident::new("__returned", output);
    let at = paths::at(rt, output);
    let wrapper = paths::at(wrapper, output);
    let wrapped = quote_spanned!(output=> #at::#wrapper(#returned));
    let outcome = quote_spanned!(output=> #wrapped.outcome());
    let (name, _) = ends(function);
    let boxed = paths::at(rt, name);
    quote_spanned!(name=> #boxed::Box::pin(async move {
        let #returned = #function(#passed).await;
        #outcome
    }))
}

/// The constant that reads the parameter at `index`.
pub(super) fn reader(index: usize, span: Span) -> Ident {
    Ident::new(&format!("__READER_{index}"), span)
}

/// Reads the value of a parameter; see `Reader` for what happens where its type has no schema.
fn read(index: usize, parameter: &Field) -> TokenStream {
    let ty = &parameter.ty;
    let reader = reader(index, ty.span());
    let other = parameter.arg.as_type.is_given() || parameter.arg.schemars.is_given();
    match (other, parameter.arg.flatten.is_given()) {
        (true, _) => quote_spanned!(ty.span()=> #reader.as_other(__arguments, __index)?),
        (false, true) => quote_spanned!(ty.span()=> #reader.whole(__arguments)?),
        (false, false) => quote_spanned!(ty.span()=> #reader.field(__arguments, __index)?),
    }
}
