//! `#[tool(..)]` on a variant of an error.

use syn::{Attribute, LitStr, Path};

use super::words::{Once, Word, words_of};
use crate::ctxt::Ctxt;
use crate::symbol::{self, Symbol};

/// What a variant says of itself.
#[derive(Default)]
pub(crate) struct Fault {
    pub(crate) business: Once<LitStr>,
    pub(crate) fatal: Once<()>,
    pub(crate) not_done: Once<()>,
    pub(crate) transient: Once<()>,
    pub(crate) krate: Once<Path>,
}

const WORDS: [Symbol; 4] = [symbol::BUSINESS, symbol::FATAL, symbol::NOT_DONE, symbol::TRANSIENT];

impl Fault {
    /// What is said of a variant.
    pub(crate) fn of_variant(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let fault = Self::parse(cx, attrs);
        if let Some(word) = fault.krate.word() {
            cx.error(word, "`crate` is said once, of the whole error: `#[tool(crate = ::agent_core)] enum ..`");
        }
        fault
    }

    /// What is said of a whole enum: where the runtime is.
    pub(crate) fn of_enum(cx: &Ctxt, attrs: &[Attribute]) -> Option<Path> {
        let fault = Self::parse(cx, attrs);
        let words = [fault.business.word(), fault.fatal.word(), fault.not_done.word(), fault.transient.word()];
        for word in words.into_iter().flatten() {
            cx.error(
                word,
                format!(
                    "`{word}` is said of each variant: `#[tool({word}{})]` on it",
                    match word {
                        word if *word == symbol::BUSINESS => "(\"CODE\")",
                        _ => "",
                    }
                ),
            );
        }
        fault.krate.get().cloned()
    }

    /// Reads all `#[tool(..)]` of `attrs`.
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut fault = Self::default();
        for word in words_of(cx, attrs, symbol::TOOL) {
            let flag = |cx| {
                word.flag(cx);
                Some(())
            };
            match &word.name {
                w if *w == symbol::BUSINESS => fault.business.set(cx, &word, code(cx, &word)),
                w if *w == symbol::FATAL => fault.fatal.set(cx, &word, flag(cx)),
                w if *w == symbol::NOT_DONE => fault.not_done.set(cx, &word, flag(cx)),
                w if *w == symbol::TRANSIENT => fault.transient.set(cx, &word, flag(cx)),
                w if *w == symbol::CRATE => fault.krate.set(cx, &word, word.path(cx, "::agent_core")),
                _ => word.unknown(cx, &WORDS),
            }
        }
        fault
    }
}

/// `business("CREDIT_LIMIT")`
fn code(cx: &Ctxt, word: &Word) -> Option<LitStr> {
    let mut codes = word.list::<LitStr>(cx, "business(\"CREDIT_LIMIT\")").into_iter();
    let code = codes.next()?;
    if let Some(second) = codes.next() {
        cx.error(second, "a business error has one code");
    }
    let text = code.value();
    let plain = text.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
    if !plain || !text.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        cx.error(&code, "a code is in upper snake case: `CREDIT_LIMIT`");
        return None;
    }
    Some(code)
}
