//! Whole numbers, floats, and time spans as a number of seconds.

use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64,
    NonZeroUsize,
};

use crate::schema::{Integer, Kind, Link, Number, Shape, ToolSchema};

macro_rules! integers {
    ($($integer:ident $non_zero:ident $least_non_zero:expr;)*) => {$(
        impl ToolSchema for $integer {
            const SHAPE: Link = {
                static SHAPE: Shape = Shape::new(Kind::Integer(Integer {
                    min: $integer::MIN as i128,
                    max: $integer::MAX as i128,
                    zero: true,
                }));
                Link::to(&SHAPE)
            };
            const DEFAULT: Option<&'static str> = Some("0");
        }

        impl ToolSchema for $non_zero {
            const SHAPE: Link = {
                static SHAPE: Shape = Shape::new(Kind::Integer(Integer {
                    min: $least_non_zero as i128,
                    max: $integer::MAX as i128,
                    // Where 1 is the least, the bounds leave zero out.
                    zero: $least_non_zero as i128 == 1,
                }));
                Link::to(&SHAPE)
            };
        }
    )*};
}

integers! {
    i8 NonZeroI8 i8::MIN;
    i16 NonZeroI16 i16::MIN;
    i32 NonZeroI32 i32::MIN;
    i64 NonZeroI64 i64::MIN;
    isize NonZeroIsize isize::MIN;
    u8 NonZeroU8 1;
    u16 NonZeroU16 1;
    u32 NonZeroU32 1;
    u64 NonZeroU64 1;
    usize NonZeroUsize 1;
}

macro_rules! numbers {
    ($($ty:ty, $number:ident, $default:expr;)*) => {$(
        impl ToolSchema for $ty {
            const SHAPE: Link = {
                static SHAPE: Shape = Shape::new(Kind::Number(Number::$number));
                Link::to(&SHAPE)
            };
            const DEFAULT: Option<&'static str> = $default;
        }
    )*};
}

numbers! {
    f32, F32, Some("0");
    f64, F64, Some("0");
    serde_json::Number, Any, None;
    // Serde's form is an object of `secs` and `nanos`, which no model should be asked for.
    std::time::Duration, Seconds, Some("0");
}
