//! Objects that are read field by field.

/// An object that is read field by field: of a name that stands twice the last value counts, and what is not named is
/// skipped, or kept as it came. A field's type says what it reads from a value that does not fit.
///
/// ```
/// use agent_http::lenient::{Count, Str};
/// use agent_http::object;
///
/// object! {
///     /// What was heard.
///     struct Heard<'a> {
///         text: Str<'a> = "text",
///         cost: Count = "cost",
///         ..other without "kind"
///     }
/// }
///
/// let heard: Heard<'_> = serde_json::from_str(r#"{"kind": 1, "text": "Hi.", "cost": "much", "seal": 1.10}"#)?;
/// assert_eq!((heard.text.0.as_deref(), heard.cost.0), (Some("Hi."), None));
/// assert_eq!(serde_json::to_string(&heard.other)?, r#"{"seal":1.10}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! object {
    (
        $(#[$doc:meta])* $vis:vis struct $name:ident $(<$life:lifetime>)? {
            $($(#[$about:meta])* $field:ident: $type:ty = $word:literal,)*
            $(.. $rest:ident without $skipped:literal)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        $vis struct $name $(<$life>)? {
            $($(#[$about])* $vis $field: $type,)*
            $(
                /// What is not named, as it came.
                $vis $rest: $crate::opaque::Fields,
            )?
        }

        impl<'de $(: $life, $life)?> $crate::serde::Deserialize<'de> for $name $(<$life>)? {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> ::core::result::Result<Self, D::Error> {
                struct Reader $(<$life>(::core::marker::PhantomData<&$life ()>))?;

                impl<'de $(: $life, $life)?> $crate::serde::de::Visitor<'de> for Reader $(<$life>)? {
                    type Value = $name $(<$life>)?;

                    fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: $crate::serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> ::core::result::Result<Self::Value, A::Error> {
                        let mut read = Self::Value::default();
                        $(let mut $rest = ::std::vec::Vec::new();)?
                        while let Some(name) = map.next_key::<$crate::lenient::Name<'de>>()? {
                            match &*name.0 {
                                $($word => read.$field = map.next_value()?,)*
                                $(
                                    name if name != $skipped => {
                                        $rest.push((name.to_owned(), map.next_value::<$crate::opaque::Opaque>()?));
                                    }
                                )?
                                _ => {
                                    map.next_value::<$crate::serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        $(read.$rest = $rest.into_iter().collect();)?
                        Ok(read)
                    }
                }

                from.deserialize_map(Reader $((::core::marker::PhantomData::<&$life ()>))?)
            }
        }
    };
}
