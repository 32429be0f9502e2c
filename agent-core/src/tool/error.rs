//! What a tool can fail with: a rule of the domain, or a fault.

use std::error::Error as StdError;
use std::fmt;

use serde_json::Value;

/// A rule of the domain that the call breaks, for example `UNSUPPORTED_JURISDICTION`.
///
/// The model reads code, message and details. Returning it promises that nothing was changed: the
/// call may run again once the cause is gone.
///
/// ```
/// use agent_core::BusinessError;
/// let error = BusinessError::new("CREDIT_LIMIT", "the order exceeds the customer's credit limit");
/// assert_eq!(error.code(), "CREDIT_LIMIT");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BusinessError {
    code: String,
    message: String,
    details: Option<Value>,
}

/// Whether a value is nested deeper than so many levels.
fn is_deep(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(left)) => items.iter().any(|item| is_deep(item, left)),
        (Value::Object(fields), Some(left)) => fields.values().any(|field| is_deep(field, left)),
        _ => false,
    }
}

impl BusinessError {
    /// An error with a code in upper snake case and a sentence that says what the rule is.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: None }
    }

    /// Adds facts for the model as JSON. What is nested more than 64 levels deep becomes its text, since a run that is
    /// saved with it could not be read again.
    #[must_use]
    pub fn details(mut self, details: impl Into<Value>) -> Self {
        let details = details.into();
        self.details = Some(if is_deep(&details, 64) { Value::String(details.to_string()) } else { details });
        self
    }

    /// The code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The facts, where there are any.
    pub fn facts(&self) -> Option<&Value> {
        self.details.as_ref()
    }
}

impl fmt::Display for BusinessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl StdError for BusinessError {}

/// Why a tool gave no value.
///
/// Either a [`BusinessError`], which the model reads, or a *fatal* fault, of which the model sees
/// only a code and a neutral sentence while the log sees all.
#[derive(Debug)]
pub struct ToolError {
    kind: ToolErrorKind,
}

#[derive(Debug)]
enum ToolErrorKind {
    Business(BusinessError),
    Fatal(Fatal),
}

/// A fault inside a tool.
#[derive(Debug)]
pub(crate) struct Fatal {
    pub(crate) source: Box<dyn StdError + Send + Sync>,
    /// The tool vouches that nothing was changed.
    pub(crate) not_done: bool,
    /// Trying again may help.
    pub(crate) transient: bool,
}

impl ToolError {
    /// A fault. For a mutating tool its outcome is unknown unless [`not_done`](Self::not_done) says otherwise.
    pub fn fatal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let fatal = Fatal { source: source.into(), not_done: false, transient: false };
        Self { kind: ToolErrorKind::Fatal(fatal) }
    }

    /// Vouches that nothing was changed, so that the call may be made again. No effect on a business error, which promises it anyway.
    #[must_use]
    pub fn not_done(mut self) -> Self {
        if let ToolErrorKind::Fatal(fatal) = &mut self.kind {
            fatal.not_done = true;
        }
        self
    }

    /// Says that trying again may help. Reads and `keyed` tools are repeated as often as `retries` allows. No effect on a business error.
    #[must_use]
    pub fn transient(mut self) -> Self {
        if let ToolErrorKind::Fatal(fatal) = &mut self.kind {
            fatal.transient = true;
        }
        self
    }

    /// The business error, if it is one.
    pub fn as_business(&self) -> Option<&BusinessError> {
        match &self.kind {
            ToolErrorKind::Business(error) => Some(error),
            ToolErrorKind::Fatal(_) => None,
        }
    }

    /// Whether this is a fault rather than a rule of the domain.
    pub fn is_fatal(&self) -> bool {
        matches!(self.kind, ToolErrorKind::Fatal(_))
    }

    /// Whether trying again may help.
    pub fn is_transient(&self) -> bool {
        matches!(&self.kind, ToolErrorKind::Fatal(fatal) if fatal.transient)
    }

    pub(crate) fn into_parts(self) -> Result<BusinessError, Fatal> {
        match self.kind {
            ToolErrorKind::Business(error) => Ok(error),
            ToolErrorKind::Fatal(fatal) => Err(fatal),
        }
    }
}

impl From<BusinessError> for ToolError {
    fn from(error: BusinessError) -> Self {
        Self { kind: ToolErrorKind::Business(error) }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ToolErrorKind::Business(error) => error.fmt(f),
            ToolErrorKind::Fatal(_) => f.write_str("the tool failed"),
        }
    }
}

impl StdError for ToolError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.kind {
            ToolErrorKind::Business(_) => None,
            ToolErrorKind::Fatal(fatal) => Some(&*fatal.source),
        }
    }
}

/// Turns a foreign error into a fault, so that `?` carries it out of a tool.
///
/// ```
/// use agent_core::{OrFatal, ToolError};
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     Ok(text.parse::<u32>().fatal()?)
/// }
/// assert!(parse("x").unwrap_err().is_fatal());
/// ```
pub trait OrFatal<T> {
    /// The value, or the error as [`ToolError::fatal`].
    ///
    /// # Errors
    ///
    /// The error, as a fault.
    fn fatal(self) -> Result<T, ToolError>;
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> OrFatal<T> for Result<T, E> {
    fn fatal(self) -> Result<T, ToolError> {
        self.map_err(ToolError::fatal)
    }
}
