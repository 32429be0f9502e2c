//! From the text of a call to a call that can be made.

use crate::arguments::{Digest, Invalid, Validator};
use crate::tool::{Asking, Prepared, Typed};

/// How one tool reads its arguments.
pub(crate) trait Reads<S>: Send + Sync {
    /// The call, and what tells it from another of the same tool.
    fn read(&self, arguments: &str) -> Result<(Digest, Prepared<S>), Invalid>;

    /// The question whether the call has happened; none where the tool cannot answer it.
    fn question(&self, arguments: &str) -> Option<Asking<S>>;
}

/// By the shape, into the types of the function.
pub(crate) struct ByShape<S> {
    pub(crate) validator: Validator,
    pub(crate) tool: Typed<S>,
}

impl<S> Reads<S> for ByShape<S> {
    fn read(&self, arguments: &str) -> Result<(Digest, Prepared<S>), Invalid> {
        let arguments = self.validator.read(arguments)?;
        match (self.tool.prepare)(&arguments) {
            Ok(prepared) => Ok((arguments.digest(), prepared)),
            Err(problem) => Err(Invalid::Problems(vec![problem])),
        }
    }

    fn question(&self, arguments: &str) -> Option<Asking<S>> {
        let arguments = self.validator.read(arguments).ok()?;
        (self.tool.reconcile)(&arguments).ok().flatten()
    }
}
