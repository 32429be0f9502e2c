//! From the text of a call to a call that can be made.

use crate::arguments::{Digest, Invalid, Validator};
use crate::schema::{Profile, Published, Shape, full_text, publish};
use crate::tool::{Asking, Prepared, Typed};

/// How one tool reads its arguments.
pub(crate) trait Reads<S>: Send + Sync {
    /// The call, and what tells it from another of the same tool.
    fn read(&self, arguments: &str) -> Result<(Digest, Prepared<S>), Invalid>;

    /// Whether reading may take longer than a run may be held up: a schema from outside bounds no work.
    fn may_take_long(&self) -> bool {
        false
    }

    /// The question whether the call has happened; none where the tool cannot answer it.
    fn question(&self, arguments: &str) -> Option<Asking<S>>;
}

/// What the arguments of a tool are held to.
pub(crate) enum Schema {
    Shape(&'static Shape),
    /// The text of the host itself.
    #[cfg(feature = "jsonschema")]
    Text(std::sync::Arc<str>),
}

impl Schema {
    /// The shape, where there is one.
    pub(crate) fn shape(&self) -> Option<&'static Shape> {
        match self {
            Self::Shape(shape) => Some(shape),
            #[cfg(feature = "jsonschema")]
            Self::Text(_) => None,
        }
    }

    /// What a profile can say of it.
    pub(crate) fn published(&self, description: &str, profile: &Profile) -> Published {
        match self {
            Self::Shape(shape) => publish(description, shape, profile),
            #[cfg(feature = "jsonschema")]
            Self::Text(text) => Published { description: description.to_owned(), parameters: text.to_string() },
        }
    }

    /// All of it.
    pub(crate) fn full(&self) -> String {
        match self {
            Self::Shape(shape) => full_text(shape),
            #[cfg(feature = "jsonschema")]
            Self::Text(text) => text.to_string(),
        }
    }
}

/// By the shape, into the types of the function.
pub(crate) struct ByShape<S> {
    pub(crate) validator: Validator,
    pub(crate) tool: Typed<S>,
    pub(crate) mutating: bool,
}

impl<S> Reads<S> for ByShape<S> {
    fn read(&self, arguments: &str) -> Result<(Digest, Prepared<S>), Invalid> {
        let arguments = self.validator.read(arguments)?;
        match (self.tool.prepare)(&arguments) {
            Ok(prepared) => Ok((if self.mutating { arguments.digest() } else { arguments.sum() }, prepared)),
            Err(problem) => Err(Invalid::Problems(vec![problem])),
        }
    }

    fn question(&self, arguments: &str) -> Option<Asking<S>> {
        let arguments = self.validator.read(arguments).ok()?;
        (self.tool.reconcile)(&arguments).ok().flatten()
    }
}
