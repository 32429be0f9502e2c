//! Documentation comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// What the doc comments of an item say.
pub(crate) struct Doc {
    text: TokenStream,
    empty: bool,
    literal: Option<String>,
}

impl Doc {
    /// Joins the `#[doc = ..]` of `attrs`, which may be literals or macros such as `include_str!`.
    pub(crate) fn of(attrs: &[Attribute]) -> Self {
        let lines: Vec<&Expr> = attrs.iter().filter_map(doc_value).collect();
        let texts: Option<Vec<String>> = lines.iter().map(|line| literal(line)).collect();
        match texts {
            Some(texts) => {
                let text = unindent(&texts);
                Self { empty: text.is_empty(), text: text.to_token_stream(), literal: Some(text) }
            }
            None => {
                let lines = lines.iter().map(|line| match literal(line) {
                    Some(text) => text.trim().to_token_stream(),
                    None => line.to_token_stream(),
                });
                Self { empty: false, text: quote!(::core::concat!(#(#lines, "\n"),*)), literal: None }
            }
        }
    }

    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// The length in characters, where it is known here.
    pub(crate) fn len(&self) -> Option<usize> {
        self.literal.as_ref().map(|text| text.chars().count())
    }
}

impl ToTokens for Doc {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.text.to_tokens(tokens);
    }
}

/// Whether `attr` is a documentation comment.
pub(crate) fn is_doc(attr: &Attribute) -> bool {
    doc_value(attr).is_some()
}

fn doc_value(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(&meta.value),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// Lines without the indentation they share, as rustdoc reads them, and without blank lines at either end.
fn unindent(texts: &[String]) -> String {
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.split('\n')).map(str::trim_end).collect();
    let indent =
        lines.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start_matches(' ').len());
    let indent = indent.min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::{ItemFn, parse_quote};

    use super::Doc;

    fn text(function: &ItemFn) -> String {
        Doc::of(&function.attrs).to_token_stream().to_string()
    }

    #[test]
    fn lines_lose_the_indentation_that_they_share() {
        let function: ItemFn = parse_quote! {
            ///
            /// One.
            ///
            ///   - two
            #[doc(hidden)]
            fn f() {}
        };
        assert_eq!(text(&function), r#""One.\n\n  - two""#);
    }

    #[test]
    fn included_files_are_kept_as_macros() {
        let function: ItemFn = parse_quote! {
            /// One.
            #[doc = include_str!("two.md")]
            fn f() {}
        };
        let doc = Doc::of(&function.attrs);
        assert!(!doc.is_empty());
        assert!(doc.to_token_stream().to_string().contains("include_str"));
    }

    #[test]
    fn blank_comments_say_nothing() {
        let function: ItemFn = parse_quote! {
            ///
            fn f() {}
        };
        assert!(Doc::of(&function.attrs).is_empty());
    }
}
