//! What tells one call of a tool from another.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::tree::Tree;
use crate::schema::{DefaultValue, Object};

/// Stands in front of what is hashed. Changing the encoding changes every key, so the number must change with it.
const VERSION: u8 = 1;

/// SHA-256 over the normalised arguments of a call. Shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these parts, each told apart by its length.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The digest with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

#[cfg(feature = "jsonschema")]
impl Digest {
    /// The digest of arguments without a shape, in their sorted form.
    pub(crate) fn of_tree(tree: &Tree<'_>) -> Self {
        let mut bytes = vec![VERSION];
        encode(tree, &mut bytes);
        Self(Sha256::digest(&bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The digest of one call's arguments: of its `identity` fields where there are any, else of all.
pub(super) fn digest(object: &Object, fields: &[Option<Tree<'_>>]) -> Digest {
    let chosen = object.fields.iter().any(|field| field.identity);
    let mut bytes = vec![VERSION];
    for (field, value) in object.fields.iter().zip(fields).filter(|(field, _)| field.identity || !chosen) {
        push_part(&mut bytes, b'k', field.name.as_bytes());
        match (value, field.default) {
            (Some(value), _) => encode(value, &mut bytes),
            (None, Some(DefaultValue::Serde | DefaultValue::Natural(_))) => bytes.push(b'd'),
            (None, _) => bytes.push(b'n'),
        }
    }
    Digest(Sha256::digest(&bytes).into())
}

/// Writes a normalised value so that two values have the same bytes only if they are the same.
///
/// A normalised tree has one form for each value: fields in shape order under their own names,
/// decimals whole where they can be, no negative zero, strings as their types write them. A nested field that is left to a
/// default of serde's that is not known is not in the tree; an absent optional is there as null.
pub(super) fn encode(tree: &Tree<'_>, bytes: &mut Vec<u8>) {
    match tree {
        Tree::Null => bytes.push(b'n'),
        Tree::Bool(value) => bytes.extend([b'b', u8::from(*value)]),
        Tree::Int(value) => push_part(bytes, b'i', value.to_string().as_bytes()),
        Tree::Uint(value) => push_part(bytes, b'i', value.to_string().as_bytes()),
        // What reads a float sees the nearest one.
        Tree::Float(value) | Tree::Digits { near: value, .. } => {
            push_part(bytes, b'f', format!("{value:e}").as_bytes());
        }
        Tree::Seconds(span) => push_part(bytes, b't', span.as_nanos().to_string().as_bytes()),
        Tree::Str(text) => push_part(bytes, b's', text.as_bytes()),
        Tree::Array(items) => {
            push_count(bytes, b'[', items.len());
            items.iter().for_each(|item| encode(item, bytes));
        }
        Tree::Object(entries) => {
            push_count(bytes, b'{', entries.len());
            for (key, value) in entries {
                push_part(bytes, b'k', key.as_bytes());
                encode(value, bytes);
            }
        }
    }
}

fn push_part(bytes: &mut Vec<u8>, tag: u8, part: &[u8]) {
    push_count(bytes, tag, part.len());
    bytes.extend_from_slice(part);
}

fn push_count(bytes: &mut Vec<u8>, tag: u8, count: usize) {
    bytes.push(tag);
    // `usize` has at most 64 bits on every platform of Rust.
    bytes.extend_from_slice(&(count as u64).to_be_bytes());
}
