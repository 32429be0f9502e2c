//! Types that contain themselves.

use std::collections::HashSet;

use crate::schema::{Kind, Link, Object, Shape, Union};

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
            Kind::Object(Object { id, fields, .. }) => {
                self.named(*id, |walk| fields.iter().for_each(|field| walk.link(field.shape)));
            }
            Kind::Union(Union { id, variants, .. }) => {
                self.named(*id, |walk| {
                    variants.iter().filter_map(|form| form.content).for_each(|link| walk.link(link))
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
