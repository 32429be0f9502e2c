//! Rules for the fields of one type.

use super::{Report, present, same};
use crate::schema::{Kind, Link, Object, Shape};

/// An id for a type, from where it is written.
pub const fn hash(place: &str) -> u64 {
    // FNV-1a; nothing here is hostile.
    let bytes = place.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// An id for a generic type with this argument: `Page<A>` and `Page<B>` are two types.
pub const fn mixed(id: u64, argument: Link) -> u64 {
    let next = match &argument.get().kind {
        Kind::Object(object) => object.id,
        Kind::Union(union) => union.id,
        Kind::Enum(list) => hash(list.name),
        Kind::Integer(integer) => (integer.min as u64) ^ (integer.max as u64).rotate_left(17),
        Kind::Array(array) => mixed(1, array.item),
        Kind::Nullable(inner) => mixed(2, *inner),
        kind => hash(kind.name()),
    };
    (id.rotate_left(5) ^ next).wrapping_mul(0x0100_0000_01b3)
}

/// Whether a parameter can stand for all the arguments.
pub const fn whole(shape: &'static Shape, at: &str) -> Report {
    match &shape.kind {
        Kind::Object(_) | Kind::Refused(_) => Report::FINE,
        kind => Report::WRONG
            .name(at)
            .add(" is ")
            .add(kind.name())
            .add("; `flatten` takes a struct with named fields as the whole argument object"),
    }
}

/// Whether the fields of a field's type can stand in place of it.
pub const fn flattened(shape: &'static Shape, at: &str) -> Report {
    match &shape.kind {
        Kind::Object(_) | Kind::Refused(_) => Report::FINE,
        kind => Report::WRONG
            .name(at)
            .add(" is ")
            .add(kind.name())
            .add("; only a struct with named fields can be flattened"),
    }
}

/// Whether a variant's content can carry the tag beside its own fields.
pub const fn tagged(shape: &'static Shape, at: &str, tag: &str) -> Report {
    match &present(shape).kind {
        Kind::Refused(_) => Report::FINE,
        Kind::Object(object) if has(object, tag) => {
            Report::WRONG.name(at).add(" has a field ").name(tag).add(", which is the tag's name; rename one of them")
        }
        Kind::Object(_) => Report::FINE,
        kind => Report::WRONG
            .name(at)
            .add(" holds ")
            .add(kind.name())
            .add(", which has no place for the tag ")
            .name(tag)
            .add("; hold a struct with named fields"),
    }
}

/// Whether each field has a name of its own, those of flattened fields counted.
pub const fn names(shape: &'static Shape) -> Report {
    let Kind::Object(object) = &shape.kind else { return Report::FINE };
    let mut i = 0;
    while i < object.fields.len() {
        if let (true, Kind::Object(inner)) = (object.fields[i].flatten, &object.fields[i].shape.get().kind) {
            let mut j = 0;
            while j < object.fields.len() {
                let twice = if i == j {
                    None
                } else if object.fields[j].flatten {
                    match &object.fields[j].shape.get().kind {
                        Kind::Object(other) => shared(inner, other),
                        _ => None,
                    }
                } else if has(inner, object.fields[j].name) {
                    Some(object.fields[j].name)
                } else {
                    None
                };
                if let Some(name) = twice {
                    return Report::WRONG
                        .add("two fields of ")
                        .name(object.name)
                        .add(" are named ")
                        .name(name)
                        .add(" once ")
                        .name(inner.name)
                        .add(" is flattened; rename one of them");
                }
                j += 1;
            }
        }
        i += 1;
    }
    Report::FINE
}

const fn has(object: &Object, name: &str) -> bool {
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        match &field.shape.get().kind {
            Kind::Object(inner) if field.flatten => {
                if has(inner, name) {
                    return true;
                }
            }
            _ => {
                if same(field.name, name) {
                    return true;
                }
            }
        }
        i += 1;
    }
    false
}

const fn shared(a: &Object, b: &Object) -> Option<&'static str> {
    let mut i = 0;
    while i < a.fields.len() {
        if !a.fields[i].flatten && has(b, a.fields[i].name) {
            return Some(a.fields[i].name);
        }
        i += 1;
    }
    None
}
