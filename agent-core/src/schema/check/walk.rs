//! What providers refuse, anywhere below one parameter.

use super::path::Path;
use super::seen::{Ids, recursive};
use super::tool::named;
use super::totals::Totals;
use super::{Report, chars, object, rule};
use crate::schema::profile::Recursion;
use crate::schema::{Enum, Field, Kind, Link, Object, Profile, Shape, Tagging, Union, Variant};

/// Whether the type of `name` is one that no schema can describe, be it in a list or an option.
pub const fn refused(shape: &'static Shape, name: &str) -> Report {
    refused_at(&shape.kind, &Path::root(name, false))
}

const fn refused_at(kind: &'static Kind, path: &Path<'_>) -> Report {
    match kind {
        Kind::Refused(refused) => path.wrong().add(" is ").add(refused.what).add("; ").add(refused.help),
        Kind::Nullable(inner) => refused_at(&inner.get().kind, path),
        Kind::Array(array) => refused_at(&array.item.get().kind, &path.items()),
        _ => Report::FINE,
    }
}

/// Whether `profile` takes what lies below the parameter at `name`, at any depth.
///
/// Types that the derive could check where they are written are not reported again.
pub(in crate::schema) const fn argument(shape: &'static Shape, name: &str, profile: &Profile) -> Report {
    let mut walk = Walk::new(&shape.kind, profile);
    // Whether the parameter itself may be left out matters only to types that contain themselves, below it.
    walk.kind(&shape.kind, &Path::root(name, false), Level::ROOT)
}

/// The same for a struct that stands for all the arguments (`#[arg(flatten)]`): it is the root, and what it adds up to
/// is for `tool` to say.
pub(super) const fn arguments(shape: &'static Shape, name: &str, profile: &Profile) -> Report {
    // What is no struct is told already.
    let Kind::Object(object) = &shape.kind else { return Report::FINE };
    let mut walk = Walk::new(&shape.kind, profile);
    walk.adds_up = false;
    walk.object(object, &Path::root(name, false), Level::ABOVE)
}

/// How far down a place is.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// The objects around it, the arguments counted.
    depth: usize,
    /// Whether the type around it is generic, so that its fields could not be checked where they are written.
    unchecked: bool,
}

impl Level {
    /// Inside the arguments.
    const ROOT: Self = Self { depth: 1, unchecked: false };
    /// Around the arguments.
    pub(super) const ABOVE: Self = Self { depth: 0, unchecked: false };
}

/// A walk over the schema of one parameter, or of all of them one after the other.
pub(super) struct Walk<'p> {
    profile: &'p Profile,
    recursive: Ids,
    /// Types whose definition has been counted.
    defined: Ids,
    pub(super) totals: Totals,
    adds_up: bool,
}

impl<'p> Walk<'p> {
    pub(super) const fn new(kind: &'static Kind, profile: &'p Profile) -> Self {
        Self { profile, recursive: recursive(kind), defined: Ids::NONE, totals: Totals::NONE, adds_up: true }
    }

    pub(super) const fn kind(&mut self, kind: &'static Kind, path: &Path<'_>, level: Level) -> Report {
        match kind {
            Kind::Refused(_) if level.unchecked => refused_at(kind, path),
            Kind::Nullable(inner) => self.kind(&inner.get().kind, path, level),
            Kind::Array(array) => self.kind(&array.item.get().kind, &path.items(), level),
            Kind::Enum(list) => self.enumerated(list, path),
            Kind::Object(object) => match self.enter(object.id, object.name, path, level) {
                Entered::Walk(level) => self.object(object, path, level),
                Entered::Back(report) => report,
            },
            Kind::Union(union) => match self.enter(union.id, union.name, path, level) {
                Entered::Walk(level) => self.union(union, path, level),
                Entered::Back(report) => report,
            },
            _ => Report::FINE,
        }
    }

    /// What to do at a type with a name of its own.
    const fn enter(&mut self, id: u64, name: &str, path: &Path<'_>, level: Level) -> Entered {
        if path.is_in(id) {
            return Entered::Back(self.recursion(path));
        }
        if !self.recursive.has(id) {
            return Entered::Walk(level);
        }
        if !self.defined.add(id) {
            return Entered::Back(Report::FINE);
        }
        self.totals.chars += chars(name);
        // A definition stands under the root, wherever it is referred to.
        Entered::Walk(if level.depth > 1 { Level { depth: 1, ..level } } else { level })
    }

    pub(super) const fn object(&mut self, object: &'static Object, path: &Path<'_>, level: Level) -> Report {
        let level = Level { depth: level.depth + 1, unchecked: object.generic };
        if let Some(report) = self.too_deep(path, level) {
            return report;
        }
        if object.generic
            && let Some(report) = object::doubled(object, path)
        {
            return report;
        }
        self.fields(object, &path.inside(object.id), level)
    }

    const fn fields(&mut self, object: &'static Object, inside: &Path<'_>, level: Level) -> Report {
        let mut i = 0;
        while i < object.fields.len() {
            let field = &object.fields[i];
            let kind = &field.shape.get().kind;
            let below = inside.field(field.name, is_optional(field));
            if level.unchecked {
                let report = rule::all(field);
                if report.failed() {
                    return report;
                }
            }
            let report = match kind {
                Kind::Object(inner) if field.flatten => {
                    self.fields(inner, &below.in_place(), Level { unchecked: inner.generic, ..level })
                }
                kind => {
                    let report = self.property(field.name, &below);
                    if report.failed() { report } else { self.kind(kind, &below, level) }
                }
            };
            if report.failed() {
                return report;
            }
            i += 1;
        }
        Report::FINE
    }

    const fn union(&mut self, union: &'static Union, path: &Path<'_>, level: Level) -> Report {
        let inside = path.inside(union.id);
        let mut i = 0;
        while i < union.variants.len() {
            let variant = &union.variants[i];
            let below = inside.variant(variant.name);
            let level = Level { unchecked: union.generic, ..level };
            let report = match (union.tagging, variant.content) {
                (Tagging::Internal(tag), content) => self.tagged(tag, variant, content, &below, level),
                (Tagging::External, None) => self.value(variant.name, &below),
                (Tagging::External, Some(content)) => self.keyed(variant, content, &below, level),
            };
            if report.failed() {
                return report;
            }
            i += 1;
        }
        Report::FINE
    }

    /// `{"tag": "Variant", ..}`
    const fn tagged(
        &mut self,
        tag: &'static str,
        variant: &'static Variant,
        content: Option<Link>,
        path: &Path<'_>,
        level: Level,
    ) -> Report {
        let level = Level { depth: level.depth + 1, ..level };
        if let Some(report) = self.too_deep(path, level) {
            return report;
        }
        let report = self.property(tag, path);
        if report.failed() {
            return report;
        }
        let report = self.value(variant.name, path);
        if report.failed() {
            return report;
        }
        match content {
            Some(content) => match &content.get().kind {
                Kind::Object(object) => {
                    if object.generic
                        && let Some(report) = object::doubled(object, path)
                    {
                        return report;
                    }
                    let level = Level { unchecked: object.generic, ..level };
                    self.fields(object, &path.in_place(), level)
                }
                // Refused where the enum is written.
                kind => self.kind(kind, path, level),
            },
            None => Report::FINE,
        }
    }

    /// `{"Variant": {..}}`: a level of its own.
    const fn keyed(&mut self, variant: &'static Variant, content: Link, path: &Path<'_>, level: Level) -> Report {
        let level = Level { depth: level.depth + 1, ..level };
        if let Some(report) = self.too_deep(path, level) {
            return report;
        }
        let report = self.property(variant.name, path);
        if report.failed() {
            return report;
        }
        self.kind(&content.get().kind, path, level)
    }

    const fn too_deep(&self, path: &Path<'_>, level: Level) -> Option<Report> {
        match self.profile.max_depth {
            Some(most) if level.depth > most => Some(
                path.wrong()
                    .about("depth")
                    .add(" nests objects more than ")
                    .number(most as i128)
                    .add(" deep, which ")
                    .add(self.profile.name)
                    .add(" refuses; flatten the arguments"),
            ),
            _ => None,
        }
    }

    /// One property of the schema.
    const fn property(&mut self, name: &str, path: &Path<'_>) -> Report {
        // The path is written only where something is to be said.
        if let Some(most) = self.profile.max_property_name
            && !is_plain(name, most)
        {
            return named(path.wrong(), name, self.profile);
        }
        self.totals.properties += 1;
        self.totals.chars += chars(name);
        self.sum(path)
    }

    /// One value of an enum.
    const fn value(&mut self, name: &str, path: &Path<'_>) -> Report {
        self.totals.values += 1;
        self.totals.chars += chars(name);
        self.sum(path)
    }

    const fn enumerated(&mut self, list: &Enum, path: &Path<'_>) -> Report {
        let before = self.totals.chars;
        let mut i = 0;
        while i < list.values.len() {
            let report = self.value(list.values[i].name, path);
            if report.failed() {
                return report;
            }
            i += 1;
        }
        let length = self.totals.chars - before;
        match self.profile.max_long_enum {
            Some(most) if list.values.len() > most.values && length > most.chars => path
                .wrong()
                .about("enum")
                .add(" has ")
                .number(list.values.len() as i128)
                .add(" values of ")
                .number(length as i128)
                .add(" characters together, and over ")
                .number(most.values as i128)
                .add(" values ")
                .add(self.profile.name)
                .add(" takes at most ")
                .number(most.chars as i128)
                .add(" characters; shorten them, or take the value as a `String` and check it in the tool"),
            _ => Report::FINE,
        }
    }

    const fn sum(&self, path: &Path<'_>) -> Report {
        if !self.adds_up {
            return Report::FINE;
        }
        match self.totals.over(self.profile) {
            Some(over) => over.told(path.wrong().add(" brings the tool to"), self.profile),
            None => Report::FINE,
        }
    }

    const fn recursion(&self, path: &Path<'_>) -> Report {
        let name = self.profile.name;
        match self.profile.recursion {
            Recursion::Anywhere => Report::FINE,
            Recursion::Optional if path.is_optional() => Report::FINE,
            Recursion::Optional => path
                .wrong()
                .about("recursion")
                .add(" is a type that contains itself in a required field, which ")
                .add(name)
                .add(" refuses; make that field an `Option`"),
            Recursion::Nowhere => path
                .wrong()
                .about("recursion")
                .add(" is a type that contains itself, which ")
                .add(name)
                .add(" refuses; unroll it to a fixed depth, or take a flat list with parent ids"),
        }
    }
}

// A report is large, and constants have no box.
#[allow(clippy::large_enum_variant)]
enum Entered {
    Walk(Level),
    Back(Report),
}

/// Whether the field may be left out.
pub(super) const fn is_optional(field: &Field) -> bool {
    field.default.is_some() || matches!(field.shape.get().kind, Kind::Nullable(_))
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
