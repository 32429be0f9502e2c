//! `#[arg(..)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Type};

use super::words::{Once, Word, words_of};
use crate::ctxt::Ctxt;
use crate::nearest;
use crate::number::Number;
use crate::pattern::Pattern;
use crate::symbol::{self, Symbol};

/// What `#[arg(..)]` says of a parameter or field.
#[derive(Default)]
pub(crate) struct Arg {
    pub(crate) rules: Vec<Rule>,
    pub(crate) default: Once<Given>,
    pub(crate) example: Once<Given>,
    pub(crate) rename: Once<LitStr>,
    pub(crate) identity: Once<()>,
    pub(crate) flatten: Once<()>,
    pub(crate) as_type: Once<Type>,
    /// The type gives its schema through `schemars`, when an agent is built.
    pub(crate) schemars: Once<()>,
}

/// A keyword of JSON Schema.
pub(crate) struct Rule {
    /// As the user wrote it.
    pub(crate) word: Ident,
    pub(crate) value: RuleValue,
}

/// What the keyword asks.
pub(crate) enum RuleValue {
    Number(Number),
    Length(u64),
    Items(u64),
    Pattern(Pattern),
    Format(LitStr),
}

/// A value in an attribute.
pub(crate) enum Given {
    Bool(bool, TokenStream),
    Number(Number),
    Text(LitStr),
    List(Vec<Given>, TokenStream),
}

const NUMBERS: [Symbol; 5] =
    [symbol::MINIMUM, symbol::EXCLUSIVE_MINIMUM, symbol::MAXIMUM, symbol::EXCLUSIVE_MAXIMUM, symbol::MULTIPLE_OF];

const WORDS: [Symbol; 18] = [
    symbol::MINIMUM,
    symbol::EXCLUSIVE_MINIMUM,
    symbol::MAXIMUM,
    symbol::EXCLUSIVE_MAXIMUM,
    symbol::MULTIPLE_OF,
    symbol::MIN_LENGTH,
    symbol::MAX_LENGTH,
    symbol::PATTERN,
    symbol::FORMAT,
    symbol::MIN_ITEMS,
    symbol::MAX_ITEMS,
    symbol::DEFAULT,
    symbol::EXAMPLE,
    symbol::RENAME,
    symbol::IDENTITY,
    symbol::FLATTEN,
    symbol::AS_TYPE,
    symbol::SCHEMARS,
];

/// The formats that the validator knows.
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

impl Arg {
    /// Reads all `#[arg(..)]` of `attrs`.
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut arg = Self::default();
        for word in words_of(cx, attrs, symbol::ARG) {
            arg.take(cx, &word);
        }
        arg
    }

    fn take(&mut self, cx: &Ctxt, word: &Word) {
        let flag = |cx| {
            word.flag(cx);
            Some(())
        };
        match &word.name {
            w if NUMBERS.iter().any(|number| w == number) => self.rule(cx, word, number(cx, word)),
            w if *w == symbol::MIN_LENGTH || *w == symbol::MAX_LENGTH => {
                self.rule(cx, word, word.count(cx).map(RuleValue::Length));
            }
            w if *w == symbol::MIN_ITEMS || *w == symbol::MAX_ITEMS => {
                self.rule(cx, word, word.count(cx).map(RuleValue::Items));
            }
            w if *w == symbol::PATTERN => self.rule(cx, word, pattern(cx, word)),
            w if *w == symbol::FORMAT => self.rule(cx, word, format(cx, word)),
            w if *w == symbol::DEFAULT => self.default.set(cx, word, given(cx, word)),
            w if *w == symbol::EXAMPLE => self.example.set(cx, word, given(cx, word)),
            w if *w == symbol::RENAME => self.rename.set(cx, word, word.text(cx, "\"name\"")),
            w if *w == symbol::IDENTITY => self.identity.set(cx, word, flag(cx)),
            w if *w == symbol::FLATTEN => self.flatten.set(cx, word, flag(cx)),
            w if *w == symbol::AS_TYPE => self.as_type.set(cx, word, word.ty(cx, "String")),
            w if *w == symbol::SCHEMARS => self.schemars.set(cx, word, flag(cx)),
            _ => word.unknown(cx, &WORDS),
        }
    }

    fn rule(&mut self, cx: &Ctxt, word: &Word, value: Option<RuleValue>) {
        if self.rules.iter().any(|rule| rule.word == word.name) {
            cx.error(&word.name, format!("`{}` is given twice; keep one", word.name));
        } else if let Some(value) = value {
            self.rules.push(Rule { word: word.name.clone(), value });
        }
    }

    /// The number behind `word`.
    pub(crate) fn number(&self, word: Symbol) -> Option<&Number> {
        self.rules.iter().find_map(|rule| match &rule.value {
            RuleValue::Number(number) if rule.word == word => Some(number),
            _ => None,
        })
    }

    /// The pattern that a string must match.
    pub(crate) fn pattern(&self) -> Option<&Pattern> {
        self.rules.iter().find_map(|rule| match &rule.value {
            RuleValue::Pattern(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// The count behind `word`, and the word.
    pub(crate) fn count(&self, word: Symbol) -> Option<(&Ident, u64)> {
        self.rules.iter().find_map(|rule| match &rule.value {
            RuleValue::Length(count) | RuleValue::Items(count) if rule.word == word => Some((&rule.word, *count)),
            _ => None,
        })
    }

    /// Any word that says something of the value, for places where nothing can be said of it.
    pub(crate) fn first_word(&self) -> Option<&Ident> {
        let rule = self.rules.first().map(|rule| &rule.word);
        rule.or(self.default.word())
            .or(self.example.word())
            .or(self.rename.word())
            .or(self.identity.word())
            .or(self.flatten.word())
            .or(self.as_type.word())
            .or(self.schemars.word())
    }
}

fn number(cx: &Ctxt, word: &Word) -> Option<RuleValue> {
    let number = cx.ok(Number::of(&word.value::<Expr>(cx, "1")?))?;
    if word.name == symbol::MULTIPLE_OF && !number.is_positive() {
        cx.error(&number, "`multiple_of` must be more than 0");
        return None;
    }
    Some(RuleValue::Number(number))
}

fn pattern(cx: &Ctxt, word: &Word) -> Option<RuleValue> {
    let text = word.text(cx, "\"^[A-Z]{2}$\"")?;
    cx.ok(Pattern::of(text)).map(RuleValue::Pattern)
}

fn format(cx: &Ctxt, word: &Word) -> Option<RuleValue> {
    let text = word.text(cx, "\"email\"")?;
    if !FORMATS.contains(&text.value().as_str()) {
        cx.error(&text, format!("unknown format; expected {}", nearest::list(FORMATS)));
        return None;
    }
    Some(RuleValue::Format(text))
}

fn given(cx: &Ctxt, word: &Word) -> Option<Given> {
    let expr: Expr = word.value(cx, "\"GBP\"")?;
    cx.ok(Given::of(&expr))
}

impl Given {
    fn of(expr: &Expr) -> syn::Result<Self> {
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Bool(bool), .. }) => Ok(Self::Bool(bool.value, expr.to_token_stream())),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Self::Text(text.clone())),
            Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_), .. }) | Expr::Unary(_) => {
                Number::of(expr).map(Self::Number)
            }
            Expr::Array(array) => {
                let items = array.elems.iter().map(Self::of).collect::<syn::Result<_>>()?;
                Ok(Self::List(items, expr.to_token_stream()))
            }
            Expr::Group(group) => Self::of(&group.expr),
            Expr::Path(path) if path.path.is_ident("None") => {
                Err(syn::Error::new_spanned(expr, "what is left out of an `Option` is `None` already; say nothing"))
            }
            Expr::Path(_) => Err(syn::Error::new_spanned(
                expr,
                "write the value as it stands on the wire: a variant by its name there, such as `\"low\"`",
            )),
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) => {
                Err(syn::Error::new_spanned(expr, "write the value without the `Some(..)` around it"))
            }
            _ => Err(syn::Error::new_spanned(
                expr,
                "expected a boolean, a number, a string or a list of these, such as `\"GBP\"`",
            )),
        }
    }

    /// As JSON text.
    pub(crate) fn json(&self) -> String {
        match self {
            Self::Bool(bool, _) => bool.to_string(),
            Self::Number(number) => number.json(),
            Self::Text(text) => quoted(&text.value()),
            Self::List(items, _) => {
                let items: Vec<String> = items.iter().map(Self::json).collect();
                format!("[{}]", items.join(","))
            }
        }
    }

    /// As a `Given` of the runtime, for the checks that know the type.
    pub(crate) fn checked(&self, rt: &TokenStream) -> TokenStream {
        match self {
            Self::Bool(bool, _) => quote!(#rt::check::Given::Bool(#bool)),
            Self::Number(number) => {
                let bound = number.bound(rt);
                quote!(#rt::check::Given::Number(#bound))
            }
            Self::Text(text) => quote!(#rt::check::Given::Text(#text)),
            Self::List(items, _) => {
                let items = items.iter().map(|item| item.checked(rt));
                quote!(#rt::check::Given::List(&[#(#items),*]))
            }
        }
    }
}

impl ToTokens for Given {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Bool(_, written) | Self::List(_, written) => written.to_tokens(tokens),
            Self::Number(number) => number.to_tokens(tokens),
            Self::Text(text) => text.to_tokens(tokens),
        }
    }
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            letter if letter < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}
