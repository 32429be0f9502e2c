//! `#[tool]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, ItemFn, Path, ReturnType, Type};

use super::assert::{ends, stop};
use super::{field, lints};
use crate::attr::{Access, Duplicates};
use crate::check;
use crate::ctxt::{Ctxt, Failed};
use crate::fallback;
use crate::model::{Field, Source, Tool, bare, cfgs};
use crate::parameter::is_same;
use crate::paths;
use crate::symbol;

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
        Err(Failed(errors)) => fallback::tool(&tool, &errors),
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
        let name = tool.handle();
        let lints = lints();
        let shapes = self.shapes();
        let arguments = self.arguments();
        let spec = self.spec();
        let callable = self.callable();
        let checks = self.checks();
        let warning = self.warning();
        let wide = self.wide_integers();
        quote! {
            #function
            #handle
            #(#cfgs)*
            #lints
            const _: () = {
                #shapes
                #arguments
                static __SPEC: #rt::ToolSpec = #spec;
                #[automatically_derived]
                impl #rt::Tool for #name {
                    const SPEC: &'static #rt::ToolSpec = &__SPEC;
                }
                #callable
                #checks
            };
            #warning
            #wide
        }
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

    fn spec(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let attr = &tool.attr;
        let name = tool.name();
        let description = &tool.doc;
        let effect = self.effect();
        let permission = match tool.access() {
            Some(Access::Needs(role)) => field::some(role.to_token_stream()),
            Some(Access::Open) | None => field::none(),
        };
        let timeout = attr
            .timeout
            .get()
            .map_or_else(field::none, |millis| field::some(quote!(::core::time::Duration::from_millis(#millis))));
        let approval = attr.approval.is_given();
        let max_calls = attr.max_calls.get().map_or_else(field::none, |calls| field::some(calls.to_token_stream()));
        let retries = attr.retries.get().copied().unwrap_or(0);
        let strict = attr.strict.get().copied().unwrap_or(true);
        let profiles = self.profiles();
        quote! {
            #rt::ToolSpec {
                name: #name,
                description: #description,
                arguments: __ARGUMENTS,
                effect: #effect,
                permission: #permission,
                timeout: #timeout,
                approval: #approval,
                max_calls: #max_calls,
                retries: #retries,
                strict: #strict,
                profiles: &[#(&#profiles),*],
            }
        }
    }

    fn effect(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        if !tool.attr.mutating.is_given() {
            return quote!(#rt::Effect::Read);
        }
        let duplicates = match tool.attr.duplicates.get() {
            Some(Duplicates::Allow) => quote!(Allow),
            Some(Duplicates::Replay) | None => quote!(Replay),
        };
        let keyed = tool.attr.keyed.is_given();
        let reconciles = tool.attr.reconcile.is_given();
        quote! {
            #rt::Effect::Mutating {
                duplicates: #rt::Duplicates::#duplicates,
                keyed: #keyed,
                reconciles: #reconciles,
            }
        }
    }

    fn profiles(&self) -> Vec<TokenStream> {
        let rt = &self.rt;
        match self.tool.attr.providers.get() {
            Some(paths) => paths.iter().map(ToTokens::to_token_stream).collect(),
            None => vec![quote!(#rt::profile::OPENAI)],
        }
    }

    fn callable(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let name = tool.handle();
        let states = self.states().into_iter().map(|ty| {
            let rt = paths::at(rt, ty.span());
            quote_spanned!(ty.span()=> #rt::Provide<#ty>)
        });
        let prepare = self.prepare();
        let reconcile = tool.attr.reconcile.get().map(|path| self.reconcile(path));
        // rustc names this impl where the state lacks something; it does so at the function's name.
        let span = tool.function.sig.ident.span();
        let named = paths::at(rt, span);
        let generics = quote!(<__S>);
        let header = quote_spanned!(span=> impl #generics #named::Callable<__S> for #name);
        quote! {
            #[automatically_derived]
            #header
            where
                __S: #(#states +)* ::core::marker::Send + ::core::marker::Sync + 'static,
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

    /// The types that the tool borrows, each once.
    fn states(&self) -> Vec<&Type> {
        let mut states: Vec<&Type> = Vec::new();
        for param in &self.tool.params {
            // With its `#[cfg]`s the bound cannot be left out, so the state must hold it either way.
            match &param.source {
                Source::State(ty) if !states.iter().any(|state| is_same(state, ty)) => states.push(ty),
                _ => {}
            }
        }
        states
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

    /// What is neither an error nor right: a deprecated constant is the only warning that a macro can give.
    fn warning(&self) -> Option<TokenStream> {
        const LONGEST: usize = 1024;
        if self.tool.attr.allow.contains(&symbol::LONG_DESCRIPTION) {
            return None;
        }
        let cfgs = &self.cfgs;
        let used = Ident::new("LONG_DESCRIPTION", self.tool.function.sig.ident.span());
        let Some(length) = self.tool.doc.len() else {
            let (rt, handle) = (&self.rt, self.tool.handle());
            let is_long = quote!(#rt::check::is_long(<#handle as #rt::Tool>::SPEC.description));
            return Some(quote!(#(#cfgs)* const _: () = #rt::When::<{ #is_long }>::#used;));
        };
        if length <= LONGEST {
            return None;
        }
        let note = format!(
            "this description has {length} characters, and older deployments of OpenAI and Azure answer HTTP 400 over {LONGEST}; shorten it, or write `#[tool(allow(long_description))]`"
        );
        Some(quote! {
            #(#cfgs)*
            const _: () = {
                #[deprecated(note = #note)]
                const #used: () = ();
                #used
            };
        })
    }

    /// A warning at each parameter that holds integers beyond 2^53, which only the shape of its type tells.
    fn wide_integers(&self) -> Option<TokenStream> {
        if self.tool.attr.allow.contains(&symbol::WIDE_INTEGERS) {
            return None;
        }
        let Self { rt, tool, cfgs } = self;
        let handle = tool.handle();
        let warnings = tool.fields().map(|parameter| {
            let wire = if parameter.arg.flatten.is_given() { quote!("") } else { parameter.wire.to_token_stream() };
            let used = Ident::new("WIDE_INTEGER", ends(parameter.shape_type()).0);
            let own = &parameter.cfgs;
            quote! {
                #(#cfgs)*
                #(#own)*
                const _: () = #rt::When::<{ #rt::check::is_wide(<#handle as #rt::Tool>::SPEC, #wire) }>::#used;
            }
        });
        Some(quote!(#(#warnings)*))
    }

    fn checks(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let mut checks = Vec::from_iter(tool.doc.check(rt, &tool.function.sig.ident));
        let profiles = self.profiles();
        let strict = tool.attr.strict.get().copied().unwrap_or(true);
        for (index, parameter) in tool.fields().enumerate() {
            let shape = field::shape_const(index);
            checks.push(field::checks(rt, parameter, &shape));
            let cfgs = &parameter.cfgs;
            let name = bare(&parameter.ident);
            if parameter.arg.flatten.is_given() {
                checks.push(stop(rt, &parameter.ty, &quote!(#rt::check::whole(#shape.get(), #name))));
            }
            for profile in profiles.iter().filter(|_| strict) {
                let all = if parameter.arg.flatten.is_given() { quote!(arguments) } else { quote!(argument) };
                let check = stop(rt, parameter.shape_type(), &quote!(#rt::check::#all(#shape.get(), #name, &#profile)));
                checks.push(quote!(#(#cfgs)* #check));
            }
        }
        for profile in profiles.iter().filter(|_| strict) {
            let name = &tool.function.sig.ident;
            checks.push(stop(rt, name, &quote!(#rt::check::tool(&__SPEC, &#profile))));
        }
        quote!(#(#checks)*)
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
fn reader(index: usize, span: Span) -> Ident {
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

/// The id of a type or tool of this name that is written here.
pub(crate) fn id(rt: &TokenStream, name: &str) -> TokenStream {
    quote!(#rt::check::hash(::core::concat!(
        ::core::module_path!(), "::", #name, ":", ::core::line!(), ":", ::core::column!()
    )))
}

/// The user's function; tools have as many parameters as their arguments have.
pub(crate) fn emitted(function: &ItemFn) -> TokenStream {
    quote! {
        #[allow(clippy::too_many_arguments, clippy::unused_async)]
        #function
    }
}

/// The struct beside the function. Braced, so that it is in the type namespace only and one `use` brings both.
pub(crate) fn handle(tool: &Tool) -> TokenStream {
    let name = tool.handle();
    let vis = &tool.function.vis;
    let attrs = tool.function.attrs.iter().filter(|attr| {
        let path = attr.path();
        path.is_ident("cfg") || path.is_ident("deprecated")
    });
    let cfgs = cfgs(&tool.function.attrs);
    let doc = format!("The tool [`{0}()`](fn@{0}), for `tools!`.", tool.function.sig.ident);
    let lints = lints();
    // Where something else has the name, rustc says so here.
    let item = quote_spanned!(name.span()=> struct #name {});
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #lints
        #vis #item
        #(#cfgs)*
        #lints
        const _: () = {
            #[automatically_derived]
            impl ::core::clone::Clone for #name {
                fn clone(&self) -> Self {
                    *self
                }
            }
            #[automatically_derived]
            impl ::core::marker::Copy for #name {}
        };
    }
}
