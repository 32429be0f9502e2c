//! The macros of `agent-core`.

use proc_macro::TokenStream;

/// Turns an async function into a tool.
#[proc_macro_attribute]
pub fn tool(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// A list of tools.
#[proc_macro]
pub fn tools(_list: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Describes a type to a model.
#[proc_macro_derive(ToolSchema, attributes(arg))]
pub fn tool_schema(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Lends each field of a struct to tools.
#[proc_macro_derive(State, attributes(state))]
pub fn state(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
