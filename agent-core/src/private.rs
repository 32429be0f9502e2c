//! What generated code names. Not for use by hand; it changes without notice.

pub use crate::arguments::{Arguments, Problem};
pub use crate::schema::{
    Array, Bound, DefaultValue, Described, Enum, EnumValue, Field, Integer, Kind, Link, Number, Object, Profile,
    Refused, Rules, Shape, Tagging, Text, ToolSchema, Union, Variant, check, profile,
};
pub use crate::tool::{
    Asked, Asking, BusinessError, CallContext, Callable, Duplicates, Effect, Outcome, Prepared, Provide, Reconciled,
    Returned, ReturnsValue, Running, Tool, ToolError, ToolSpec, Tools,
};
pub use std::boxed::Box;
pub use std::string::ToString;
pub use std::sync::Arc;

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::schema::ToolSchema as HasSchema;

/// A warning that depends on a constant: using a constant of `When<true>` is using what is deprecated.
///
/// The macro writes `const _: () = When::<{ .. }>::WIDE_INTEGER;` with the last word at the tokens that the warning is
/// about, outside all that allows `deprecated`, and leaves it out where `#[tool(allow(..))]` says so:
///
/// - `When::<{ check::is_long(SPEC.description) }>::LONG_DESCRIPTION`
/// - `When::<{ check::is_long_below(SPEC, "name on the wire") }>::LONG_PARAMETER`
/// - `When::<{ check::is_wide(SPEC, "name on the wire") }>::WIDE_INTEGER`, with `""` for a flattened parameter.
#[derive(Debug)]
pub struct When<const IS: bool>;

impl When<false> {
    /// Nothing to say.
    pub const LONG_DESCRIPTION: () = ();
    /// Nothing to say.
    pub const LONG_PARAMETER: () = ();
    /// Nothing to say.
    pub const WIDE_INTEGER: () = ();
}

impl When<true> {
    /// Said of a tool.
    #[deprecated(
        note = "this description has more than 1024 characters, for which older deployments of OpenAI and Azure answer HTTP 400; shorten it, or write `#[tool(allow(long_description))]`"
    )]
    pub const LONG_DESCRIPTION: () = ();
    /// Said of a parameter.
    #[deprecated(
        note = "the description of this parameter, or of something in its type, has more than 1024 characters, for which older deployments of OpenAI and Azure answer HTTP 400; shorten it, or write `#[tool(allow(long_description))]`"
    )]
    pub const LONG_PARAMETER: () = ();
    /// Said of a parameter.
    #[deprecated(
        note = "integers beyond 2^53 come rounded from what reads JSON numbers as floats, and nothing of it shows; give a `maximum`, take a narrower type or a `String` of digits, or write `#[tool(allow(wide_integers))]`"
    )]
    pub const WIDE_INTEGER: () = ();
}

/// What is read from arguments: all that serde reads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from what the model sends",
    label = "serde does not read this type",
    note = "derive it: `#[derive(serde::Deserialize)]`, with `serde = {{ version = \"1\", features = [\"derive\"] }}` among the dependencies"
)]
pub trait FromArguments: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> FromArguments for T {}

/// Reads an argument, if its type has a schema.
///
/// A type that has none is one error, at the constant that asks for its shape; here it would be a
/// second one. So the inherent methods ask for a schema, and those of [`NoSchema`] stand behind them.
#[derive(Debug)]
pub struct Reader<T>(PhantomData<T>);

impl<T> Reader<T> {
    /// A reader.
    pub const NEW: Self = Self(PhantomData);

    /// Reads the argument at `index`, whose schema is that of another type.
    ///
    /// # Errors
    ///
    /// A problem where the type refuses the value.
    pub fn as_other(self, arguments: &Arguments<'_>, index: usize) -> Result<T, Problem>
    where
        T: FromArguments,
    {
        arguments.field(index)
    }
}

impl<T: HasSchema> Reader<T> {
    /// Reads the argument at `index`.
    ///
    /// # Errors
    ///
    /// A problem where the type refuses the value.
    pub fn field(self, arguments: &Arguments<'_>, index: usize) -> Result<T, Problem>
    where
        T: FromArguments,
    {
        arguments.field(index)
    }

    /// Reads all arguments.
    ///
    /// # Errors
    ///
    /// A problem where the type refuses the value.
    pub fn whole(self, arguments: &Arguments<'_>) -> Result<T, Problem>
    where
        T: FromArguments,
    {
        arguments.whole()
    }
}

/// What the `Default` of a type is as JSON text, if its schema says so.
///
/// A type without a schema is one error, as with [`Reader`]: behind the inherent constant stands that of [`NoDefault`].
#[derive(Debug)]
pub struct Natural<T: ?Sized>(PhantomData<T>);

impl<T: HasSchema + ?Sized> Natural<T> {
    /// The text.
    pub const TEXT: Option<&'static str> = T::DEFAULT;
}

/// A type whose default is not known.
pub trait NoDefault {
    /// None.
    const TEXT: Option<&'static str> = None;
}

impl<T: ?Sized> NoDefault for Natural<T> {}

/// What is said of a type without a schema; it is never compiled to the end.
pub trait NoSchema<T>: Sized {
    /// Nothing.
    ///
    /// # Errors
    ///
    /// None.
    fn field(self, _: &Arguments<'_>, _: usize) -> Result<T, Problem> {
        unreachable!("a type without a schema does not compile")
    }

    /// Nothing.
    ///
    /// # Errors
    ///
    /// None.
    fn whole(self, _: &Arguments<'_>) -> Result<T, Problem> {
        unreachable!("a type without a schema does not compile")
    }
}

impl<T> NoSchema<T> for Reader<T> {}
