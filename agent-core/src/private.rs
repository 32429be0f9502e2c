//! What generated code names. Not for use by hand; it changes without notice.

pub use crate::arguments::{Arguments, Problem};
pub use crate::schema::{
    Array, Bound, DefaultValue, Enum, EnumValue, Field, Integer, Kind, Link, Number, Object, Profile, Refused, Rules,
    Shape, Tagging, Text, ToolSchema, Union, Variant, check, profile,
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
        T: DeserializeOwned,
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
        T: DeserializeOwned,
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
        T: DeserializeOwned,
    {
        arguments.whole()
    }
}

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
