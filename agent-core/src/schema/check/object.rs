//! Rules for the fields of one type.

use super::path::Path;
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
    valued(id, told(&argument.get().kind))
}

/// An id for a generic type with this value of a const parameter: `Grid<3>` and `Grid<4>` are two types.
pub const fn valued(id: u64, value: u64) -> u64 {
    (id.rotate_left(5) ^ value).wrapping_mul(0x0100_0000_01b3)
}

/// What tells a kind from others, as far as two arguments of a generic type may differ in it.
const fn told(kind: &Kind) -> u64 {
    match kind {
        Kind::Object(object) => object.id,
        Kind::Union(union) => union.id,
        Kind::Enum(list) => {
            let (mut id, mut i) = (hash(list.name), 0);
            while i < list.values.len() {
                id = valued(id, hash(list.values[i].name));
                i += 1;
            }
            id
        }
        Kind::Integer(integer) => (integer.min as u64) ^ (integer.max as u64).rotate_left(17),
        Kind::Number(number) => valued(3, *number as u64),
        Kind::Text(text) => {
            let id = valued(valued(4, maybe(text.format)), maybe(text.words));
            valued(valued(id, counted(text.min_length)), counted(text.max_length))
        }
        Kind::Array(array) => {
            let id = valued(mixed(1, array.item), array.unique as u64);
            valued(valued(id, counted(array.min_items)), counted(array.max_items))
        }
        Kind::Nullable(inner) => mixed(2, *inner),
        Kind::Foreign(foreign) => hash(foreign.name),
        kind => hash(kind.name()),
    }
}

const fn maybe(text: Option<&str>) -> u64 {
    match text {
        Some(text) => hash(text),
        None => 0,
    }
}

const fn counted(count: Option<u64>) -> u64 {
    match count {
        Some(count) => count.wrapping_add(1),
        None => 0,
    }
}

/// Whether a parameter can stand for all the arguments.
pub const fn whole(shape: &'static Shape, at: &str) -> Report {
    match &shape.kind {
        Kind::Object(_) | Kind::Refused(_) | Kind::Foreign(_) => Report::FINE,
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
        Kind::Object(_) | Kind::Refused(_) | Kind::Foreign(_) => Report::FINE,
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
        Kind::Refused(_) | Kind::Foreign(_) => Report::FINE,
        Kind::Object(object) if count(object, tag, 0) > 0 => {
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
    match doubled(object, &Path::root(object.name, false)) {
        Some(report) => report,
        None => Report::FINE,
    }
}

/// What is said where a flattened field brings a name that is there already, or cannot be flattened.
pub(super) const fn doubled(object: &'static Object, path: &Path<'_>) -> Option<Report> {
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        if field.flatten {
            match &field.shape.get().kind {
                Kind::Object(inner) => {
                    if let Some(name) = first_doubled(object, inner, 0) {
                        return Some(
                            path.wrong()
                                .add(" has two fields named ")
                                .name(name)
                                .add(" once ")
                                .name(inner.name)
                                .add(" is flattened; rename one of them"),
                        );
                    }
                }
                Kind::Refused(_) | Kind::Foreign(_) => {}
                kind if object.generic => {
                    return Some(
                        path.wrong()
                            .add(" flattens ")
                            .name(field.name)
                            .add(", which is ")
                            .add(kind.name())
                            .add("; only a struct with named fields can be flattened"),
                    );
                }
                // Told where it is written.
                _ => {}
            }
        }
        i += 1;
    }
    None
}

/// A struct that flattens itself is cut here; the validator says the same.
const DEEPEST: usize = 32;

/// The first name of `inner`, whose fields stand among those of `object`, that is there twice.
const fn first_doubled(object: &'static Object, inner: &'static Object, depth: usize) -> Option<&'static str> {
    let mut i = 0;
    while i < inner.fields.len() && depth < DEEPEST {
        let field = &inner.fields[i];
        match &field.shape.get().kind {
            Kind::Object(within) if field.flatten => {
                if let Some(name) = first_doubled(object, within, depth + 1) {
                    return Some(name);
                }
            }
            _ => {
                if count(object, field.name, 0) > 1 {
                    return Some(field.name);
                }
                let mut j = 0;
                while j < field.aliases.len() {
                    if count(object, field.aliases[j], 0) > 1 {
                        return Some(field.aliases[j]);
                    }
                    j += 1;
                }
            }
        }
        i += 1;
    }
    None
}

/// How many fields are read under this name.
const fn count(object: &Object, name: &str, depth: usize) -> usize {
    let mut found = 0;
    let mut i = 0;
    while i < object.fields.len() && depth < DEEPEST {
        let field = &object.fields[i];
        match &field.shape.get().kind {
            Kind::Object(inner) if field.flatten => found += count(inner, name, depth + 1),
            _ => {
                if same(field.name, name) {
                    found += 1;
                }
                let mut j = 0;
                while j < field.aliases.len() {
                    if same(field.aliases[j], name) {
                        found += 1;
                    }
                    j += 1;
                }
            }
        }
        i += 1;
    }
    found
}
