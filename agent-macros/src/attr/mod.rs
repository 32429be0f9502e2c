//! Attributes as data. Rules that need one attribute live here, rules that need several in `check`.

mod arg;
mod serde;
mod tool;
mod words;

pub(crate) use arg::{Arg, Given, Rule, RuleValue};
pub(crate) use serde::{Container, FieldAttr, VariantAttr};
pub(crate) use tool::{Access, Duplicates, ToolAttr, case, wrong_name};
pub(crate) use words::{Once, Word, words_of};
