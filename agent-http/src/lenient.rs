//! Values that may be of another type than the format says; such a value reads as if it were absent.
//!
//! ```
//! use agent_http::lenient::{Count, Text};
//!
//! let read: (Text, Count) = serde_json::from_str(r#"[7, 12.0]"#)?;
//! assert_eq!((read.0.0, read.1.0), (None, Some(12)));
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json;

/// A string, or else none. An empty one is none too.
#[derive(Debug, Default)]
pub struct Text(pub Option<String>);

/// A string that is borrowed where it is written without escapes, or else none. An empty one is none too.
///
/// Half a surrogate pair reads as U+FFFD.
///
/// ```
/// use agent_http::lenient::Str;
///
/// let read: [Str<'_>; 3] = serde_json::from_str(r#"["a", "\ud83d", 7]"#)?;
/// assert_eq!(read.map(|text| text.0), [Some("a".into()), Some("\u{fffd}".into()), None]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Default, Clone)]
pub struct Str<'a>(pub Option<Cow<'a, str>>);

/// A value as it is written; none where it is absent.
///
/// ```
/// use agent_http::lenient::Raw;
///
/// let read: Raw<'_> = serde_json::from_str("1.10")?;
/// assert_eq!(read.0, Some("1.10"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Default, Clone, Copy)]
pub struct Raw<'a>(pub Option<&'a str>);

/// The name of a field.
#[derive(Debug)]
pub struct Name<'a>(pub Cow<'a, str>);

/// An object, or else none.
#[derive(Debug)]
pub struct Obj<T>(pub Option<T>);

/// An array, or else empty.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

/// A count, or else none; `12.0` is one too.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count(pub Option<u64>);

impl<T> Default for Obj<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The visits that every reader here answers with its default.
macro_rules! absent {
    ($($visit:ident($type:ty))*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        $(fn $visit<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Default::default())
        })*
    };
}

macro_rules! skip_map {
    () => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}

macro_rules! skip_seq {
    () => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}

struct Reader<T>(PhantomData<T>);

impl<'de> Visitor<'de> for Reader<Text> {
    type Value = Text;

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text((!text.is_empty()).then(|| text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text((!text.is_empty()).then_some(text)))
    }

    absent! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) }
    skip_map! {}
    skip_seq! {}
}

impl<'de> Visitor<'de> for Reader<Count> {
    type Value = Count;

    fn visit_u64<E>(self, count: u64) -> Result<Count, E> {
        Ok(Count(Some(count)))
    }

    fn visit_f64<E>(self, count: f64) -> Result<Count, E> {
        // The cast saturates, so a number out of range is a large count and no more.
        Ok(Count((count >= 0.0 && count.fract() == 0.0).then_some(count as u64)))
    }

    absent! { visit_bool(bool) visit_i64(i64) visit_str(&str) }
    skip_map! {}
    skip_seq! {}
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<Obj<T>> {
    type Value = Obj<T>;

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Obj<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|object| Obj(Some(object)))
    }

    absent! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) visit_str(&str) }
    skip_seq! {}
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<List<T>> {
    type Value = List<T>;

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            if items.is_empty() {
                // There is seldom more than one.
                items.reserve_exact(1);
            }
            items.push(item);
        }
        Ok(List(items))
    }

    absent! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) visit_str(&str) }
    skip_map! {}
}

macro_rules! read_any {
    ($(($($generic:ident)?) $type:ty;)*) => {$(
        impl<'de $(, $generic: Deserialize<'de>)?> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(Reader::<Self>(PhantomData))
            }
        }
    )*};
}

read_any! {
    () Text;
    () Count;
    (T) Obj<T>;
    (T) List<T>;
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(from).map(|raw| Self(Some(raw.get())))
    }
}

impl<'a> Raw<'a> {
    /// The value, unless it is null.
    pub fn some(self) -> Option<&'a str> {
        self.0.filter(|written| *written != "null")
    }

    /// Whether nothing is said in it, as [`json::is_hollow`] has it.
    pub fn is_hollow(&self) -> bool {
        self.0.is_none_or(json::is_hollow_text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = json::text(<&RawValue>::deserialize(from)?.get());
        Ok(Self(text.filter(|text| !text.is_empty())))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        from.deserialize_str(Reader)
    }
}
