//! Checks that only constants can make, reported at the user's own tokens.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

/// Stops the build at `at` if `report`, a `check::Report`, has found something.
///
/// `panic!` itself stands here, so that rustc shows no frame of ours; and it begins where `at`
/// begins and ends where `at` ends, because that is how rustc joins them to one underline. One constant and none
/// within it: each costs every build of every tool.
pub(crate) fn stop(rt: &TokenStream, at: &impl ToTokens, report: &TokenStream) -> TokenStream {
    let (first, last) = ends(at);
    let mut words = Group::new(Delimiter::Parenthesis, quote!("{}", __report.text()));
    words.set_span(last);
    let panic = quote_spanned!(first=> ::core::panic!);
    quote! {
        const _: () = {
            let __report: #rt::check::Report = #report;
            if __report.failed() {
                #panic #words
            }
        };
    }
}

/// Where `at` begins, and where it ends.
pub(crate) fn ends(at: &impl ToTokens) -> (Span, Span) {
    let tokens: Vec<TokenTree> = at.to_token_stream().into_iter().collect();
    let first = tokens.first().map_or_else(Span::call_site, first_of);
    let last = tokens.last().map_or_else(Span::call_site, last_of);
    (first, last)
}

/// The first token that is the user's: a fragment of a `macro_rules!` comes in an invisible group.
fn first_of(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            group.stream().into_iter().next().map_or_else(|| group.span(), |inner| first_of(&inner))
        }
        TokenTree::Group(group) => group.span_open(),
        token => token.span(),
    }
}

fn last_of(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            group.stream().into_iter().last().map_or_else(|| group.span(), |inner| last_of(&inner))
        }
        TokenTree::Group(group) => group.span_close(),
        token => token.span(),
    }
}
