//! A [`Tree`] into the tool's own types, by serde.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::problem::{push_key, shown};
use super::tree::Tree;
use super::values::Arguments;

/// Why a type does not take a value, and where.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) pointer: String,
    /// The value at the pointer, where it is not the one that reading began with.
    pub(super) got: Option<String>,
}

impl Refusal {
    fn within(self, key: &str, tree: &Tree<'_>) -> Self {
        let mut pointer = String::new();
        push_key(&mut pointer, key);
        pointer.push_str(&self.pointer);
        Self { pointer, got: self.got.or_else(|| Some(shown(tree))), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), pointer: String::new(), got: None }
    }
}

/// A type of someone else that stands for a `Duration` may read the number itself.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            match self.0 {
                Tree::Seconds(span) if span.subsec_nanos() == 0 => visitor.visit_u64(span.as_secs()),
                // The float nearest to the digits, which a sum of whole seconds and fraction need not be.
                Tree::Seconds(span) => {
                    visitor.visit_f64(self.0.to_string().parse().unwrap_or_else(|_| span.as_secs_f64()))
                }
                _ => self.deserialize_any(visitor),
            }
        }
    )*};
}

/// One value.
pub(super) struct Node<'de>(pub(super) &'de Tree<'de>);

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Int(value) => visitor.visit_i64(*value),
            Tree::Uint(value) => visitor.visit_u64(*value),
            Tree::Float(value) | Tree::Digits { near: value, .. } => visitor.visit_f64(*value),
            // What serde's `Duration` asks for. It is given whatever is asked, since within a tagged enum or beside
            // flattened fields serde keeps the value first and reads it later.
            Tree::Seconds(span) => {
                let parts = [("secs", span.as_secs()), ("nanos", u64::from(span.subsec_nanos()))];
                visitor.visit_map(MapDeserializer::new(parts.into_iter()))
            }
            Tree::Str(text) => visitor.visit_borrowed_str(text),
            Tree::Array(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Tree::Object(entries) => {
                visitor.visit_map(Entries::new(entries.iter().map(|(key, tree)| (key.as_ref(), tree))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            Tree::Object(entries) => match entries.as_slice() {
                [(name, content)] => visitor.visit_enum(Form { name, content: Some(content) }),
                _ => Err(de::Error::custom("expected an object with one key")),
            },
            Tree::Str(name) => visitor.visit_enum(Form { name, content: None }),
            _ => Err(de::Error::custom("expected the name of a form, or an object with it as its one key")),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// All arguments as one map.
pub(super) struct Root<'de>(pub(super) &'de Arguments<'de>);

impl<'de> Deserializer<'de> for Root<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_map(Entries::new(self.0.entries()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Items<'de>(std::iter::Enumerate<std::slice::Iter<'de, Tree<'de>>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Node(item)).map(Some).map_err(|refusal| refusal.within(&index.to_string(), item))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'de, I> {
    entries: I,
    current: Option<(&'de str, &'de Tree<'de>)>,
}

impl<'de, I: Iterator<Item = (&'de str, &'de Tree<'de>)>> Entries<'de, I> {
    fn new(entries: I) -> Self {
        Self { entries, current: None }
    }
}

impl<'de, I: Iterator<Item = (&'de str, &'de Tree<'de>)>> MapAccess<'de> for Entries<'de, I> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refusal> {
        self.current = self.entries.next();
        self.current.map(|(key, _)| seed.deserialize(BorrowedStrDeserializer::new(key))).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refusal> {
        let Some((key, tree)) = self.current else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(Node(tree)).map_err(|refusal| refusal.within(key, tree))
    }
}

/// One form of an enum: its name, and what it holds.
struct Form<'de> {
    name: &'de str,
    content: Option<&'de Tree<'de>>,
}

impl<'de> EnumAccess<'de> for Form<'de> {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Refusal> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self))
    }
}

impl<'de> Form<'de> {
    fn content(self) -> Result<(&'de str, &'de Tree<'de>), Refusal> {
        self.content
            .map(|tree| (self.name, tree))
            .ok_or_else(|| de::Error::custom(format_args!("`{}` holds a value, which is missing", self.name)))
    }
}

impl<'de> VariantAccess<'de> for Form<'de> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.content {
            None | Some(Tree::Null) => Ok(()),
            Some(_) => Err(de::Error::custom(format_args!("`{}` holds no value", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refusal> {
        let (name, tree) = self.content()?;
        seed.deserialize(Node(tree)).map_err(|refusal| refusal.within(name, tree))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        let (name, tree) = self.content()?;
        Node(tree).deserialize_any(visitor).map_err(|refusal| refusal.within(name, tree))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Refusal> {
        let _ = fields;
        let (name, tree) = self.content()?;
        Node(tree).deserialize_any(visitor).map_err(|refusal| refusal.within(name, tree))
    }
}
