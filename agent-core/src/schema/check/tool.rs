//! Rules for one tool as a whole.

use super::Report;
use super::path::Path;
use super::walk::{Level, Walk, argument, is_plain};
use crate::schema::{Kind, Object, Profile, Shape};
use crate::tool::ToolSpec;

/// Whether `profile` takes the tool as a whole. What one parameter alone is refused for, `argument` and `property` say at
/// it.
pub(super) const fn tool(tool: &'static ToolSpec, profile: &Profile) -> Report {
    let report = name(tool.name, profile);
    if report.failed() { report } else { whole(tool.arguments.get(), profile) }
}

/// Whether `profile` takes all arguments of a tool together.
pub const fn together(arguments: &'static Shape, profile: &Profile) -> Report {
    let Kind::Object(object) = &arguments.kind else { return Report::FINE };
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        let report = if field.flatten { Report::FINE } else { property(field.name, profile) };
        if report.failed() {
            return report;
        }
        i += 1;
    }
    whole(arguments, profile)
}

/// Whether the documentation of `at`, which only the compiler could read, says something.
pub const fn described(doc: &str, at: &str) -> Report {
    if doc.is_empty() {
        return Report::WRONG
            .add("the model is shown what ")
            .name(at)
            .add(" is for, and the text that its documentation includes is empty");
    }
    Report::FINE
}

/// Whether `profile` takes a tool of this name.
pub const fn name(name: &str, profile: &Profile) -> Report {
    if name.len() > profile.max_tool_name {
        return Report::WRONG
            .about("length")
            .add("tool name ")
            .name(name)
            .add(" has ")
            .number(name.len() as i128)
            .add(" characters; ")
            .add(profile.name)
            .add(" takes at most ")
            .number(profile.max_tool_name as i128);
    }
    let bytes = name.as_bytes();
    if !is_tool_name(bytes) {
        return Report::WRONG
            .about("signs")
            .add("tool name ")
            .name(name)
            .add(" is not of one or more of `a-z`, `A-Z`, `0-9`, `_` and `-`, which ")
            .add(profile.name)
            .add(" asks for");
    }
    if profile.letter_first && !(bytes[0].is_ascii_alphabetic() || bytes[0] == b'_') {
        return Report::WRONG
            .about("begin")
            .add("tool name ")
            .name(name)
            .add(" begins with a sign that ")
            .add(profile.name)
            .add(" refuses; begin it with a letter or `_`");
    }
    Report::FINE
}

const fn is_tool_name(bytes: &[u8]) -> bool {
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_alphanumeric() && bytes[i] != b'_' && bytes[i] != b'-' {
            return false;
        }
        i += 1;
    }
    i > 0
}

/// Whether `profile` takes a parameter of this name.
pub(super) const fn property(name: &str, profile: &Profile) -> Report {
    named(Report::WRONG.add("parameter ").name(name), name, profile)
}

/// Whether `profile` takes a property of this name in a schema that a host has written.
pub(crate) fn property_at(path: &str, name: &str, profile: &Profile) -> Report {
    named(Report::WRONG.name(path), name, profile)
}

/// Whether `profile` takes a property of this name; `place` says which one it is.
pub(super) const fn named(place: Report, name: &str, profile: &Profile) -> Report {
    match profile.max_property_name {
        Some(most) if !is_plain(name, most) => place
            .about("names")
            .add(" has a name that ")
            .add(profile.name)
            .add(" refuses; rename it to at most ")
            .number(most as i128)
            .add(" of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`"),
        _ => Report::FINE,
    }
}

/// What all the arguments add up to.
const fn whole(arguments: &'static Shape, profile: &Profile) -> Report {
    let kind = &arguments.kind;
    let Kind::Object(arguments) = kind else { return Report::FINE };
    let mut walk = Walk::new(kind, profile);
    if !walk.object(arguments, &Path::root("", false), Level::ABOVE).failed() {
        return Report::FINE;
    }
    match (told_alone(arguments, profile), walk.totals.over(profile)) {
        (false, Some(over)) => over.told(Report::WRONG.add("the arguments together have"), profile),
        _ => Report::FINE,
    }
}

/// Properties, enum values, and characters of names of a tool, as they are counted for one schema.
pub const fn totals(arguments: &'static Shape, profile: &Profile) -> (usize, usize, usize) {
    let mut walk = Walk::new(&arguments.kind, profile);
    if let Kind::Object(object) = &arguments.kind {
        walk.object(object, &Path::root("", false), Level::ABOVE);
    }
    (walk.totals.properties, walk.totals.values, walk.totals.chars)
}

/// Whether a parameter has its own report.
const fn told_alone(arguments: &'static Object, profile: &Profile) -> bool {
    let mut i = 0;
    while i < arguments.fields.len() {
        let field = &arguments.fields[i];
        if argument(field.shape.get(), field.name, profile).failed() {
            return true;
        }
        i += 1;
    }
    false
}
