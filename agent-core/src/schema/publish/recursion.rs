//! Types that contain themselves.

use std::collections::HashSet;

use crate::schema::{Field, Kind, Link, Object, Shape, Tagging, Union};

/// The ids of types at which a walk over the shape comes back to where it already is.
pub(super) fn recursive(shape: &Shape) -> HashSet<u64> {
    let mut walk = Walk::default();
    walk.kind(&shape.kind);
    walk.recursive
}

#[derive(Default)]
struct Walk {
    open: Vec<u64>,
    done: HashSet<u64>,
    recursive: HashSet<u64>,
}

impl Walk {
    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Array(array) => self.link(array.item),
            Kind::Nullable(inner) => self.link(*inner),
            Kind::Object(Object { id, fields, .. }) => self.named(*id, |walk| walk.fields(fields)),
            Kind::Union(Union { id, tagging, variants, .. }) => {
                self.named(*id, |walk| {
                    for content in variants.iter().filter_map(|form| form.content) {
                        match (tagging, &content.get().kind) {
                            // Beside the tag stand the fields of the type, wherever else it is a definition.
                            (Tagging::Internal(_), Kind::Object(object)) => walk.fields(object.fields),
                            (_, kind) => walk.kind(kind),
                        }
                    }
                });
            }
            Kind::Bool
            | Kind::Integer(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Enum(_)
            | Kind::Refused(_)
            | Kind::Foreign(_)
            | Kind::Json(_) => {}
        }
    }

    fn fields(&mut self, fields: &[Field]) {
        for field in fields {
            match &field.shape.get().kind {
                Kind::Object(inner) if field.flatten => self.fields(inner.fields),
                kind => self.kind(kind),
            }
        }
    }

    fn link(&mut self, link: Link) {
        self.kind(&link.get().kind);
    }

    fn named(&mut self, id: u64, inside: impl FnOnce(&mut Self)) {
        if self.open.contains(&id) {
            self.recursive.insert(id);
        } else if self.done.insert(id) {
            self.open.push(id);
            inside(self);
            self.open.pop();
        }
    }
}
