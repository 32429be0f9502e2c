//! What tells one call of a tool from another.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::tree::Tree;
use crate::schema::{DefaultValue, Object};

/// Stands in front of what is hashed. Changing the encoding changes every key, so the number must change with it.
const VERSION: u8 = 1;

/// What tells the normalised arguments of a call from others of the same tool: of a mutating call SHA-256 over them, on
/// which its key hangs; of a read, where only repetitions are looked for, a sum that costs less. Shown as 64 hexadecimal
/// digits.
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

impl Digest {
    /// The digest as it is shown.
    pub(crate) fn hex(&self) -> Hex {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        Hex(text)
    }
}

/// The text of a [`Digest`].
pub(crate) struct Hex([u8; 64]);

impl Hex {
    pub(crate) fn as_str(&self) -> &str {
        // Hexadecimal digits are ASCII, so that the default is never taken.
        std::str::from_utf8(&self.0).unwrap_or_default()
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
        f.write_str(self.hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The digest of one call's arguments: of its `identity` fields where there are any, else of all.
pub(super) fn digest(object: &Object, fields: &[Option<Tree<'_>>]) -> Digest {
    let mut bytes = Vec::with_capacity(256);
    bytes.push(VERSION);
    encode_fields(object, fields, &mut bytes);
    Digest(Sha256::digest(&bytes).into())
}

/// The same of a call that only reads.
pub(super) fn sum(object: &Object, fields: &[Option<Tree<'_>>]) -> Digest {
    let mut sum = Sum([FACTORS[0], FACTORS[1]]);
    encode_fields(object, fields, &mut sum);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&sum.0[0].to_be_bytes());
    bytes[8..16].copy_from_slice(&sum.0[1].to_be_bytes());
    Digest(bytes)
}

fn encode_fields(object: &Object, fields: &[Option<Tree<'_>>], out: &mut impl Out) {
    let chosen = object.fields.iter().any(|field| field.identity);
    for (field, value) in object.fields.iter().zip(fields).filter(|(field, _)| field.identity || !chosen) {
        out.part(b'k', field.name.as_bytes());
        match (value, field.default) {
            (Some(value), _) => encode(value, out),
            (None, Some(DefaultValue::Serde | DefaultValue::Natural(_))) => out.word(b'd'),
            (None, _) => out.word(b'n'),
        }
    }
}

/// Writes a normalised value so that two values have the same bytes only if they are the same.
///
/// A normalised tree has one form for each value: fields in shape order under their own names,
/// decimals whole where they can be, no negative zero, strings as their types write them. A nested field that is left to a
/// default of serde's that is not known is not in the tree; an absent optional is there as null.
pub(super) fn encode(tree: &Tree<'_>, out: &mut impl Out) {
    match tree {
        Tree::Null => out.word(b'n'),
        Tree::Bool(value) => out.bool(*value),
        Tree::Int(value) => out.whole((*value).into()),
        Tree::Uint(value) => out.whole((*value).into()),
        // What reads a float sees the nearest one.
        Tree::Float(value) | Tree::Digits { near: value, .. } => out.float(*value),
        Tree::Seconds(span) => out.part(b't', span.as_nanos().to_string().as_bytes()),
        Tree::Str(text) => out.part(b's', text.as_bytes()),
        Tree::Array(items) => {
            out.count(b'[', items.len());
            items.iter().for_each(|item| encode(item, out));
        }
        Tree::Object(entries) => {
            out.count(b'{', entries.len());
            for (key, value) in entries {
                out.part(b'k', key.as_bytes());
                encode(value, out);
            }
        }
    }
}

/// Where the parts of a value go.
pub(super) trait Out {
    fn word(&mut self, tag: u8);
    fn bool(&mut self, value: bool);
    fn count(&mut self, tag: u8, count: usize);
    fn part(&mut self, tag: u8, part: &[u8]);
    fn whole(&mut self, value: i128);
    fn float(&mut self, value: f64);
}

impl Out for Vec<u8> {
    fn word(&mut self, tag: u8) {
        self.push(tag);
    }

    fn bool(&mut self, value: bool) {
        self.extend([b'b', u8::from(value)]);
    }

    fn count(&mut self, tag: u8, count: usize) {
        self.push(tag);
        // `usize` has at most 64 bits on every platform of Rust.
        self.extend_from_slice(&(count as u64).to_be_bytes());
    }

    fn part(&mut self, tag: u8, part: &[u8]) {
        self.count(tag, part.len());
        self.extend_from_slice(part);
    }

    fn whole(&mut self, value: i128) {
        self.part(b'i', value.to_string().as_bytes());
    }

    fn float(&mut self, value: f64) {
        self.part(b'f', format!("{value:e}").as_bytes());
    }
}

/// A sum of 128 bits, the same in every process. It is no defence against whoever looks for two values of one sum: a model
/// that did would find its own circuit open.
struct Sum([u64; 2]);

/// Fractions of pi, whose bits follow no pattern.
const FACTORS: [u64; 4] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

impl Sum {
    fn add(&mut self, bits: u64) {
        for (lane, factors) in self.0.iter_mut().zip(FACTORS.chunks_exact(2)) {
            let product = u128::from(*lane ^ bits ^ factors[0]) * u128::from(factors[1] | 1);
            // Both halves of the product, of which each has seen all bits.
            *lane = (product as u64) ^ ((product >> 64) as u64);
            *lane = lane.rotate_left(23).wrapping_add(bits);
        }
    }
}

impl Out for Sum {
    fn word(&mut self, tag: u8) {
        self.add(u64::from(tag));
    }

    fn bool(&mut self, value: bool) {
        self.count(b'b', usize::from(value));
    }

    fn count(&mut self, tag: u8, count: usize) {
        self.add(u64::from(tag) | (count as u64) << 8);
    }

    fn part(&mut self, tag: u8, part: &[u8]) {
        self.count(tag, part.len());
        for chunk in part.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_be_bytes(bytes));
        }
    }

    fn whole(&mut self, value: i128) {
        self.word(b'i');
        self.add(value as u64);
        self.add((value >> 64) as u64);
    }

    fn float(&mut self, value: f64) {
        self.word(b'f');
        self.add(value.to_bits());
    }
}
