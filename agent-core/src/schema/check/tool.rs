//! Sums over all arguments of one tool.

use super::walk::is_plain;
use super::{Report, chars};
use crate::schema::{Kind, Object, Profile};
use crate::tool::ToolSpec;

#[derive(Clone, Copy)]
struct Totals {
    properties: usize,
    values: usize,
    chars: usize,
}

/// The types that the count is in, so that it stops at one that contains itself.
#[derive(Clone, Copy)]
struct Inside<'a> {
    up: Option<&'a Inside<'a>>,
    id: u64,
}

/// Whether `profile` takes the tool as a whole.
pub const fn tool(tool: &'static ToolSpec, profile: &Profile) -> Report {
    if tool.name.len() > profile.max_tool_name {
        return Report::WRONG
            .add("tool name ")
            .name(tool.name)
            .add(" has ")
            .number(tool.name.len() as i128)
            .add(" characters; ")
            .add(profile.name)
            .add(" takes at most ")
            .number(profile.max_tool_name as i128);
    }
    let Kind::Object(arguments) = &tool.arguments.get().kind else { return Report::FINE };
    let mut i = 0;
    while i < arguments.fields.len() {
        let name = arguments.fields[i].name;
        if let Some(most) = profile.max_property_name
            && !is_plain(name, most)
        {
            return Report::WRONG
                .add("parameter ")
                .name(name)
                .add(" has a name that ")
                .add(profile.name)
                .add(" refuses; rename it to at most 64 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`");
        }
        i += 1;
    }
    let totals = object(arguments, &Inside { up: None, id: 0 }, Totals { properties: 0, values: 0, chars: 0 });
    if let Some(report) = over(totals.properties, profile.max_properties, "properties", profile) {
        return report;
    }
    if let Some(report) = over(totals.values, profile.max_enum_values, "enum values", profile) {
        return report;
    }
    match over(totals.chars, profile.max_name_chars, "characters of names and enum values", profile) {
        Some(report) => report,
        None => Report::FINE,
    }
}

const fn over(count: usize, most: Option<usize>, of: &str, profile: &Profile) -> Option<Report> {
    match most {
        Some(most) if count > most => Some(
            Report::WRONG
                .add("the arguments have more than ")
                .number(most as i128)
                .add(" ")
                .add(of)
                .add(", which ")
                .add(profile.name)
                .add(" refuses; split the tool, or take long lists of values as a `String` and check it in the tool"),
        ),
        _ => None,
    }
}

const fn object(object: &Object, inside: &Inside<'_>, mut totals: Totals) -> Totals {
    let here = Inside { up: Some(inside), id: object.id };
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        if !field.flatten {
            totals.properties += 1;
            totals.chars += chars(field.name);
        }
        totals = kind(&field.shape.get().kind, &here, totals);
        i += 1;
    }
    totals
}

const fn kind(of: &'static Kind, inside: &Inside<'_>, mut totals: Totals) -> Totals {
    match of {
        Kind::Nullable(inner) => kind(&inner.get().kind, inside, totals),
        Kind::Array(array) => kind(&array.item.get().kind, inside, totals),
        Kind::Enum(list) => {
            let mut i = 0;
            while i < list.values.len() {
                totals.values += 1;
                totals.chars += chars(list.values[i].name);
                i += 1;
            }
            totals
        }
        Kind::Object(inner) => {
            if is_in(inside, inner.id) {
                totals
            } else {
                object(inner, inside, totals)
            }
        }
        Kind::Union(union) => {
            if is_in(inside, union.id) {
                return totals;
            }
            let here = Inside { up: Some(inside), id: union.id };
            let mut i = 0;
            while i < union.variants.len() {
                let variant = &union.variants[i];
                totals.properties += 1;
                totals.chars += chars(variant.name);
                if let Some(content) = variant.content {
                    totals = kind(&content.get().kind, &here, totals);
                }
                i += 1;
            }
            totals
        }
        _ => totals,
    }
}

const fn is_in(inside: &Inside<'_>, id: u64) -> bool {
    let mut at = inside;
    loop {
        if at.id == id {
            return true;
        }
        match at.up {
            Some(up) => at = up,
            None => return false,
        }
    }
}
