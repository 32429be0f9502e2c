//! The shapes of the types that come with Rust.
//!
//! `std::time::Duration` has none: serde writes it as an object of `secs` and `nanos`, which no model
//! should be asked for. Take a number of seconds, or a string with `format = "duration"`.

mod collection;
#[cfg(feature = "rust_decimal")]
mod decimal;
mod number;
mod refused;
mod text;

use std::sync::Arc;

use super::{Kind, Link, Shape, ToolSchema};

static BOOL: Shape = Shape::new(Kind::Bool);

impl ToolSchema for bool {
    const SHAPE: Link = Link::to(&BOOL);
}

/// The shape of what is in the box.
impl<T: ToolSchema + ?Sized> ToolSchema for Box<T> {
    const SHAPE: Link = T::SHAPE;
}

/// The shape of what is shared. Reading one needs serde's feature `rc`.
impl<T: ToolSchema + ?Sized> ToolSchema for Arc<T> {
    const SHAPE: Link = T::SHAPE;
}

impl<T: ToolSchema> ToolSchema for Option<T> {
    const SHAPE: Link = Link::to(Nullable::<T>::SHAPE);
}

/// Holds the shape of a generic type: a constant of a reference, since a static cannot name `T`.
struct Nullable<T>(std::marker::PhantomData<T>);

impl<T: ToolSchema> Nullable<T> {
    const SHAPE: &'static Shape = &Shape::new(Kind::Nullable(T::SHAPE));
}
