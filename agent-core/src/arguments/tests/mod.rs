//! How arguments are read, by behaviour. The shapes are written by hand, as the derive would write them.

mod absent;
mod digests;
mod names;
mod numbers;
mod serde;
pub(crate) mod shapes;
mod types;

use super::{Arguments, Invalid, Problem, Validator};
use crate::schema::{Bound, DefaultValue, Field, Kind, Link, Object, Rules, Shape, ToolSchema};

/// A field of this name and shape, without rules.
pub(crate) const fn field(name: &'static str, shape: Link) -> Field {
    Field {
        name,
        aliases: &[],
        doc: "",
        shape,
        rules: Rules::NONE,
        default: None,
        example: None,
        identity: false,
        flatten: false,
    }
}

pub(crate) const fn ruled(name: &'static str, shape: Link, rules: Rules) -> Field {
    Field { rules, ..field(name, shape) }
}

pub(crate) const fn with_default(name: &'static str, shape: Link, default: &'static str) -> Field {
    Field { default: Some(DefaultValue::Json(default)), ..field(name, shape) }
}

pub(crate) fn bound(text: &'static str) -> Bound {
    Bound { text, whole: text.parse().ok(), float: text.parse().unwrap() }
}

/// Leaked: a shape is a constant of the program, which a test makes anew for each case.
pub(crate) fn object(fields: Vec<Field>) -> &'static Shape {
    use std::sync::atomic::{AtomicU64, Ordering};
    static IDS: AtomicU64 = AtomicU64::new(1);
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    Box::leak(Box::new(Shape::new(Kind::Object(Object {
        id,
        name: "Args",
        doc: "",
        fields: fields.leak(),
        generic: false,
    }))))
}

pub(crate) fn validator(fields: Vec<Field>) -> Validator {
    Validator::new(object(fields)).unwrap()
}

/// The problems of arguments that are not valid.
pub(crate) fn problems(validator: &Validator, text: &str) -> Vec<Problem> {
    match validator.read(text) {
        Ok(arguments) => panic!("{text} is valid: {arguments}"),
        Err(Invalid::Problems(problems)) => problems,
        Err(Invalid::Malformed(sentence)) => panic!("{text}: {sentence}"),
    }
}

/// The problems as text, one each.
pub(crate) fn said(validator: &Validator, text: &str) -> Vec<String> {
    problems(validator, text).iter().map(Problem::to_string).collect()
}

/// The value of `{"v": text}` for a parameter `v` of this shape, as it is normalised.
pub(crate) fn normal(shape: Link, text: &str) -> Result<String, Vec<Problem>> {
    let validator = validator(vec![field("v", shape)]);
    match validator.read(&format!("{{\"v\":{text}}}")) {
        Ok(arguments) => Ok(arguments.to_json()),
        Err(Invalid::Problems(problems)) => Err(problems),
        Err(Invalid::Malformed(sentence)) => panic!("{text}: {sentence}"),
    }
}

pub(crate) fn read<'a>(validator: &Validator, text: &'a str) -> Arguments<'a> {
    validator.read(text).unwrap_or_else(|invalid| panic!("{text}: {invalid:?}"))
}

pub(crate) fn shape<T: ToolSchema>() -> Link {
    T::SHAPE
}
