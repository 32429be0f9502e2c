//! Arguments that are valid.

use serde::de::DeserializeOwned;

use super::de::{Node, Refusal, Root};
use super::digest::{Digest, digest, sum};
use super::problem::{Problem, push_key, shown};
use super::tree::{Tree, write_string};
use crate::schema::Object;

/// The valid, normalised arguments of one call, in the order of the tool's parameters.
///
/// A [`Validator`](super::Validator) makes them. Its `Display` is their compact JSON text.
#[derive(Clone)]
pub struct Arguments<'a> {
    pub(super) object: &'static Object,
    /// One entry a field of the arguments' shape; none where the value is absent and has no known default.
    pub(super) fields: Vec<Option<Tree<'a>>>,
}

impl Arguments<'_> {
    /// The value of one parameter, by its place in the shape. An absent one is read as null.
    ///
    /// # Errors
    ///
    /// A problem where the value passes the schema and is refused by its type.
    pub fn field<T: DeserializeOwned>(&self, index: usize) -> Result<T, Problem> {
        let tree = self.fields.get(index).and_then(Option::as_ref).unwrap_or(&Tree::Null);
        let (name, flatten) = self.object.fields.get(index).map_or(("", false), |field| (field.name, field.flatten));
        T::deserialize(Node(tree)).map_err(|refusal| {
            let mut at = String::new();
            if !flatten {
                push_key(&mut at, name);
            }
            problem(refusal, at, tree)
        })
    }

    /// All arguments as one value: a struct with a field for each.
    ///
    /// # Errors
    ///
    /// A problem where the values pass the schema and are refused by the type.
    pub fn whole<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        T::deserialize(Root(self)).map_err(|refusal| problem(refusal, String::new(), &Tree::Null))
    }

    /// What tells this call from another of the same tool: one value, one digest, however it was written.
    ///
    /// With any [`identity`](crate::schema::Field::identity) field only these count.
    pub fn digest(&self) -> Digest {
        digest(self.object, &self.fields)
    }

    /// The same where nothing hangs on it but whether a read is repeated.
    pub(crate) fn sum(&self) -> Digest {
        sum(self.object, &self.fields)
    }

    /// The arguments as compact JSON text in the order of the shape, defaults filled in. Absent ones are left out;
    /// inside nested objects they are null.
    pub fn to_json(&self) -> String {
        self.to_string()
    }

    /// Each argument under its name; the fields of a flattened struct in its place.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Tree<'_>)> {
        let given = self.object.fields.iter().zip(&self.fields);
        given.flat_map(|(field, value)| {
            let (own, inner) = match value {
                Some(Tree::Object(entries)) if field.flatten => (None, entries.as_slice()),
                value => (value.as_ref(), &[][..]),
            };
            let own = own.map(|tree| (field.name, tree));
            own.into_iter().chain(inner.iter().map(|(key, tree)| (key.as_ref(), tree)))
        })
    }
}

fn problem(refusal: Refusal, at: String, tree: &Tree<'_>) -> Problem {
    Problem {
        pointer: at + &refusal.pointer,
        rule: "type".to_owned(),
        expected: "a value that the tool can read".to_owned(),
        got: refusal.got.unwrap_or_else(|| shown(tree)),
        hint: Some(refusal.message),
    }
    .cut()
}

impl std::fmt::Display for Arguments<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        let present = self.entries().filter(|(_, tree)| !matches!(tree, Tree::Null));
        for (index, (name, tree)) in present.enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write_string(f, name)?;
            write!(f, ":{tree}")?;
        }
        f.write_str("}")
    }
}

impl std::fmt::Debug for Arguments<'_> {
    /// Names only: values belong to the caller.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.entries().map(|(name, _)| name)).finish()
    }
}
