//! TEMPORARY stand-in.
#![allow(missing_docs)]
use super::*;
macro_rules! ints { ($($t:ty)*) => { $(impl ToolSchema for $t { const SHAPE: Link = Link::to(&Shape { kind: Kind::Integer(Integer { min: <$t>::MIN as i128, max: <$t>::MAX as i128, zero: true }) }); })* } }
ints!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize);
macro_rules! kinds { ($($t:ty => $k:expr;)*) => { $(impl ToolSchema for $t { const SHAPE: Link = Link::to(&Shape { kind: $k }); })* } }
kinds! {
    bool => Kind::Bool;
    f32 => Kind::Number(Number::F32);
    f64 => Kind::Number(Number::F64);
    String => Kind::Text(Text::ANY);
    serde_json::Value => Kind::Refused(Refused { what: "a `serde_json::Value`, which can be anything", help: "name the fields in a struct, or take JSON text as a `String`" });
}
#[cfg(feature = "rust_decimal")]
kinds! { rust_decimal::Decimal => Kind::Number(Number::Decimal); }
impl<T: ToolSchema> ToolSchema for Option<T> {
    const SHAPE: Link = Link::to(&Shape { kind: Kind::Nullable(T::SHAPE) });
}
impl<T: ToolSchema> ToolSchema for Vec<T> {
    const SHAPE: Link = Link::to(&Shape {
        kind: Kind::Array(Array { item: T::SHAPE, min_items: None, max_items: None, unique: false }),
    });
}
impl<T: ToolSchema> ToolSchema for Box<T> {
    const SHAPE: Link = T::SHAPE;
}
impl<K, V, S> ToolSchema for std::collections::HashMap<K, V, S> {
    const SHAPE: Link = Link::to(&Shape {
        kind: Kind::Refused(Refused {
            what: "a `HashMap`, whose keys are open",
            help: "use a `Vec` of a struct with the fields `key` and `value`, or name the keys as fields",
        }),
    });
}
impl<K, V> ToolSchema for std::collections::BTreeMap<K, V> {
    const SHAPE: Link = Link::to(&Shape {
        kind: Kind::Refused(Refused {
            what: "a `BTreeMap`, whose keys are open",
            help: "use a `Vec` of a struct with the fields `key` and `value`, or name the keys as fields",
        }),
    });
}
