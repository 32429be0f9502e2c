//! What generated code names. Not for use by hand; it changes without notice.

pub use crate::arguments::{Arguments, Problem};
pub use crate::schema::{
    Argument, Array, Bound, DefaultValue, Enum, EnumValue, Field, Integer, Kind, Link, Number, Object, Profile,
    Refused, Rules, Shape, Tagging, Text, ToolSchema, Union, Variant, check, profile,
};
pub use crate::tool::{
    CallContext, Callable, Duplicates, Effect, Outcome, Prepared, Provide, Returned, ReturnsValue, Running, Tool,
    ToolSpec, Tools,
};
pub use std::boxed::Box;
pub use std::sync::Arc;
