//! What is neither refused nor right: it can neither be published nor enforced, so it is said while compiling.

use super::chars;
use super::seen::Ids;
use crate::schema::{Bound, Field, Kind, Rules};
use crate::tool::ToolSpec;

/// Whether a description is longer than older deployments of OpenAI and Azure take.
pub const fn is_long(description: &str) -> bool {
    // Bytes are counted for us.
    description.len() > 1024 && chars(description) > 1024
}

/// Whether the argument `name` of a tool, or something in its type, is described that long; of all arguments where the
/// name is empty.
pub const fn is_long_below(tool: &'static ToolSpec, name: &str) -> bool {
    let Kind::Object(arguments) = &tool.arguments.get().kind else { return false };
    let mut seen = Ids::NONE;
    let mut i = 0;
    while i < arguments.fields.len() {
        let field = &arguments.fields[i];
        if (name.is_empty() || super::same(field.name, name)) && long_field(field, &mut seen) {
            return true;
        }
        i += 1;
    }
    false
}

const fn long_field(field: &'static Field, seen: &mut Ids) -> bool {
    is_long(field.doc) || long(&field.shape.get().kind, seen)
}

const fn long(kind: &'static Kind, seen: &mut Ids) -> bool {
    match kind {
        Kind::Nullable(inner) => long(&inner.get().kind, seen),
        Kind::Array(array) => long(&array.item.get().kind, seen),
        Kind::Enum(list) => {
            let mut i = 0;
            while i < list.values.len() {
                if is_long(list.values[i].doc) {
                    return true;
                }
                i += 1;
            }
            is_long(list.doc)
        }
        Kind::Object(object) if seen.add(object.id) => {
            let mut i = 0;
            while i < object.fields.len() {
                if long_field(&object.fields[i], seen) {
                    return true;
                }
                i += 1;
            }
            is_long(object.doc)
        }
        Kind::Union(union) if seen.add(union.id) => {
            let mut i = 0;
            while i < union.variants.len() {
                let variant = &union.variants[i];
                if is_long(variant.doc) {
                    return true;
                }
                if let Some(content) = variant.content
                    && long(&content.get().kind, seen)
                {
                    return true;
                }
                i += 1;
            }
            is_long(union.doc)
        }
        _ => false,
    }
}

/// Whether the argument `name` of a tool holds integers up to 2^64, and nothing keeps them below 2^53; of all
/// arguments where the name is empty.
///
/// Much of what stands between a model and a tool reads numbers as floats, so what is over 2^53 comes rounded, and
/// nothing of it shows.
pub const fn is_wide(tool: &'static ToolSpec, name: &str) -> bool {
    let Kind::Object(arguments) = &tool.arguments.get().kind else { return false };
    let mut seen = Ids::NONE;
    let mut i = 0;
    while i < arguments.fields.len() {
        let field = &arguments.fields[i];
        if (name.is_empty() || super::same(field.name, name)) && wide_field(field, &mut seen) {
            return true;
        }
        i += 1;
    }
    false
}

const fn wide_field(field: &'static Field, seen: &mut Ids) -> bool {
    wide(&field.shape.get().kind, &field.rules, seen)
}

const fn wide(kind: &'static Kind, rules: &Rules, seen: &mut Ids) -> bool {
    match kind {
        Kind::Integer(integer) => {
            integer.max == u64::MAX as i128 && !bounded(rules.maximum) && !bounded(rules.exclusive_maximum)
        }
        Kind::Nullable(inner) => wide(&inner.get().kind, rules, seen),
        Kind::Array(array) => wide(&array.item.get().kind, &Rules::NONE, seen),
        Kind::Object(object) => {
            let mut i = if seen.add(object.id) { 0 } else { object.fields.len() };
            while i < object.fields.len() {
                if wide_field(&object.fields[i], seen) {
                    return true;
                }
                i += 1;
            }
            false
        }
        Kind::Union(union) => {
            let mut i = if seen.add(union.id) { 0 } else { union.variants.len() };
            while i < union.variants.len() {
                if let Some(content) = union.variants[i].content
                    && wide(&content.get().kind, &Rules::NONE, seen)
                {
                    return true;
                }
                i += 1;
            }
            false
        }
        _ => false,
    }
}

const fn bounded(bound: Option<Bound>) -> bool {
    match bound {
        Some(bound) => bound.float <= (1u64 << 53) as f64,
        None => false,
    }
}
