//! Attributes as data. Rules that need one attribute live here, rules that need several in `check`.

mod arg;
mod fault;
mod serde;
mod tool;
mod words;

pub(crate) use arg::{Arg, Given, Rule, RuleValue, quoted};
pub(crate) use fault::Fault;
pub(crate) use serde::{Container, FieldAttr, SerdeDefault, VariantAttr};
pub(crate) use tool::{Access, Duplicates, ToolAttr, wrong_name};
pub(crate) use words::{crate_path, words_of};
