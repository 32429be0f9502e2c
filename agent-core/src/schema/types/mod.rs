//! The shapes of the types that come with Rust, and of those of other crates that a feature turns on.

/// Types that are strings of a grammar of their own: the type, and the field of [`Text`](crate::schema::Text) that names
/// the grammar.
macro_rules! written {
    ($($ty:ty, $field:ident: $grammar:literal;)*) => {$(
        impl $crate::schema::ToolSchema for $ty {
            const SHAPE: $crate::schema::Link = {
                static SHAPE: $crate::schema::Shape =
                    $crate::schema::Shape::new($crate::schema::Kind::Text($crate::schema::Text {
                        $field: Some($grammar),
                        reads: Some($crate::schema::types::text::own_form::<$ty>),
                        ..$crate::schema::Text::ANY
                    }));
                $crate::schema::Link::to(&SHAPE)
            };
        }
    )*};
}

mod collection;
#[cfg(feature = "chrono")]
mod date;
#[cfg(feature = "rust_decimal")]
mod decimal;
#[cfg(feature = "jiff")]
mod instant;
mod number;
mod refused;
mod text;
#[cfg(feature = "url")]
mod url;
#[cfg(feature = "uuid")]
mod uuid;

use std::cell::Cell;
use std::sync::Arc;

use super::{Kind, Link, Shape, ToolSchema};

static BOOL: Shape = Shape::new(Kind::Bool);

impl ToolSchema for bool {
    const SHAPE: Link = Link::to(&BOOL);
    const DEFAULT: Option<&'static str> = Some("false");
}

/// The shape of what is in the box.
impl<T: ToolSchema + ?Sized> ToolSchema for Box<T> {
    const SHAPE: Link = T::SHAPE;
    const DEFAULT: Option<&'static str> = T::DEFAULT;
}

/// The shape of what is shared. Reading one needs serde's feature `rc`.
impl<T: ToolSchema + ?Sized> ToolSchema for Arc<T> {
    const SHAPE: Link = T::SHAPE;
    const DEFAULT: Option<&'static str> = T::DEFAULT;
}

/// The shape of what is in the cell.
impl<T: ToolSchema> ToolSchema for Cell<T> {
    const SHAPE: Link = T::SHAPE;
    const DEFAULT: Option<&'static str> = T::DEFAULT;
}

impl<T: ToolSchema> ToolSchema for Option<T> {
    const SHAPE: Link = Link::to(Nullable::<T>::SHAPE);
    const DEFAULT: Option<&'static str> = Some("null");
}

/// Holds the shape of a generic type: a constant of a reference, since a static cannot name `T`.
struct Nullable<T>(std::marker::PhantomData<T>);

impl<T: ToolSchema> Nullable<T> {
    const SHAPE: &'static Shape = &Shape::new(Kind::Nullable(T::SHAPE));
}
