//! The formats against the oracle, on samples with one character changed.

use agent_core::ToolSchema;
use agent_core::arguments::Validator;
use agent_core::schema::{Field, Kind, Object, Rules, Shape};
use serde_json::json;

use super::bytes::Bytes;
use super::shapes::plain;

const SAMPLES: &[(&str, &[&str])] = &[
    ("date", &["2026-03-31", "2024-02-29", "1999-12-01"]),
    ("time", &["09:30:00Z", "23:59:60Z", "12:00:00.25-03:30"]),
    ("date-time", &["2026-03-31T09:30:00Z", "2026-12-31T23:59:60Z", "2026-03-31t09:30:00.5+01:00"]),
    ("duration", &["P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1D"]),
    ("ipv4", &["127.0.0.1", "255.255.255.255"]),
    ("ipv6", &["::1", "2001:db8::8:800:200c:417a", "::ffff:192.0.2.1"]),
    ("uuid", &["123e4567-e89b-12d3-a456-426614174000"]),
    ("email", &["ada@example.org", "a.b+c@x-y.z"]),
    ("hostname", &["example.org", "a-b.c"]),
    ("uri", &["https://example.org:80/a/b?c=d&e#f", "mailto:ada@example.org", "http://[::1]/%20"]),
];

const CHARACTERS: &[char] = &[
    '0', '1', '2', '3', '5', '9', 'a', 'f', 'P', 'T', 'Z', 'H', 'M', 'D', '-', ':', '.', '+', ' ', '/', '@', '%', '#',
    '[',
];

pub(crate) fn check(bytes: &mut Bytes<'_>) {
    let (format, samples) = SAMPLES[bytes.below(SAMPLES.len())];
    let mut text: Vec<char> = bytes.pick(samples).chars().collect();
    for _ in 0..bytes.below(3) {
        let at = bytes.below(text.len());
        let new = bytes.pick(CHARACTERS);
        match bytes.below(3) {
            0 => text[at] = new,
            1 => text.insert(at, new),
            _ => drop(text.remove(at)),
        }
    }
    let text = String::from_iter(text);
    let rules = Rules { format: Some(format), ..Rules::NONE };
    let fields = Box::leak(Box::new([Field { rules, ..plain("v", String::SHAPE) }]));
    let object = Object { id: 1, name: "Args", doc: "", fields, generic: false };
    let validator = Validator::new(Box::leak(Box::new(Shape::new(Kind::Object(object))))).unwrap();
    let value = json!({ "v": text });
    let oracle = super::schema(&json!({"properties": {"v": {"format": format}}}).to_string());
    assert_eq!(validator.read(&value.to_string()).is_ok(), oracle.is_valid(&value), "{format} {text:?}");
}
