//! Checks that generated code asks for in constants, so that a mistake is a compile error on the user's line.
//!
//! Each gives a [`Report`]; the `panic!` that shows it stands in the generated code, because a panic in here
//! would make rustc print a frame for each function of ours that it went through.

mod default;
mod finite;
mod identity;
mod list;
mod object;
mod once;
mod path;
mod report;
mod rule;
mod seen;
mod sums;
mod tool;
mod totals;
mod walk;
mod warn;

pub use default::{Given, default};
pub(crate) use finite::endless;
pub use finite::finite;
pub use identity::identity;
pub use list::{duplicate, fits, list, spec, sums};
pub use object::{flattened, hash, mixed, names, tagged, valued, whole};
pub use once::{argument, arguments, property, tool};
pub use report::Report;
pub use rule::{Asks, rule};
pub(super) use sums::Sums;
pub use sums::counted;
pub(super) use tool::property_at;
pub use tool::{described, name, together, totals};
pub(super) use walk::argument as argument_of;
pub use walk::refused;
pub use warn::{is_long, is_long_below, is_wide};

use crate::schema::{Kind, Shape};

/// The shape itself where null is allowed beside it.
const fn present(shape: &'static Shape) -> &'static Shape {
    let mut shape = shape;
    while let Kind::Nullable(inner) = &shape.kind {
        shape = inner.get();
    }
    shape
}

/// `==` for constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The number of characters.
const fn chars(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut i, mut count) = (0, 0);
    while i < bytes.len() {
        // Bytes of the form 10xxxxxx continue a character.
        if bytes[i] & 0xC0 != 0x80 {
            count += 1;
        }
        i += 1;
    }
    count
}
