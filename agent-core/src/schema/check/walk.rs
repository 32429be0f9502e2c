//! What providers refuse, anywhere below one parameter.

use super::{Report, rule};
use crate::schema::{Kind, Object, Profile, Shape, Tagging};

/// Where the walk is; a list on the const stack, from the leaf to the root.
#[derive(Clone, Copy)]
struct Path<'a> {
    up: Option<&'a Path<'a>>,
    name: &'a str,
    /// The type entered here, or 0.
    id: u64,
}

const fn is_on(path: &Path<'_>, id: u64) -> bool {
    let mut at = path;
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

const fn place(report: Report, path: &Path<'_>) -> Report {
    let report = match path.up {
        Some(up) => place(report, up),
        None => report,
    };
    report.add(path.name)
}

const fn at(path: &Path<'_>) -> Report {
    place(Report::WRONG.add("`"), path).add("`")
}

/// Whether the type of `name` is one that no schema can describe, be it in a list or an option.
pub const fn refused(shape: &'static Shape, name: &str) -> Report {
    refused_at(shape, &Path { up: None, name, id: 0 })
}

const fn refused_at(shape: &'static Shape, path: &Path<'_>) -> Report {
    match &shape.kind {
        Kind::Refused(refused) => at(path).add(" is ").add(refused.what).add("; ").add(refused.help),
        Kind::Nullable(inner) => refused_at(inner.get(), path),
        Kind::Array(array) => refused_at(array.item.get(), &Path { up: Some(path), name: "[]", id: 0 }),
        _ => Report::FINE,
    }
}

/// Whether `profile` takes what lies below the parameter `name`, at any depth.
///
/// Types that the derive could check where they are written are not reported again.
pub const fn argument(shape: &'static Shape, name: &str, profile: &Profile) -> Report {
    walk(shape, &Path { up: None, name, id: 0 }, profile, 1, false)
}

/// The same where the parameter `name` is all the arguments.
pub const fn arguments(shape: &'static Shape, name: &str, profile: &Profile) -> Report {
    walk(shape, &Path { up: None, name, id: 0 }, profile, 0, false)
}

const fn walk(shape: &'static Shape, path: &Path<'_>, profile: &Profile, depth: usize, unchecked: bool) -> Report {
    match &shape.kind {
        Kind::Refused(_) if unchecked => refused_at(shape, path),
        Kind::Nullable(inner) => walk(inner.get(), path, profile, depth, unchecked),
        Kind::Array(array) => {
            walk(array.item.get(), &Path { up: Some(path), name: "[]", id: 0 }, profile, depth, unchecked)
        }
        Kind::Object(object) => {
            if is_on(path, object.id) {
                return recursion(path, profile);
            }
            object_below(object, path, profile, depth + 1)
        }
        Kind::Union(union) => {
            if is_on(path, union.id) {
                return recursion(path, profile);
            }
            // `{"Variant": {..}}` is a level of its own.
            let depth = match union.tagging {
                Tagging::External => depth + 1,
                Tagging::Internal(_) => depth,
            };
            let mut i = 0;
            while i < union.variants.len() {
                if let Some(content) = union.variants[i].content {
                    let dot = Path { up: Some(path), name: ".", id: union.id };
                    let below = Path { up: Some(&dot), name: union.variants[i].name, id: 0 };
                    let report = walk(content.get(), &below, profile, depth, union.generic);
                    if report.failed() {
                        return report;
                    }
                }
                i += 1;
            }
            Report::FINE
        }
        _ => Report::FINE,
    }
}

const fn object_below(object: &Object, path: &Path<'_>, profile: &Profile, depth: usize) -> Report {
    if let Some(most) = profile.max_depth
        && depth > most
    {
        return at(path)
            .add(" nests objects more than ")
            .number(most as i128)
            .add(" deep, which ")
            .add(profile.name)
            .add(" refuses; flatten the arguments");
    }
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        let dot = Path { up: Some(path), name: ".", id: object.id };
        let below = Path { up: Some(&dot), name: field.name, id: 0 };
        if let Some(most) = profile.max_property_name
            && !field.flatten
            && !is_plain(field.name, most)
        {
            return at(&below)
                .add(" has a name that ")
                .add(profile.name)
                .add(" refuses; rename it to at most ")
                .number(most as i128)
                .add(" of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`");
        }
        if object.generic {
            let report = rule::all(field);
            if report.failed() {
                return report;
            }
        }
        let depth = if field.flatten { depth - 1 } else { depth };
        let report = walk(field.shape.get(), &below, profile, depth, object.generic);
        if report.failed() {
            return report;
        }
        i += 1;
    }
    Report::FINE
}

const fn recursion(path: &Path<'_>, profile: &Profile) -> Report {
    if profile.recursion {
        return Report::FINE;
    }
    at(path)
        .add(" is a type that contains itself, which ")
        .add(profile.name)
        .add(" refuses; unroll it to a fixed depth, or take a flat list with parent ids")
}

/// Whether `name` is of 1 to `most` letters, digits, `_`, `.` and `-`.
pub(super) const fn is_plain(name: &str, most: usize) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > most {
        return false;
    }
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_alphanumeric() && !matches!(bytes[i], b'_' | b'.' | b'-') {
            return false;
        }
        i += 1;
    }
    true
}
