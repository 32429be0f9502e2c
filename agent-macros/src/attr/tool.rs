//! `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{Ident, LitBool, LitStr, Path};

use super::words::{Once, Word};
use crate::case::Case;
use crate::ctxt::Ctxt;
use crate::nearest;
use crate::symbol::{self, Symbol};

/// What `#[tool(..)]` says.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Once<LitStr>,
    pub(crate) rename_all: Once<Case>,
    pub(crate) handle: Once<Ident>,
    pub(crate) mutating: Once<()>,
    pub(crate) permission: Once<LitStr>,
    pub(crate) unrestricted: Once<()>,
    /// In milliseconds.
    pub(crate) timeout: Once<u64>,
    pub(crate) approval: Once<()>,
    pub(crate) max_calls: Once<u32>,
    pub(crate) retries: Once<u32>,
    pub(crate) duplicates: Once<Duplicates>,
    pub(crate) keyed: Once<()>,
    pub(crate) reconcile: Once<Path>,
    pub(crate) providers: Once<Vec<Path>>,
    pub(crate) strict: Once<bool>,
    pub(crate) allow: Vec<Symbol>,
    pub(crate) krate: Once<Path>,
    /// Whether a word is none of these.
    pub(crate) unknown: bool,
}

/// What a second call with the same arguments means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicates {
    Replay,
    Allow,
}

/// Who may call, once it is known to be said right.
pub(crate) enum Access {
    Open,
    Needs(LitStr),
}

const WORDS: [Symbol; 17] = [
    symbol::NAME,
    symbol::RENAME_ALL,
    symbol::MUTATING,
    symbol::PERMISSION,
    symbol::UNRESTRICTED,
    symbol::TIMEOUT,
    symbol::APPROVAL,
    symbol::MAX_CALLS,
    symbol::RETRIES,
    symbol::DUPLICATES,
    symbol::KEYED,
    symbol::RECONCILE,
    symbol::PROVIDERS,
    symbol::STRICT,
    symbol::HANDLE,
    symbol::ALLOW,
    symbol::CRATE,
];

impl ToolAttr {
    /// Reads the words of the attribute.
    pub(crate) fn parse(cx: &Ctxt, tokens: TokenStream) -> Self {
        let mut attr = Self::default();
        for word in Word::parse_all(cx, tokens) {
            attr.take(cx, &word);
        }
        attr
    }

    fn take(&mut self, cx: &Ctxt, word: &Word) {
        let flag = |cx| {
            word.flag(cx);
            Some(())
        };
        match &word.name {
            w if *w == symbol::NAME => self.name.set(cx, word, tool_name(cx, word)),
            w if *w == symbol::RENAME_ALL => self.rename_all.set(cx, word, case(cx, word)),
            w if *w == symbol::HANDLE => self.handle.set(cx, word, word.value(cx, "RecordInvoice")),
            w if *w == symbol::MUTATING => self.mutating.set(cx, word, flag(cx)),
            w if *w == symbol::PERMISSION => self.permission.set(cx, word, permission(cx, word)),
            w if *w == symbol::UNRESTRICTED => self.unrestricted.set(cx, word, flag(cx)),
            w if *w == symbol::TIMEOUT => self.timeout.set(cx, word, timeout(cx, word)),
            w if *w == symbol::APPROVAL => self.approval.set(cx, word, flag(cx)),
            w if *w == symbol::MAX_CALLS => self.max_calls.set(cx, word, positive(cx, word)),
            w if *w == symbol::RETRIES => self.retries.set(cx, word, positive(cx, word)),
            w if *w == symbol::DUPLICATES => self.duplicates.set(cx, word, duplicates(cx, word)),
            w if *w == symbol::KEYED => self.keyed.set(cx, word, flag(cx)),
            w if *w == symbol::RECONCILE => self.reconcile.set(cx, word, word.path(cx, "find_invoice")),
            w if *w == symbol::PROVIDERS => {
                self.providers.set(cx, word, Some(word.list(cx, "providers(profile::OPENAI)")));
            }
            w if *w == symbol::STRICT => self.strict.set(cx, word, strict(cx, word)),
            w if *w == symbol::ALLOW => self.allow.extend(allowed(cx, word)),
            w if *w == symbol::CRATE => self.krate.set(cx, word, word.path(cx, "::agent_core")),
            _ => {
                self.unknown = true;
                word.unknown(cx, &WORDS);
            }
        }
    }
}

/// `name = ".."`, which providers take if it is of 1 to 64 of their characters.
fn tool_name(cx: &Ctxt, word: &Word) -> Option<LitStr> {
    let name = word.text(cx, "\"record_invoice\"")?;
    if let Some(wrong) = wrong_name(&name.value()) {
        cx.error(&name, wrong);
        return None;
    }
    Some(name)
}

/// What is wrong with a tool's name.
pub(crate) fn wrong_name(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length == 0 || length > 64 {
        return Some(format!("a tool's name has 1 to 64 characters, this one has {length}"));
    }
    let wrong = name.chars().find(|letter| !letter.is_ascii_alphanumeric() && !"_-".contains(*letter))?;
    Some(format!("a tool's name is of `a-z`, `A-Z`, `0-9`, `_` and `-`; this one has `{wrong}`"))
}

/// `rename_all = "camelCase"`.
pub(crate) fn case(cx: &Ctxt, word: &Word) -> Option<Case> {
    let name = word.text(cx, "\"camelCase\"")?;
    let case = Case::named(&name.value());
    if case.is_none() {
        cx.error(&name, format!("unknown case; expected {}", nearest::list(Case::names())));
    }
    case
}

fn permission(cx: &Ctxt, word: &Word) -> Option<LitStr> {
    let role = word.text(cx, "\"billing:write\"")?;
    if role.value().trim().is_empty() {
        cx.error(&role, "a permission has a name; `unrestricted` lets every caller in");
        return None;
    }
    Some(role)
}

/// `timeout = "5s"`, in milliseconds.
fn timeout(cx: &Ctxt, word: &Word) -> Option<u64> {
    let written = word.text(cx, "\"5s\"")?;
    let text = written.value();
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (count, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let millis = unit.and_then(|unit: u64| count.parse::<u64>().ok()?.checked_mul(unit));
    match millis {
        Some(0) => cx.error(&written, "no tool ends within no time; give at least `1ms`"),
        Some(millis) => return Some(millis),
        None => cx.error(&written, "expected a whole number and a unit: `500ms`, `5s`, `2m` or `1h`"),
    }
    None
}

fn positive(cx: &Ctxt, word: &Word) -> Option<u32> {
    let count = word.count(cx)?;
    if count == 0 {
        cx.error(&word.name, format!("`{} = 0` says nothing; leave it out or give at least 1", word.name));
        return None;
    }
    Some(count)
}

fn duplicates(cx: &Ctxt, word: &Word) -> Option<Duplicates> {
    let written = word.text(cx, "\"replay\"")?;
    match written.value().as_str() {
        "replay" => return Some(Duplicates::Replay),
        "allow" => return Some(Duplicates::Allow),
        _ => cx.error(
            &written,
            "expected `replay` (a second call with the same arguments gives the first result back) or `allow` (it runs)",
        ),
    }
    None
}

fn strict(cx: &Ctxt, word: &Word) -> Option<bool> {
    word.value::<LitBool>(cx, "false").map(|strict| strict.value)
}

/// `allow(long_description)`: our own warnings, turned off.
fn allowed(cx: &Ctxt, word: &Word) -> Vec<Symbol> {
    const WARNINGS: [Symbol; 2] = [symbol::LONG_DESCRIPTION, symbol::WIDE_INTEGERS];
    let mut allowed = Vec::new();
    for name in word.list::<Ident>(cx, "allow(long_description)") {
        match WARNINGS.iter().find(|warning| name == **warning) {
            Some(warning) => allowed.push(*warning),
            None => {
                let words = nearest::instead(&name.to_string(), &WARNINGS);
                cx.error(&name, format!("`{name}` is no warning of this macro; {words}"));
            }
        }
    }
    allowed
}
