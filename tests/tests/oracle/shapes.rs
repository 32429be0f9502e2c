//! Shapes of every kind. They are leaked: a shape is a constant of a program.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_core::ToolSchema;
use agent_core::schema::{
    Array, Bound, DefaultValue, Enum, EnumValue, Field, Kind, Link, Object, Rules, Shape, Tagging, Union, Variant,
};
use rust_decimal::Decimal;

use super::bytes::Bytes;

const NAMES: [&str; 6] = ["a", "b/c", "d~", "é", "name", "x y"];
const DEEPEST: usize = 3;

pub(crate) fn arguments(bytes: &mut Bytes<'_>) -> &'static Shape {
    leak(Kind::Object(object(bytes, 0, &NAMES)))
}

fn leak(kind: Kind) -> &'static Shape {
    Box::leak(Box::new(Shape::new(kind)))
}

fn id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn object(bytes: &mut Bytes<'_>, depth: usize, names: &[&'static str]) -> Object {
    let count = bytes.below(names.len());
    let mut fields: Vec<Field> = names[..count].iter().map(|name| field(bytes, name, depth)).collect();
    // Flattened twice at most: each level needs names of its own.
    let inner_names: &[&str] = match names[0] {
        "a" => &["flat", "flat~", "flat/"],
        "flat" => &["flatter", "flatter "],
        _ => &[],
    };
    if bytes.one_in(6) && depth < DEEPEST && !inner_names.is_empty() {
        let inner = object(bytes, depth + 1, inner_names);
        fields.push(Field { flatten: true, ..plain("inner", Link::to(leak(Kind::Object(inner)))) });
    }
    Object { id: id(), name: "Made", doc: "", fields: fields.leak(), generic: false }
}

pub(crate) fn plain(name: &'static str, shape: Link) -> Field {
    Field {
        name,
        aliases: match name {
            "a" => &["alias of a"],
            "name" => &["title", "né"],
            "flat" => &["level"],
            _ => &[],
        },
        doc: "A field.",
        shape,
        rules: Rules::NONE,
        default: None,
        example: None,
        identity: false,
        flatten: false,
    }
}

fn field(bytes: &mut Bytes<'_>, name: &'static str, depth: usize) -> Field {
    let shape = link(bytes, depth);
    let rules = if bytes.one_in(2) { rules(bytes, shape) } else { Rules::NONE };
    let default = match (bytes.one_in(6), &shape.get().kind) {
        (true, Kind::Bool) => Some(DefaultValue::Json("true")),
        (true, Kind::Array(Array { min_items: None, .. })) if rules.min_items.is_none() => {
            Some(DefaultValue::Json("[]"))
        }
        (true, Kind::Object(_) | Kind::Text(_)) => Some(DefaultValue::Serde),
        (true, Kind::Integer(_) | Kind::Number(_)) => Some(DefaultValue::Natural("0")),
        (true, Kind::Enum(_)) => Some(DefaultValue::Natural("\"Two\"")),
        _ => None,
    };
    Field { rules, default, ..plain(name, shape) }
}

fn link(bytes: &mut Bytes<'_>, depth: usize) -> Link {
    match bytes.below(if depth < DEEPEST { 24 } else { 17 }) {
        0 => bool::SHAPE,
        1 => u8::SHAPE,
        2 => i64::SHAPE,
        3 => u64::SHAPE,
        4 => f64::SHAPE,
        5 => Decimal::SHAPE,
        6 | 7 => String::SHAPE,
        8 => char::SHAPE,
        9 => std::net::Ipv4Addr::SHAPE,
        10 => std::num::NonZeroI16::SHAPE,
        11 => <BTreeSet<String>>::SHAPE,
        12 => Link::to(leak(Kind::Enum(Enum {
            name: "Choice",
            doc: "",
            values: &[
                EnumValue { name: "one", aliases: &["uno", "1"], doc: "First." },
                EnumValue { name: "Two", aliases: &[], doc: "" },
            ],
        }))),
        13 => Duration::SHAPE,
        14 => serde_json::Number::SHAPE,
        15 => f32::SHAPE,
        16 => bytes.pick(&[std::net::IpAddr::SHAPE, std::net::SocketAddr::SHAPE, jiff::civil::Time::SHAPE]),
        17 | 18 => Link::to(leak(Kind::Array(Array {
            item: link(bytes, depth + 1),
            min_items: bytes.one_in(4).then_some(1),
            max_items: bytes.one_in(4).then_some(2),
            unique: bytes.one_in(4),
        }))),
        19 | 20 => Link::to(leak(Kind::Nullable(link(bytes, depth + 1)))),
        21 => Link::to(leak(Kind::Object(object(bytes, depth + 1, &NAMES)))),
        22 => super::typed::tree(),
        _ => union(bytes, depth),
    }
}

fn union(bytes: &mut Bytes<'_>, depth: usize) -> Link {
    let internal = bytes.one_in(2);
    let variants = ["first", "Second", "third"].map(|name| {
        let content = match (bytes.below(3), internal) {
            (0, _) => None,
            (1, false) => Some(link(bytes, depth + 1)),
            _ => Some(Link::to(leak(Kind::Object(object(bytes, depth + 1, &NAMES))))),
        };
        let aliases: &[&str] = if name == "first" { &["erste"] } else { &[] };
        Variant { name, aliases, doc: "", content }
    });
    Link::to(leak(Kind::Union(Union {
        id: id(),
        name: "Either",
        doc: "One of them.",
        tagging: if internal { Tagging::Internal("kind") } else { Tagging::External },
        variants: Box::leak(Box::new(variants)),
        generic: false,
    })))
}

fn bound(bytes: &mut Bytes<'_>, from: &[&'static str]) -> Option<Bound> {
    bytes.one_in(2).then(|| {
        let text = bytes.pick(from);
        Bound { text, whole: text.parse().ok(), float: text.parse().unwrap() }
    })
}

fn rules(bytes: &mut Bytes<'_>, shape: Link) -> Rules {
    match &shape.get().kind {
        Kind::Nullable(inner) => rules(bytes, *inner),
        Kind::Integer(_) => Rules {
            minimum: bound(bytes, &["0", "-3", "7"]),
            exclusive_maximum: bound(bytes, &["100", "8", "9007199254740993"]),
            multiple_of: bound(bytes, &["2", "5", "3"]),
            ..Rules::NONE
        },
        Kind::Number(_) => Rules {
            exclusive_minimum: bound(bytes, &["0", "-0.5", "1.5"]),
            maximum: bound(bytes, &["100", "7.25", "0.1"]),
            multiple_of: bound(bytes, &["0.5", "0.25", "2", "0.01"]),
            ..Rules::NONE
        },
        Kind::Text(text) if text.reads.is_none() => Rules {
            min_length: bytes.one_in(3).then_some(1),
            max_length: bytes.one_in(3).then_some(3),
            pattern: bytes.one_in(3).then(|| bytes.pick(&["^[a-z]+$", "b", "^.$", "^[^.]*$"])),
            format: bytes.one_in(3).then(|| {
                bytes.pick(&[
                    "date",
                    "time",
                    "date-time",
                    "duration",
                    "ipv4",
                    "ipv6",
                    "uuid",
                    "email",
                    "hostname",
                    "uri",
                ])
            }),
            ..Rules::NONE
        },
        Kind::Array(_) => {
            Rules { min_items: bytes.one_in(3).then_some(2), max_items: bytes.one_in(3).then_some(3), ..Rules::NONE }
        }
        _ => Rules::NONE,
    }
}
