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
        let mut checks = Vec::from_iter(tool.doc.check(rt, &tool.function.sig.ident));
        let profiles = self.profiles();
        let strict = tool.attr.strict.get().copied().unwrap_or(true);
        for (index, parameter) in tool.fields().enumerate() {
            let shape = field::shape_const(index);
            checks.push(field::checks(rt, parameter, &shape));
            let cfgs = &parameter.cfgs;
            let name = bare(&parameter.ident);
            let whole = parameter.arg.flatten.is_given();
            let identity = stop(rt, parameter.shape_type(), &quote!(#rt::check::identity(#shape.get(), #name, #whole)));
            checks.push(quote!(#(#cfgs)* #identity));
            if whole {
                checks.push(stop(rt, &parameter.ty, &quote!(#rt::check::whole(#shape.get(), #name))));
            }
            for profile in profiles.iter().filter(|_| strict) {
                let all = if whole { quote!(arguments) } else { quote!(argument) };
                let check = stop(rt, parameter.shape_type(), &quote!(#rt::check::#all(#shape.get(), #name, &#profile)));
                checks.push(quote!(#(#cfgs)* #check));
                if !whole {
                    let wire = &parameter.wire;
                    let check = stop(rt, &parameter.named_at(), &quote!(#rt::check::property(#wire, &#profile)));
                    checks.push(quote!(#(#cfgs)* #check));
                }
            }
        }
        for profile in profiles.iter().filter(|_| strict) {
            let name = &tool.function.sig.ident;
            checks.push(stop(rt, name, &quote!(#rt::check::tool(&__SPEC, &#profile))));
        }
        quote!(#(#checks)*)
    }
}
