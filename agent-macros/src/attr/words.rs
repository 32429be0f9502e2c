//! The one grammar of our attributes: `word`, `word = value` and `word(..)`, with commas between.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token, Type, parenthesized};

use crate::ctxt::Ctxt;
use crate::nearest;
use crate::symbol::{self, Symbol};

/// A word of an attribute, and what stands behind it.
pub(crate) struct Word {
    pub(crate) name: Ident,
    value: Value,
}

enum Value {
    None,
    Is(TokenStream),
    List(TokenStream),
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value = value(input)?;
            if value.is_empty() {
                return Err(syn::Error::new_spanned(&name, format!("`{name} =` lacks its value")));
            }
            Value::Is(value)
        } else if input.peek(syn::token::Paren) {
            let list;
            parenthesized!(list in input);
            Value::List(list.parse()?)
        } else {
            Value::None
        };
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error(format!("expected `,`, `=` or `(..)` after `{name}`")));
        }
        Ok(Self { name, value })
    }
}

/// The tokens up to the next comma which is not within `<..>`, as that of `Pair<A, B>` is.
fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut value = TokenStream::new();
    let mut open = 0usize;
    while !input.is_empty() && (open > 0 || !input.peek(Token![,])) {
        if input.peek(Token![->]) {
            input.parse::<Token![->]>()?.to_tokens(&mut value);
            continue;
        }
        let token = input.parse::<TokenTree>()?;
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => open += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => open = open.saturating_sub(1),
            _ => {}
        }
        token.to_tokens(&mut value);
    }
    Ok(value)
}

impl ToTokens for Word {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.name.to_tokens(tokens);
    }
}

impl Word {
    /// The words of `tokens`.
    pub(crate) fn parse_all(cx: &Ctxt, tokens: TokenStream) -> Vec<Self> {
        let parsed = Punctuated::<Self, Token![,]>::parse_terminated.parse2(tokens);
        cx.ok(parsed).map(|words| words.into_iter().collect()).unwrap_or_default()
    }

    /// Notes that `expected` are the only words here.
    pub(crate) fn unknown(&self, cx: &Ctxt, expected: &[Symbol]) {
        let name = self.name.to_string();
        cx.error(&self.name, format!("unknown word `{name}`; {}", nearest::instead(&name, expected)));
    }

    /// Whether nothing stands behind the word.
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self.value, Value::None)
    }

    /// Nothing may stand behind the word.
    pub(crate) fn flag(&self, cx: &Ctxt) {
        if !self.is_bare() {
            cx.error(&self.name, format!("`{}` stands alone; it takes no value", self.name));
        }
    }

    /// `word = value`, read as a `T`; `example` says how one looks.
    pub(crate) fn value<T: Parse>(&self, cx: &Ctxt, example: &str) -> Option<T> {
        match &self.value {
            Value::Is(tokens) => match syn::parse2(tokens.clone()) {
                Ok(value) => Some(value),
                Err(_) => {
                    cx.error(tokens, format!("expected `{} = {example}`", self.name));
                    None
                }
            },
            Value::None | Value::List(_) => {
                cx.error(&self.name, format!("`{name}` needs a value: `{name} = {example}`", name = self.name));
                None
            }
        }
    }

    /// `word = "text"`.
    pub(crate) fn text(&self, cx: &Ctxt, example: &str) -> Option<LitStr> {
        self.value(cx, example)
    }

    /// `word = n`.
    pub(crate) fn count<N>(&self, cx: &Ctxt) -> Option<N>
    where
        N: std::str::FromStr,
        N::Err: std::fmt::Display,
    {
        let number: Expr = self.value(cx, "3")?;
        match &number {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => match int.base10_parse() {
                Ok(count) => return Some(count),
                Err(_) => cx.error(&number, format!("this number is too large for `{}`", self.name)),
            },
            _ => cx.error(&number, format!("`{}` takes a whole number", self.name)),
        }
        None
    }

    /// `word = path`.
    pub(crate) fn path(&self, cx: &Ctxt, example: &str) -> Option<Path> {
        self.value(cx, example)
    }

    /// `word = Type`, or `word = "Type"`.
    pub(crate) fn ty(&self, cx: &Ctxt, example: &str) -> Option<Type> {
        self.value(cx, example)
    }

    /// `word(a, b)`, each a `T`.
    pub(crate) fn list<T: Parse>(&self, cx: &Ctxt, example: &str) -> Vec<T> {
        match &self.value {
            Value::List(tokens) => match Punctuated::<T, Token![,]>::parse_terminated.parse2(tokens.clone()) {
                Ok(list) if !list.is_empty() => return list.into_iter().collect(),
                Ok(_) => cx.error(&self.name, format!("`{}(..)` is empty; expected `{example}`", self.name)),
                Err(error) => cx.syn_error(error),
            },
            _ => cx.error(&self.name, format!("expected `{example}`")),
        }
        Vec::new()
    }

    /// The words inside `word(..)`; none where there are no parentheses.
    pub(crate) fn inner(&self, cx: &Ctxt) -> Option<Vec<Self>> {
        match &self.value {
            Value::List(tokens) => Some(Self::parse_all(cx, tokens.clone())),
            _ => None,
        }
    }
}

/// The words of all attributes called `attribute`.
pub(crate) fn words_of(cx: &Ctxt, attrs: &[Attribute], attribute: Symbol) -> Vec<Word> {
    let mut words = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(attribute.0)) {
        match &attr.meta {
            Meta::List(list) => words.extend(Word::parse_all(cx, list.tokens.clone())),
            meta => cx.error(meta, format!("expected `#[{attribute}(..)]`")),
        }
    }
    words
}

/// `crate = path` in an attribute of a derived type, which knows no other word.
pub(crate) fn crate_path(cx: &Ctxt, attrs: &[Attribute], attribute: Symbol) -> Option<Path> {
    let mut krate = Once::default();
    for word in words_of(cx, attrs, attribute) {
        if word.name == symbol::CRATE {
            krate.set(cx, &word, word.path(cx, "::agent_core"));
        } else {
            cx.error(
                &word.name,
                format!(
                    "above a type, `#[{attribute}(..)]` takes only `crate = path`; `{}` belongs on a field",
                    word.name
                ),
            );
        }
    }
    krate.get().cloned()
}

/// A value that may be given once.
pub(crate) struct Once<T> {
    given: Option<(Ident, T)>,
    seen: bool,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { given: None, seen: false }
    }
}

impl<T> Once<T> {
    /// Takes the value; a second one is a mistake at its word.
    pub(crate) fn set(&mut self, cx: &Ctxt, word: &Word, value: Option<T>) {
        if self.seen {
            cx.error(&word.name, format!("`{}` is given twice; keep one", word.name));
        }
        self.seen = true;
        if let Some(value) = value {
            self.given.get_or_insert_with(|| (word.name.clone(), value));
        }
    }

    /// The value.
    pub(crate) fn get(&self) -> Option<&T> {
        self.given.as_ref().map(|(_, value)| value)
    }

    /// The word that gave it.
    pub(crate) fn word(&self) -> Option<&Ident> {
        self.given.as_ref().map(|(word, _)| word)
    }

    /// Whether it was given, be it with a mistake.
    pub(crate) fn is_given(&self) -> bool {
        self.seen
    }
}
