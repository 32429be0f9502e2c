//! The macros of `agent-core`, which re-exports and documents them; use them through that crate.

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

/// Turns an async function into a tool.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(attr.into(), item.into()).into()
}

/// A list of tools.
#[proc_macro]
pub fn tools(list: TokenStream) -> TokenStream {
    expand::tools(list.into()).into()
}

/// Describes a type to a model.
#[proc_macro_derive(ToolSchema, attributes(arg, serde))]
pub fn tool_schema(item: TokenStream) -> TokenStream {
    expand::tool_schema(item.into()).into()
}

/// Lends each field of a struct to tools.
#[proc_macro_derive(State, attributes(state))]
pub fn state(item: TokenStream) -> TokenStream {
    expand::state(item.into()).into()
}

/// Tells what each variant of an error is to the model.
#[proc_macro_derive(ToolError, attributes(tool))]
pub fn tool_error(item: TokenStream) -> TokenStream {
    expand::tool_error(item.into()).into()
}
