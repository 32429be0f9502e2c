//! What only the types tell, checked at the user's own tokens.

use proc_macro2::TokenStream;
use quote::quote;

use super::Expansion;
use crate::expand::assert::stop;
use crate::expand::field;
use crate::model::bare;

impl Expansion<'_> {
    pub(super) fn checks(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let parameters = self.checks_of_parameters();
        let name = &tool.function.sig.ident;
        let whole = (0..self.asked().len()).map(|index| stop(rt, name, &quote!(#rt::check::tool(&__SPEC, #index))));
        quote!(#parameters #(#whole)*)
    }

    /// The checks of each parameter by itself, of those that were understood, and of the documentation.
    pub(super) fn checks_of_parameters(&self) -> TokenStream {
        let Self { rt, tool, .. } = self;
        let mut checks = Vec::from_iter(tool.doc.check(rt, &tool.function.sig.ident));
        let profiles = self.asked();
        let profiles = quote!(&[#(&#profiles),*]);
        for (index, parameter) in tool.fields().enumerate().filter(|(_, parameter)| parameter.is_sound) {
            let shape = field::shape_const(index);
            let cfgs = &parameter.cfgs;
            let name = bare(&parameter.ident);
            let whole = parameter.arg.flatten.is_given();
            // The arguments of a flattened struct are the tool's own.
            let path = if whole { tool.name() } else { format!("{}.{}", tool.name(), parameter.wire) };
            checks.push(field::checks(rt, parameter, &shape, &path));
            let identity = stop(rt, parameter.shape_type(), &quote!(#rt::check::identity(#shape.get(), #name, #whole)));
            checks.push(quote!(#(#cfgs)* #identity));
            if whole {
                checks.push(stop(rt, &parameter.ty, &quote!(#rt::check::whole(#shape.get(), #name))));
            }
            for index in 0..self.asked().len() {
                let all = if whole { quote!(arguments) } else { quote!(argument) };
                let report = quote!(#rt::check::#all(#shape.get(), #path, #profiles, #index));
                let check = stop(rt, parameter.shape_type(), &report);
                checks.push(quote!(#(#cfgs)* #check));
                if !whole {
                    let wire = &parameter.wire;
                    let report = quote!(#rt::check::property(#wire, #profiles, #index));
                    let check = stop(rt, &parameter.named_at(), &report);
                    checks.push(quote!(#(#cfgs)* #check));
                }
            }
        }
        quote!(#(#checks)*)
    }

    /// The profiles whose rules the schema is held to: none in a tool that is not strict.
    fn asked(&self) -> Vec<TokenStream> {
        let strict = &self.tool.attr.strict;
        if strict.is_given() && strict.get() != Some(&true) { Vec::new() } else { self.profiles() }
    }
}
