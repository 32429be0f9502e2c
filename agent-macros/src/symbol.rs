//! Every word that the attributes know, once.

use std::fmt;

use syn::Ident;

/// A word of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol(pub(crate) &'static str);

impl PartialEq<Symbol> for Ident {
    fn eq(&self, word: &Symbol) -> bool {
        self == word.0
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! symbols {
    ($($name:ident = $word:literal;)*) => { $(pub(crate) const $name: Symbol = Symbol($word);)* };
}

symbols! {
    ALIAS = "alias";
    ALLOW = "allow";
    APPROVAL = "approval";
    ARG = "arg";
    AS_TYPE = "as_type";
    BUSINESS = "business";
    CRATE = "crate";
    DEFAULT = "default";
    DENY_UNKNOWN_FIELDS = "deny_unknown_fields";
    DESERIALIZE = "deserialize";
    DESERIALIZE_WITH = "deserialize_with";
    DUPLICATES = "duplicates";
    EXAMPLE = "example";
    EXCLUSIVE_MAXIMUM = "exclusive_maximum";
    EXCLUSIVE_MINIMUM = "exclusive_minimum";
    FATAL = "fatal";
    FLATTEN = "flatten";
    FORMAT = "format";
    HANDLE = "handle";
    IDENTITY = "identity";
    KEYED = "keyed";
    LONG_DESCRIPTION = "long_description";
    MAXIMUM = "maximum";
    MAX_CALLS = "max_calls";
    MAX_ITEMS = "max_items";
    MAX_LENGTH = "max_length";
    MINIMUM = "minimum";
    MIN_ITEMS = "min_items";
    MIN_LENGTH = "min_length";
    MULTIPLE_OF = "multiple_of";
    MUTATING = "mutating";
    NAME = "name";
    NOT_DONE = "not_done";
    PATTERN = "pattern";
    PERMISSION = "permission";
    PROVIDERS = "providers";
    RECONCILE = "reconcile";
    RENAME = "rename";
    RENAME_ALL = "rename_all";
    RENAME_ALL_FIELDS = "rename_all_fields";
    RETRIES = "retries";
    SERDE = "serde";
    SKIP = "skip";
    SKIP_DESERIALIZING = "skip_deserializing";
    STATE = "state";
    SCHEMARS = "schemars";
    STRICT = "strict";
    TAG = "tag";
    TIMEOUT = "timeout";
    TOOL = "tool";
    TRANSIENT = "transient";
    TRANSPARENT = "transparent";
    UNRESTRICTED = "unrestricted";
    WIDE_INTEGERS = "wide_integers";
    WITH = "with";
}
