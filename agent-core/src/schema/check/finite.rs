//! Does a type have a value that can be written to its end?

use super::Report;
use super::seen::{Ids, Open, recursive};
use super::walk::is_optional;
use crate::schema::{Array, Field, Kind, Object, Rules, Shape, Union};

/// Whether the type called `at` has a value that ends: one that contains itself needs a way to stop.
pub const fn finite(shape: &'static Shape, at: &str) -> Report {
    let id = match &shape.kind {
        Kind::Object(object) => object.id,
        Kind::Union(union) => union.id,
        _ => return Report::FINE,
    };
    // A type that only holds such a one is not the one to mend.
    if !endless(shape) || !recursive(&shape.kind).has(id) {
        return Report::FINE;
    }
    Report::WRONG
        .name(at)
        .add(" contains itself in every value, so that none can be written to its end; make the field that leads back an `Option` or a `Vec`")
}

/// Whether no value of the shape ends.
pub(crate) const fn endless(shape: &'static Shape) -> bool {
    let mut search = Search { ends: Ids::NONE };
    !search.kind(&shape.kind, &Rules::NONE, &Open::ROOT)
}

/// A value that ends contains no type within itself on at least one way down, so a walk that gives up where it comes
/// back finds one if there is one.
struct Search {
    /// Types that are known to have one.
    ends: Ids,
}

impl Search {
    const fn kind(&mut self, kind: &'static Kind, rules: &Rules, open: &Open<'_>) -> bool {
        match kind {
            Kind::Array(array) => !needs_item(array, rules) || self.kind(&array.item.get().kind, &Rules::NONE, open),
            Kind::Object(object) => self.object(object, open),
            Kind::Union(union) => self.union(union, open),
            _ => true,
        }
    }

    const fn object(&mut self, object: &'static Object, open: &Open<'_>) -> bool {
        if self.ends.has(object.id) {
            return true;
        }
        if open.has(object.id) {
            return false;
        }
        let inside = Open { up: Some(open), id: object.id };
        let mut i = 0;
        while i < object.fields.len() {
            if !self.field(&object.fields[i], &inside) {
                return false;
            }
            i += 1;
        }
        self.ends.add(object.id);
        true
    }

    const fn field(&mut self, field: &'static Field, open: &Open<'_>) -> bool {
        is_optional(field) || self.kind(&field.shape.get().kind, &field.rules, open)
    }

    const fn union(&mut self, union: &'static Union, open: &Open<'_>) -> bool {
        if self.ends.has(union.id) {
            return true;
        }
        if open.has(union.id) {
            return false;
        }
        let inside = Open { up: Some(open), id: union.id };
        let mut i = 0;
        while i < union.variants.len() {
            let ends = match union.variants[i].content {
                Some(content) => self.kind(&content.get().kind, &Rules::NONE, &inside),
                None => true,
            };
            if ends {
                self.ends.add(union.id);
                return true;
            }
            i += 1;
        }
        false
    }
}

const fn needs_item(array: &Array, rules: &Rules) -> bool {
    matches!(array.min_items, Some(1..)) || matches!(rules.min_items, Some(1..))
}
