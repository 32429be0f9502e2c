//! The macros of `agent-core`, which re-exports and documents them; use them through that crate.

// The macros are documented where they are re-exported, because their examples need the runtime.
#![allow(missing_docs)]

mod attr;
mod case;
mod check;
mod ctxt;
mod docs;
mod expand;
mod fallback;
mod model;
mod nearest;
mod number;
mod parameter;
mod paths;
mod pattern;
mod symbol;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(attr.into(), item.into()).into()
}

#[proc_macro]
pub fn tools(list: TokenStream) -> TokenStream {
    expand::tools(list.into()).into()
}

#[proc_macro_derive(ToolSchema, attributes(arg, serde))]
pub fn tool_schema(item: TokenStream) -> TokenStream {
    expand::tool_schema(item.into()).into()
}

#[proc_macro_derive(State, attributes(state))]
pub fn state(item: TokenStream) -> TokenStream {
    expand::state(item.into()).into()
}

#[proc_macro_derive(ToolError, attributes(tool))]
pub fn tool_error(item: TokenStream) -> TokenStream {
    expand::tool_error(item.into()).into()
}
