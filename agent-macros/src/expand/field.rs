//! A parameter or field as data of the runtime, and the checks that need its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::assert::stop;
use crate::attr::{Rule, RuleValue, SerdeDefault};
use crate::model::{Field, bare};
use crate::paths;
use crate::symbol;

/// The constant that holds the shape of the field at `index`.
///
/// It is the only place that asks for the schema of the type, so that a type without one is one error.
pub(crate) fn shape_const(index: usize) -> Ident {
    Ident::new(&format!("__SHAPE_{index}"), Span::mixed_site())
}

/// `<T as ToolSchema>::SHAPE`, underlined at the user's type.
pub(crate) fn shape_of(rt: &TokenStream, ty: &syn::Type) -> TokenStream {
    let rt = paths::at(rt, ty.span());
    quote_spanned!(ty.span()=> <#ty as #rt::ToolSchema>::SHAPE)
}

/// The shape of a field's value: its type's own, that of the type which stands in for it, or one that is read when an
/// agent is built.
pub(crate) fn shape_of_field(rt: &TokenStream, field: &Field) -> TokenStream {
    let ty = field.shape_type();
    if field.arg.schemars.is_given() {
        let rt = paths::at(rt, ty.span());
        return quote_spanned!(ty.span()=> <#ty as #rt::Described>::DEFERRED);
    }
    shape_of(rt, ty)
}

/// A `Field` of the runtime.
pub(crate) fn data(rt: &TokenStream, field: &Field, shape: &TokenStream) -> TokenStream {
    let Field { wire, aliases, doc, arg, flatten, cfgs, .. } = field;
    let rules = arg.rules.iter().map(|rule| rule_data(rt, rule));
    let rules = if arg.rules.is_empty() {
        quote!(#rt::Rules::NONE)
    } else {
        quote!(#rt::Rules { #(#rules,)* ..#rt::Rules::NONE })
    };
    let default = match arg.default.get() {
        Some(given) => {
            let json = given.json();
            some(quote!(#rt::DefaultValue::Json(#json)))
        }
        None => field.serde_default.map_or_else(none, |default| some(by_serde(rt, field, default))),
    };
    let example = arg.example.get().map_or_else(none, |given| some(given.json().into_token_stream()));
    let identity = arg.identity.is_given();
    quote! {
        #(#cfgs)*
        #rt::Field {
            name: #wire,
            aliases: &[#(#aliases),*],
            doc: #doc,
            shape: #shape,
            rules: #rules,
            default: #default,
            example: #example,
            identity: #identity,
            flatten: #flatten,
        }
    }
}

/// What serde fills in, with its text where the type knows it.
fn by_serde(rt: &TokenStream, field: &Field, default: SerdeDefault) -> TokenStream {
    let Field { ty, arg, .. } = field;
    // A type that another stands in for need not have a schema.
    let is_asked = matches!(default, SerdeDefault::OfType) && !arg.as_type.is_given() && !arg.schemars.is_given();
    if !is_asked {
        return quote!(#rt::DefaultValue::Serde);
    }
    quote!({
        use #rt::NoDefault as _;
        match #rt::Natural::<#ty>::TEXT {
            ::core::option::Option::Some(__text) => #rt::DefaultValue::Natural(__text),
            ::core::option::Option::None => #rt::DefaultValue::Serde,
        }
    })
}

/// `::core::option::Option::Some(..)`, whatever the user calls `Some`.
pub(crate) fn some(value: TokenStream) -> TokenStream {
    quote!(::core::option::Option::Some(#value))
}

/// `::core::option::Option::None`.
pub(crate) fn none() -> TokenStream {
    quote!(::core::option::Option::None)
}

fn rule_data(rt: &TokenStream, rule: &Rule) -> TokenStream {
    let word = &rule.word;
    let value = match &rule.value {
        RuleValue::Number(number) => number.bound(rt),
        RuleValue::Length(count) | RuleValue::Items(count) => count.to_token_stream(),
        RuleValue::Pattern(pattern) => pattern.text.to_token_stream(),
        RuleValue::Format(text) => text.to_token_stream(),
    };
    // The words are the names of the fields of `Rules`.
    let word = Ident::new(&word.to_string(), Span::mixed_site());
    let value = some(value);
    quote!(#word: #value)
}

/// The checks that need to know the type, each on the token that it is about; `path` is where the field is.
pub(crate) fn checks(rt: &TokenStream, field: &Field, shape: &impl ToTokens, path: &str) -> TokenStream {
    let Field { ident, arg, cfgs, .. } = field;
    let cfgs = quote!(#(#cfgs)*);
    let name = bare(ident);
    let mut checks = Vec::from_iter(field.doc.check(rt, ident));
    checks.push(stop(rt, field.shape_type(), &quote!(#rt::check::refused(#shape.get(), #path))));
    // Of the whole argument object they are a mistake, whatever its type.
    let has_words = !arg.flatten.is_given();
    for rule in arg.rules.iter().filter(|_| has_words) {
        let word = &rule.word;
        let text = word.to_string();
        let asks = asks(rt, rule);
        checks.push(stop(rt, word, &quote!(#rt::check::rule(#shape.get(), #name, #text, #asks))));
    }
    for (word, given) in [("default", arg.default.get()), ("example", arg.example.get())] {
        if let Some(given) = given.filter(|_| has_words) {
            let checked = given.checked(rt);
            checks.push(stop(rt, given, &quote!(#rt::check::default(#shape.get(), #name, #word, #checked))));
        }
    }
    if field.flatten {
        checks.push(stop(rt, &field.ty, &quote!(#rt::check::flattened(#shape.get(), #name))));
    }
    quote!(#(#cfgs #checks)*)
}

fn asks(rt: &TokenStream, rule: &Rule) -> TokenStream {
    match &rule.value {
        RuleValue::Number(number) => {
            let bound = number.bound(rt);
            if rule.word == symbol::MULTIPLE_OF {
                quote!(#rt::check::Asks::Multiple(#bound))
            } else {
                quote!(#rt::check::Asks::Bound(#bound))
            }
        }
        RuleValue::Length(_) => quote!(#rt::check::Asks::Length),
        RuleValue::Items(_) => quote!(#rt::check::Asks::Items),
        RuleValue::Pattern(_) => quote!(#rt::check::Asks::Pattern),
        RuleValue::Format(_) => quote!(#rt::check::Asks::Format),
    }
}
