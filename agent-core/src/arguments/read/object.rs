//! Named fields: known ones once, in the order of the shape, absent ones made up for.

use std::borrow::Cow;

use super::{Reader, Words, did_you_mean, list, owned_by_shape};
use crate::arguments::nearest::nearest;
use crate::arguments::parse::parse;
use crate::arguments::problem::{Place, named, shown};
use crate::arguments::tree::Tree;
use crate::schema::{DefaultValue, Field, Kind, Object};

/// The entries of an object.
pub(super) type Entries<'a> = Vec<(Cow<'a, str>, Tree<'a>)>;

/// Each field of an object by its place, flattened structs counted through: what came for it.
type Slots<'a> = Vec<Option<Tree<'a>>>;

impl Reader<'_> {
    /// The arguments of a call, one a field of the object.
    pub(in crate::arguments) fn arguments<'a>(
        &mut self,
        tree: Tree<'a>,
        object: &'static Object,
    ) -> Vec<Option<Tree<'a>>> {
        let Tree::Object(entries) = tree else {
            self.wrong_type(&tree, &Kind::Object(*object), &Place::ROOT);
            return Vec::new();
        };
        let mut slots = self.sort(entries, object, &Place::ROOT);
        // Where no struct is flattened, each slot is a field's.
        if slots.len() == object.fields.len() && !object.fields.iter().any(|field| field.flatten) {
            for (slot, field) in slots.iter_mut().zip(object.fields) {
                *slot = self.field(slot.take(), field, &Place::ROOT).filter(|tree| *tree != Tree::Null);
            }
            return slots;
        }
        let mut slots = slots.into_iter();
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in object.fields {
            fields.push(match inlined(field) {
                Some(inner) => {
                    let mut entries = Vec::new();
                    self.fill(inner, &mut slots, &mut entries, &Place::ROOT);
                    Some(Tree::Object(entries))
                }
                None => self.field(slots.next().flatten(), field, &Place::ROOT).filter(|tree| *tree != Tree::Null),
            });
        }
        fields
    }

    /// An object's entries; with `first` in front, which is the tag of the union that it is a form of.
    pub(super) fn object<'a>(
        &mut self,
        entries: Entries<'a>,
        object: &'static Object,
        first: Option<(&'static str, &'static str)>,
        at: &Place<'_>,
    ) -> Entries<'a> {
        let mut slots = self.sort(entries, object, at).into_iter();
        let mut sorted = Vec::with_capacity(slots.len() + usize::from(first.is_some()));
        sorted.extend(first.map(|(tag, name)| (owned_by_shape(tag), Tree::Str(owned_by_shape(name)))));
        self.fill(object, &mut slots, &mut sorted, at);
        sorted
    }

    /// Puts each entry into the slot of its field; what has none, or comes twice, is a problem.
    fn sort<'a>(&mut self, entries: Entries<'a>, object: &'static Object, at: &Place<'_>) -> Slots<'a> {
        let mut slots: Slots<'a> = Vec::new();
        slots.resize_with(count(object), || None);
        // Models mostly keep to the order of the schema, so the next field is tried first.
        let flat = object.fields.iter().all(|field| !field.flatten);
        let mut next = 0;
        for (key, tree) in entries {
            let found = match object.fields.get(next) {
                Some(field) if flat && field.name == key => Some((next, field.name)),
                _ => find(object, &key),
            };
            let Some((index, name)) = found else {
                self.report(&at.key(&key), "additionalProperties", || unknown(&key, object));
                continue;
            };
            next = index + 1;
            match &mut slots[index] {
                Some(_) => {
                    self.report(&at.key(&key), "doubled", || {
                        Words::new(format!("`{name}` once"), format!("{} as well", shown(&tree))).hint("leave one out")
                    });
                }
                slot => *slot = Some(tree),
            }
        }
        slots
    }

    fn fill<'a>(
        &mut self,
        object: &'static Object,
        slots: &mut impl Iterator<Item = Option<Tree<'a>>>,
        entries: &mut Entries<'a>,
        at: &Place<'_>,
    ) {
        for field in object.fields {
            match inlined(field) {
                Some(inner) => self.fill(inner, slots, entries, at),
                None => {
                    let value = self.field(slots.next().flatten(), field, at);
                    entries.extend(value.map(|value| (owned_by_shape(field.name), value)));
                }
            }
        }
    }

    /// A field's value; none where it is absent and serde knows what to do, null where it is absent and may be.
    fn field<'a>(&mut self, given: Option<Tree<'a>>, field: &'static Field, at: &Place<'_>) -> Option<Tree<'a>> {
        let nullable = matches!(field.shape.get().kind, Kind::Nullable(_));
        match (given, field.default) {
            (None | Some(Tree::Null), Some(DefaultValue::Serde)) => None,
            (None | Some(Tree::Null), Some(DefaultValue::Natural(text))) => self.natural(text, field, at),
            (None | Some(Tree::Null), Some(DefaultValue::Json(text))) => Some(self.default(text, field, at)),
            (None | Some(Tree::Null), None) if nullable => Some(Tree::Null),
            (None, None) => {
                self.report(&at.key(field.name), "required", || Words::new(field.shape.get().kind.name(), "nothing"));
                None
            }
            (Some(tree), _) => Some(self.given(tree, field, at)),
        }
    }

    /// A value that stands there.
    fn given<'a>(&mut self, tree: Tree<'a>, field: &'static Field, at: &Place<'_>) -> Tree<'a> {
        self.value(tree, field.shape, &field.rules, &at.key(field.name))
    }

    /// What serde would fill in, if it is a value that could stand there.
    fn natural<'a>(&mut self, text: &'static str, field: &'static Field, at: &Place<'_>) -> Option<Tree<'a>> {
        let (listed, left_out) = (self.problems.len(), self.left_out);
        let tree = self.default(text, field, at);
        let is_valid = (listed, left_out) == (self.problems.len(), self.left_out);
        self.problems.truncate(listed);
        self.left_out = left_out;
        is_valid.then_some(tree)
    }

    /// A default, which was read once when its shape was; reading it again costs less than to keep and copy it.
    fn default<'a>(&mut self, text: &'static str, field: &'static Field, at: &Place<'_>) -> Tree<'a> {
        match parse(text) {
            Ok(tree) => self.given(tree, field, at),
            Err(sentence) => {
                self.report(&at.key(field.name), "default", || Words::new("a default that is JSON", sentence));
                Tree::Null
            }
        }
    }
}

fn unknown(key: &str, object: &'static Object) -> Words {
    let mut names = Vec::new();
    each_field(object, &mut |field| names.push(field.name));
    if names.is_empty() {
        return Words::new("no fields", named(key)).hint("leave it out");
    }
    let words =
        Words::new(format!("one of the fields {}", list(names.iter().copied())), format!("a field {}", named(key)));
    match nearest(key, names) {
        Some(name) => words.hint(did_you_mean(name)),
        None => words.hint("leave it out"),
    }
}

/// The object whose fields stand in place of a field.
fn inlined(field: &Field) -> Option<&'static Object> {
    match &field.shape.get().kind {
        Kind::Object(inner) if field.flatten => Some(inner),
        _ => None,
    }
}

/// The number of fields, flattened structs counted through.
fn count(object: &'static Object) -> usize {
    object.fields.iter().map(|field| inlined(field).map_or(1, count)).sum()
}

fn each_field(object: &'static Object, see: &mut dyn FnMut(&'static Field)) {
    for field in object.fields {
        match inlined(field) {
            Some(inner) => each_field(inner, see),
            None => see(field),
        }
    }
}

/// The field that a key means: its place, flattened structs counted through, and its name.
fn find(object: &'static Object, key: &str) -> Option<(usize, &'static str)> {
    let mut place = 0;
    let mut alias = None;
    let mut name = None;
    each_field(object, &mut |field| {
        if field.name == key {
            name = name.or(Some((place, field.name)));
        } else if field.aliases.contains(&key) {
            alias = alias.or(Some((place, field.name)));
        }
        place += 1;
    });
    name.or(alias)
}
