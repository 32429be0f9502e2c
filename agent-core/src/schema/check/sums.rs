//! What the tools of one request add up to.

use super::Report;
use super::seen::{Ids, recursive};
use super::walk::is_optional;
use crate::schema::profile::Optional;
use crate::schema::{Kind, Object, Profile, Shape, Tagging};

/// Counted as the tools are published for one profile.
#[derive(Clone, Copy)]
pub(in crate::schema) struct Sums {
    tools: usize,
    strict: usize,
    /// Properties that are not listed as required.
    optionals: usize,
    /// `anyOf`s and lists of types.
    unions: usize,
}

impl Sums {
    pub(in crate::schema) const NONE: Self = Self { tools: 0, strict: 0, optionals: 0, unions: 0 };

    /// With one tool more that is not strict: it counts to nothing but the number of tools.
    pub(in crate::schema) const fn and_loose(mut self) -> Self {
        self.tools += 1;
        self
    }

    /// With one tool more.
    pub(in crate::schema) const fn and(self, arguments: &'static Shape, strict: bool, profile: &Profile) -> Self {
        let mut sums = self.and_loose();
        if strict && profile.strict {
            sums.strict += 1;
            let mut count = Count {
                sums,
                recursive: recursive(&arguments.kind),
                defined: Ids::NONE,
                absent: matches!(profile.optional, Optional::Absent),
            };
            match &arguments.kind {
                Kind::Object(object) => count.fields(object),
                kind => count.kind(kind, false),
            }
            sums = count.sums;
        }
        sums
    }

    /// Whether `profile` takes so many.
    pub(in crate::schema) const fn report(&self, profile: &Profile) -> Report {
        const FEWER: &str = "give the agent fewer tools";
        const LOOSE: &str = "give the agent fewer tools, or take `strict = false` for some";
        let rows = [
            (self.tools, profile.max_tools, "tools", FEWER),
            (self.strict, profile.max_strict_tools, "strict tools", LOOSE),
            (
                self.optionals,
                profile.max_optionals,
                "optional parameters over all strict tools",
                "make some of them required, or take `strict = false` for some tools",
            ),
            (
                self.unions,
                profile.max_unions,
                "parameters of several types over all strict tools",
                "use fewer enums that hold data and fewer lists of `Option`s, or take `strict = false` for some tools",
            ),
        ];
        let mut i = 0;
        while i < rows.len() {
            let (count, most, of, way_out) = rows[i];
            if let Some(most) = most
                && count > most
            {
                return Report::WRONG
                    .add("a request with these tools has ")
                    .number(count as i128)
                    .add(" ")
                    .add(of)
                    .add(", and ")
                    .add(profile.name)
                    .add(" takes ")
                    .number(most as i128)
                    .add("; ")
                    .add(way_out);
            }
            i += 1;
        }
        Report::FINE
    }
}

/// Optional and union-typed parameters of a strict tool, as they are counted for a request.
pub const fn counted(arguments: &'static Shape, profile: &Profile) -> (usize, usize) {
    let sums = Sums::NONE.and(arguments, true, profile);
    (sums.optionals, sums.unions)
}

struct Count {
    sums: Sums,
    recursive: Ids,
    defined: Ids,
    /// Whether optional fields are published by absence.
    absent: bool,
}

impl Count {
    const fn fields(&mut self, object: &'static Object) {
        let mut i = 0;
        while i < object.fields.len() {
            let field = &object.fields[i];
            match &field.shape.get().kind {
                Kind::Object(inner) if field.flatten => self.fields(inner),
                kind => {
                    let optional = is_optional(field);
                    if optional && self.absent {
                        self.sums.optionals += 1;
                    }
                    self.kind(bare(kind), optional && !self.absent);
                }
            }
            i += 1;
        }
    }

    /// A value, in a union with null or not.
    const fn kind(&mut self, kind: &'static Kind, null: bool) {
        match kind {
            Kind::Nullable(inner) => self.kind(&inner.get().kind, true),
            Kind::Union(union) => {
                self.sums.unions += 1;
                if self.is_defined(union.id) {
                    return;
                }
                let mut i = 0;
                while i < union.variants.len() {
                    if let Some(content) = union.variants[i].content {
                        match (union.tagging, &content.get().kind) {
                            (Tagging::Internal(_), Kind::Object(object)) => self.fields(object),
                            (_, kind) => self.kind(kind, false),
                        }
                    }
                    i += 1;
                }
            }
            kind => {
                if null {
                    self.sums.unions += 1;
                }
                match kind {
                    Kind::Array(array) => self.kind(&array.item.get().kind, false),
                    Kind::Object(object) if !self.is_defined(object.id) => self.fields(object),
                    _ => {}
                }
            }
        }
    }

    /// Whether the type is a definition that has been counted.
    const fn is_defined(&mut self, id: u64) -> bool {
        self.recursive.has(id) && !self.defined.add(id)
    }
}

/// The shape itself where null is allowed beside it.
const fn bare(kind: &'static Kind) -> &'static Kind {
    let mut kind = kind;
    while let Kind::Nullable(inner) = kind {
        kind = &inner.get().kind;
    }
    kind
}
