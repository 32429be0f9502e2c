//! Shapes of types of every kind, and the types.

use std::borrow::Cow;

use serde::Deserialize;

use super::{field, with_default};
use crate::schema::{Enum, EnumValue, Field, Kind, Link, Object, Rules, Shape, Tagging, ToolSchema, Union, Variant};

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

pub(crate) static POINT: Shape = Shape::new(Kind::Object(Object {
    id: 1001,
    name: "Point",
    doc: "A place.",
    generic: false,
    fields: &[field("x", f64::SHAPE), field("y", f64::SHAPE)],
}));
pub(crate) const POINT_LINK: Link = Link::to(&POINT);

impl ToolSchema for Point {
    const SHAPE: Link = POINT_LINK;
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    #[serde(alias = "crimson")]
    Red,
    Green,
}

pub(crate) static COLOUR: Shape = Shape::new(Kind::Enum(Enum {
    name: "Colour",
    doc: "The paint.",
    values: &[
        EnumValue { name: "red", aliases: &["crimson"], doc: "As blood." },
        EnumValue { name: "green", aliases: &[], doc: "" },
    ],
}));
pub(crate) const COLOUR_LINK: Link = Link::to(&COLOUR);

impl ToolSchema for Colour {
    const SHAPE: Link = COLOUR_LINK;
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Line {
    pub(crate) sku: String,
    pub(crate) qty: u8,
    #[serde(default = "three")]
    pub(crate) weight: u8,
    pub(crate) tag: Option<Cow<'static, str>>,
}

fn three() -> u8 {
    3
}

pub(crate) static LINE: Shape = Shape::new(Kind::Object(Object {
    id: 1002,
    name: "Line",
    doc: "",
    generic: false,
    fields: &[
        Field { rules: Rules { min_length: Some(1), ..Rules::NONE }, ..field("sku", String::SHAPE) },
        Field { rules: Rules { minimum: Some(ONE), ..Rules::NONE }, ..field("qty", u8::SHAPE) },
        Field { default: Some(crate::schema::DefaultValue::Serde), ..field("weight", u8::SHAPE) },
        field("tag", <Option<Cow<'static, str>>>::SHAPE),
    ],
}));

const ONE: crate::schema::Bound = crate::schema::Bound { text: "1", whole: Some(1), float: 1.0 };

impl ToolSchema for Line {
    const SHAPE: Link = Link::to(&LINE);
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Order {
    pub(crate) lines: Vec<Line>,
    #[serde(flatten)]
    pub(crate) place: Place,
    pub(crate) colour: Colour,
    pub(crate) note: String,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Place {
    pub(crate) at: Point,
    pub(crate) floor: Option<i16>,
}

pub(crate) static PLACE: Shape = Shape::new(Kind::Object(Object {
    id: 1003,
    name: "Place",
    doc: "",
    generic: false,
    fields: &[field("at", Point::SHAPE), field("floor", <Option<i16>>::SHAPE)],
}));

pub(crate) static ORDER: Shape = Shape::new(Kind::Object(Object {
    id: 1004,
    name: "Order",
    doc: "",
    generic: false,
    fields: &[
        Field { doc: "What is bought.", ..field("lines", <Vec<Line>>::SHAPE) },
        Field { flatten: true, ..field("place", Link::to(&PLACE)) },
        Field { doc: "The paint of it.", ..field("colour", Colour::SHAPE) },
        with_default("note", String::SHAPE, "\"none\""),
    ],
}));

/// Contains itself, tagged from within.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Filter {
    Not(Inner),
    And { all: Vec<Filter> },
    Any,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Inner {
    pub(crate) of: Box<Filter>,
}

pub(crate) static INNER: Shape = Shape::new(Kind::Object(Object {
    id: 1005,
    name: "Inner",
    doc: "",
    generic: false,
    fields: &[Field { doc: "What is not.", ..field("of", <Box<Filter>>::SHAPE) }],
}));

pub(crate) static AND: Shape = Shape::new(Kind::Object(Object {
    id: 1006,
    name: "And",
    doc: "",
    generic: false,
    fields: &[field("all", <Vec<Filter>>::SHAPE)],
}));

pub(crate) static FILTER: Shape = Shape::new(Kind::Union(Union {
    id: 1007,
    name: "Filter",
    doc: "What to keep.",
    tagging: Tagging::Internal("op"),
    generic: false,
    variants: &[
        Variant { name: "not", aliases: &[], doc: "The opposite.", content: Some(Link::to(&INNER)) },
        Variant { name: "and", aliases: &["all"], doc: "", content: Some(Link::to(&AND)) },
        Variant { name: "any", aliases: &[], doc: "", content: None },
    ],
}));

impl ToolSchema for Filter {
    const SHAPE: Link = Link::to(&FILTER);
}

/// Tagged by the one key of an object.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Target {
    Everyone,
    Nobody,
    Users(Vec<String>),
    Near { at: Point },
}

pub(crate) static NEAR: Shape = Shape::new(Kind::Object(Object {
    id: 1008,
    name: "Near",
    doc: "",
    generic: false,
    fields: &[field("at", Point::SHAPE)],
}));

pub(crate) static TARGET: Shape = Shape::new(Kind::Union(Union {
    id: 1009,
    name: "Target",
    doc: "",
    tagging: Tagging::External,
    generic: false,
    variants: &[
        Variant { name: "everyone", aliases: &["all"], doc: "The whole house.", content: None },
        Variant { name: "nobody", aliases: &[], doc: "", content: None },
        Variant { name: "users", aliases: &[], doc: "", content: Some(<Vec<String>>::SHAPE) },
        Variant { name: "near", aliases: &[], doc: "Those close by.", content: Some(Link::to(&NEAR)) },
    ],
}));

impl ToolSchema for Target {
    const SHAPE: Link = Link::to(&TARGET);
}

/// Contains itself through an option.
#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Chain {
    pub(crate) value: u8,
    pub(crate) next: Option<Box<Chain>>,
}

pub(crate) static CHAIN: Shape = Shape::new(Kind::Object(Object {
    id: 1010,
    name: "Chain",
    doc: "A chain.",
    generic: false,
    fields: &[field("value", u8::SHAPE), Field { doc: "The rest.", ..field("next", <Option<Box<Chain>>>::SHAPE) }],
}));

impl ToolSchema for Chain {
    const SHAPE: Link = Link::to(&CHAIN);
}
