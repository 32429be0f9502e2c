//! The attributes of serde that say how a type is read.

use syn::{Attribute, Ident, LitStr};

use super::tool::case;
use super::words::{Once, Word, words_of};
use crate::case::Case;
use crate::ctxt::Ctxt;
use crate::symbol;

/// What serde reads of a struct or enum.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) rename_all: Once<Case>,
    pub(crate) rename_all_fields: Once<Case>,
    pub(crate) default: Once<()>,
    pub(crate) tag: Once<LitStr>,
    pub(crate) transparent: Once<()>,
}

/// What serde reads of a field.
#[derive(Default)]
pub(crate) struct FieldAttr {
    pub(crate) rename: Once<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Once<SerdeDefault>,
    pub(crate) skip: bool,
    pub(crate) flatten: Once<()>,
    /// `with` or `deserialize_with`: the wire form is not that of the type.
    pub(crate) with: Option<Ident>,
}

/// What serde fills in for an absent field.
#[derive(Clone, Copy)]
pub(crate) enum SerdeDefault {
    /// The `Default` of its type.
    OfType,
    /// What a function gives, or the default of the struct around it.
    Made,
}

/// What serde reads of a variant.
#[derive(Default)]
pub(crate) struct VariantAttr {
    pub(crate) rename: Once<LitStr>,
    pub(crate) rename_all: Once<Case>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) skip: bool,
}

/// Words that change nothing about what is read.
const WRITE_ONLY: [&str; 7] =
    ["skip_serializing", "skip_serializing_if", "serialize_with", "bound", "crate", "expecting", "borrow"];

impl Container {
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut attr = Self::default();
        for word in words_of(cx, attrs, symbol::SERDE) {
            match &word.name {
                w if *w == symbol::RENAME_ALL => attr.rename_all.set(cx, &word, read_case(cx, &word)),
                w if *w == symbol::RENAME_ALL_FIELDS => attr.rename_all_fields.set(cx, &word, read_case(cx, &word)),
                w if *w == symbol::DEFAULT => attr.default.set(cx, &word, Some(())),
                w if *w == symbol::TAG => attr.tag.set(cx, &word, word.text(cx, "\"kind\"")),
                w if *w == symbol::TRANSPARENT => attr.transparent.set(cx, &word, Some(())),
                w if *w == symbol::RENAME || *w == symbol::DENY_UNKNOWN_FIELDS => {}
                _ => refused(cx, &word),
            }
        }
        attr
    }
}

impl FieldAttr {
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut attr = Self::default();
        for word in words_of(cx, attrs, symbol::SERDE) {
            match &word.name {
                w if *w == symbol::RENAME => attr.rename.set(cx, &word, read_name(cx, &word)),
                w if *w == symbol::ALIAS => attr.aliases.extend(word.text(cx, "\"name\"")),
                w if *w == symbol::DEFAULT => {
                    let default = if word.is_bare() { SerdeDefault::OfType } else { SerdeDefault::Made };
                    attr.default.set(cx, &word, Some(default));
                }
                w if *w == symbol::SKIP || *w == symbol::SKIP_DESERIALIZING => attr.skip = true,
                w if *w == symbol::FLATTEN => attr.flatten.set(cx, &word, Some(())),
                w if *w == symbol::WITH || *w == symbol::DESERIALIZE_WITH => attr.with = Some(word.name.clone()),
                _ => refused(cx, &word),
            }
        }
        attr
    }
}

impl VariantAttr {
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut attr = Self::default();
        for word in words_of(cx, attrs, symbol::SERDE) {
            match &word.name {
                w if *w == symbol::RENAME => attr.rename.set(cx, &word, read_name(cx, &word)),
                w if *w == symbol::RENAME_ALL => attr.rename_all.set(cx, &word, read_case(cx, &word)),
                w if *w == symbol::ALIAS => attr.aliases.extend(word.text(cx, "\"name\"")),
                w if *w == symbol::SKIP || *w == symbol::SKIP_DESERIALIZING => attr.skip = true,
                _ => refused(cx, &word),
            }
        }
        attr
    }
}

/// A word whose effect on the wire a schema cannot follow.
fn refused(cx: &Ctxt, word: &Word) {
    let name = word.name.to_string();
    if WRITE_ONLY.contains(&name.as_str()) {
        return;
    }
    let why = match name.as_str() {
        "untagged" => "forms without a tag cannot be told apart by a model; use `#[serde(tag = \"kind\")]`",
        "content" => "tag and content side by side are not supported; use `#[serde(tag = \"kind\")]` alone",
        "with" | "deserialize_with" => {
            "it changes what is read, and the schema cannot follow; name the field, and say there `#[arg(as_type = ..)]`"
        }
        "from" | "try_from" | "remote" => {
            "it changes what is read, and the schema cannot follow; say `#[arg(as_type = ..)]` where the type is used"
        }
        "other" => "a model is shown every variant; name them all",
        "field_identifier" | "variant_identifier" => "such a type reads names, which a model does not fill in",
        // serde knows no other, and says so itself.
        _ => return,
    };
    cx.error(&word.name, format!("`{name}` does not go with `ToolSchema`: {why}"));
}

/// `rename = ".."`, or `rename(deserialize = "..")`.
fn read_name(cx: &Ctxt, word: &Word) -> Option<LitStr> {
    match for_reading(cx, word) {
        Reading::Here => word.text(cx, "\"name\""),
        Reading::Inside(inner) => inner.text(cx, "\"name\""),
        Reading::Not => None,
    }
}

fn read_case(cx: &Ctxt, word: &Word) -> Option<Case> {
    match for_reading(cx, word) {
        Reading::Here => case(cx, word),
        Reading::Inside(inner) => case(cx, &inner),
        Reading::Not => None,
    }
}

enum Reading {
    Here,
    Inside(Word),
    Not,
}

fn for_reading(cx: &Ctxt, word: &Word) -> Reading {
    let Some(inner) = word.inner(cx) else { return Reading::Here };
    let found = inner.into_iter().find(|inner| inner.name == symbol::DESERIALIZE);
    found.map_or(Reading::Not, Reading::Inside)
}
