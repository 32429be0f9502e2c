//! Sets of types, for walks in constants over shapes that contain themselves.

use crate::schema::{Kind, Link, Object, Tagging, Union};

/// Ids of types. What is over [`MOST`](Self::MOST) is forgotten, so that it is walked again.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    ids: [u64; Self::MOST],
    len: usize,
}

impl Ids {
    const MOST: usize = 256;

    pub(super) const NONE: Self = Self { ids: [0; Self::MOST], len: 0 };

    pub(super) const fn has(&self, id: u64) -> bool {
        let mut i = 0;
        while i < self.len {
            if self.ids[i] == id {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Adds a type; false where it was there.
    pub(super) const fn add(&mut self, id: u64) -> bool {
        if self.has(id) {
            return false;
        }
        if self.len < Self::MOST {
            self.ids[self.len] = id;
            self.len += 1;
        }
        true
    }
}

/// The types that a walk is in; a list on the const stack.
#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    pub(super) up: Option<&'a Open<'a>>,
    pub(super) id: u64,
}

impl Open<'_> {
    /// In none.
    pub(super) const ROOT: Self = Self { up: None, id: 0 };

    pub(super) const fn has(&self, id: u64) -> bool {
        let mut at = self;
        // The root is no type, whatever its id.
        while let Some(up) = at.up {
            if at.id == id {
                return true;
            }
            at = up;
        }
        false
    }
}

/// The types below `kind` that are published as definitions: those at which a walk comes back to where it is.
///
/// The publisher finds them in the same order, so that both speak of the same text.
pub(super) const fn recursive(kind: &'static Kind) -> Ids {
    // Most parameters are of a type that holds no other.
    if !matches!(kind, Kind::Array(_) | Kind::Nullable(_) | Kind::Object(_) | Kind::Union(_)) {
        return Ids::NONE;
    }
    let mut found = Found { done: Ids::NONE, recursive: Ids::NONE };
    found.kind(kind, &Open::ROOT);
    found.recursive
}

struct Found {
    done: Ids,
    recursive: Ids,
}

impl Found {
    const fn kind(&mut self, kind: &'static Kind, open: &Open<'_>) {
        match kind {
            Kind::Array(array) => self.link(array.item, open),
            Kind::Nullable(inner) => self.link(*inner, open),
            Kind::Object(object) => self.object(object, open),
            Kind::Union(union) => self.union(union, open),
            _ => {}
        }
    }

    const fn link(&mut self, link: Link, open: &Open<'_>) {
        self.kind(&link.get().kind, open);
    }

    /// Whether the type is to be entered.
    const fn enters(&mut self, id: u64, open: &Open<'_>) -> bool {
        if open.has(id) {
            self.recursive.add(id);
            return false;
        }
        self.done.add(id)
    }

    const fn object(&mut self, object: &'static Object, open: &Open<'_>) {
        if self.enters(object.id, open) {
            self.fields(object, &Open { up: Some(open), id: object.id });
        }
    }

    const fn fields(&mut self, object: &'static Object, open: &Open<'_>) {
        let mut i = 0;
        while i < object.fields.len() {
            let field = &object.fields[i];
            match &field.shape.get().kind {
                Kind::Object(inner) if field.flatten => self.fields(inner, open),
                kind => self.kind(kind, open),
            }
            i += 1;
        }
    }

    const fn union(&mut self, union: &'static Union, open: &Open<'_>) {
        if self.enters(union.id, open) {
            let here = Open { up: Some(open), id: union.id };
            let mut i = 0;
            while i < union.variants.len() {
                if let Some(content) = union.variants[i].content {
                    match (union.tagging, &content.get().kind) {
                        // Beside the tag stand the fields of the type, wherever else it is a definition.
                        (Tagging::Internal(_), Kind::Object(object)) => self.fields(object, &here),
                        (_, kind) => self.kind(kind, &here),
                    }
                }
                i += 1;
            }
        }
    }
}
