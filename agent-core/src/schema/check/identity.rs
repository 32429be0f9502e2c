//! `#[arg(identity)]` counts at the top of the arguments only.

use super::Report;
use super::path::Path;
use super::seen::Ids;
use crate::schema::{Kind, Object, Shape};

/// Whether `identity` is said only where it tells calls apart: of a parameter, or of a field of the struct that is the
/// whole argument object.
pub const fn identity(shape: &'static Shape, name: &str, whole: bool) -> Report {
    let path = Path::root(name, false);
    let mut seen = Ids::NONE;
    match &shape.kind {
        Kind::Object(object) if whole => fields(object, true, &path, &mut seen),
        kind => below(kind, &path, &mut seen),
    }
}

const fn below(kind: &'static Kind, path: &Path<'_>, seen: &mut Ids) -> Report {
    match kind {
        Kind::Nullable(inner) => below(&inner.get().kind, path, seen),
        Kind::Array(array) => below(&array.item.get().kind, &path.items(), seen),
        Kind::Object(object) if seen.add(object.id) => fields(object, false, path, seen),
        Kind::Union(union) if seen.add(union.id) => {
            let inside = path.inside(union.id);
            let mut i = 0;
            while i < union.variants.len() {
                if let Some(content) = union.variants[i].content {
                    let report = below(&content.get().kind, &inside.variant(union.variants[i].name), seen);
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

const fn fields(object: &'static Object, top: bool, path: &Path<'_>, seen: &mut Ids) -> Report {
    let inside = path.inside(object.id);
    let mut i = 0;
    while i < object.fields.len() {
        let field = &object.fields[i];
        let here = inside.field(field.name, false);
        if field.identity && !top {
            return here.wrong().add(
                " says `identity`, which tells calls apart only on a parameter, or on a field of the struct that is \
                 all the arguments; put it on the parameter",
            );
        }
        let report = below(&field.shape.get().kind, &here, seen);
        if report.failed() {
            return report;
        }
        i += 1;
    }
    Report::FINE
}
