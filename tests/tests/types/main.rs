//! Every type that a tool takes: the text that OpenAI is shown, values that are accepted, and values that are refused.
//!
//! Each row is a tool of its own, made by the macros, with one parameter `v` of the type.

#![allow(missing_docs, dead_code, reason = "the types are read and not used")]
#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod forms;
mod kinds;
mod refused;
mod table;

use std::collections::HashSet;

use agent_core::arguments::{Arguments, Invalid, Problem, Validator};
use agent_core::schema::{Shape, full_text, profile, publish};
use serde_json::Value;

/// A type, and what is known of it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) shape: &'static Shape,
    /// Whether serde reads the type from what the validator has taken.
    pub(crate) reads: fn(&Arguments<'_>) -> Result<(), Problem>,
    /// What the type writes of what it has read.
    pub(crate) writes: fn(&Arguments<'_>) -> Result<Value, Problem>,
    pub(crate) published: &'static str,
    pub(crate) accepted: &'static [&'static str],
    /// Values, each with the rules that refuse it.
    pub(crate) refused: [(&'static str, &'static str); 3],
}

/// Rows: a type, perhaps with `#[arg(..)]`, its published text, what is accepted and what is refused.
macro_rules! rows {
    ($($(#[arg($($word:tt)*)])? $ty:ty = $published:literal, [$($accepted:literal),+ $(,)?], [$($refused:expr),+ $(,)?];)*) => {
        vec![$({
            /// Takes it.
            #[tool(allow(wide_integers))]
            async fn take(
                /// It.
                $(#[arg($($word)*)])?
                v: $ty,
            ) -> u8 {
                let _ = v;
                0
            }
            Row {
                name: concat!($("#[arg(", stringify!($($word)*), ")] ",)? stringify!($ty)),
                shape: take::SPEC.arguments.get(),
                reads: |arguments| arguments.field::<$ty>(0).map(drop),
                writes: |arguments| Ok(serde_json::to_value(arguments.field::<$ty>(0)?).unwrap()),
                published: $published,
                accepted: &[$($accepted),+],
                refused: [$($refused),+],
            }
        }),*]
    };
}
pub(crate) use rows;

impl Row {
    fn validator(&self) -> Validator {
        Validator::new(self.shape).unwrap()
    }

    /// The text of `v`, without what stands around it and without the parameter's own "It.".
    fn text(&self) -> String {
        let whole = publish("", self.shape, &profile::OPENAI).parameters;
        let inner = whole.strip_prefix(r#"{"type":"object","properties":{"v":"#).unwrap();
        let (property, rest) = inner.rsplit_once(r#"},"required":["v"],"additionalProperties":false"#).unwrap();
        let (first, words) = property.split_once("It.").unwrap();
        assert_eq!(first, r#"{"description":""#, "the parameter's own words come first");
        let property = match (words.strip_prefix("\",").or(words.strip_prefix("\"")), words.strip_prefix(' ')) {
            (Some(plain), _) => format!("{{{plain}"),
            (None, more) => format!("{first}{}", more.unwrap_or(words)),
        };
        // Definitions of types that contain themselves come last.
        property + rest.strip_suffix('}').unwrap()
    }
}

fn arguments(value: &str) -> String {
    format!("{{\"v\":{value}}}")
}

#[test]
fn each_type_has_its_published_text() {
    let wrong: Vec<_> = table::all()
        .iter()
        .filter(|row| row.text() != row.published)
        .map(|row| format!("{}:\n  is        {}\n  should be {}", row.name, row.text(), row.published))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn accepted_values_are_read_by_the_type_and_by_the_published_schema() {
    for row in table::all() {
        let published: Value = serde_json::from_str(&publish("", row.shape, &profile::OPENAI).parameters).unwrap();
        let published = jsonschema::validator_for(&published).unwrap();
        for value in row.accepted {
            let text = arguments(value);
            let validator = row.validator();
            let read = validator.read(&text).unwrap_or_else(|invalid| panic!("{} and {value}: {invalid:?}", row.name));
            (row.reads)(&read).unwrap_or_else(|problem| panic!("{} and {value}: {problem}", row.name));
            assert!(published.is_valid(&serde_json::from_str(&text).unwrap()), "{} and {value}", row.name);
        }
    }
}

#[test]
fn refused_values_are_refused_by_their_rule() {
    let mut wrong = Vec::new();
    for row in table::all() {
        let mut values = HashSet::new();
        for (value, rule) in row.refused {
            assert!(values.insert(value), "{} has {value} twice", row.name);
            let rules = match row.validator().read(&arguments(value)) {
                Ok(_) => "none".to_owned(),
                Err(Invalid::Problems(problems)) => {
                    problems.iter().map(|problem| problem.rule.as_str()).collect::<Vec<_>>().join(" ")
                }
                Err(other) => format!("{other:?}"),
            };
            if rules != rule {
                wrong.push(format!("{} and {value}: {rules}, not {rule}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Each value of the table under each type of the table: what the validator takes, the type takes.
#[test]
fn whatever_the_validator_accepts_serde_reads() {
    let rows = table::all();
    let values: HashSet<&str> =
        rows.iter().flat_map(|row| row.accepted.iter().copied().chain(row.refused.map(|(value, _)| value))).collect();
    let mut accepted = 0;
    for row in &rows {
        let validator = row.validator();
        for value in &values {
            let text = arguments(value);
            let Ok(read) = validator.read(&text) else { continue };
            accepted += 1;
            if let Err(problem) = (row.reads)(&read) {
                panic!("{} and {value}: {problem}", row.name);
            }
        }
    }
    assert!(accepted > 2 * rows.len(), "only {accepted} were accepted");
}

/// What types write otherwise than they are asked for: a span is not `{secs, nanos}`, a `Decimal` is no string, and what
/// is not read may be written.
fn as_asked(row: &Row, value: Value) -> Value {
    match value {
        Value::Object(fields) if fields.get("nanos") == Some(&0.into()) => fields["secs"].clone(),
        Value::Object(fields) if fields.contains_key("secs") && fields.contains_key("nanos") => {
            serde_json::from_str(&format!("{}.{:09}", fields["secs"], fields["nanos"].as_u64().unwrap())).unwrap()
        }
        Value::String(digits) if row.name.ends_with("Decimal") => serde_json::from_str(&digits).unwrap(),
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(name, _)| !(row.name == "Skipping" && name == "kept"));
            fields.map(|(name, value)| (name, as_asked(row, value))).collect()
        }
        Value::Array(items) => items.into_iter().map(|item| as_asked(row, item)).collect(),
        other => other,
    }
}

#[test]
fn what_a_type_has_read_it_writes_as_the_same_call() {
    for row in table::all() {
        let validator = row.validator();
        for value in row.accepted {
            let text = arguments(value);
            let read = validator.read(&text).unwrap();
            let written = (row.writes)(&read).unwrap_or_else(|problem| panic!("{} and {value}: {problem}", row.name));
            let again = arguments(&as_asked(&row, written).to_string());
            match validator.read(&again) {
                // The default of the struct around a field cannot be seen, so it and its value written out are two calls.
                Ok(_) if row.name == "Defaulted" => {}
                Ok(back) => assert_eq!(back.digest(), read.digest(), "{} and {value}, as {again}", row.name),
                Err(invalid) => panic!("{} and {value}, as {again}: {invalid:?}", row.name),
            }
        }
    }
}

#[test]
fn the_full_text_refuses_what_it_can_say() {
    /// What no keyword of JSON Schema says, or says otherwise.
    const BEYOND: [&str; 3] = ["doubled", "decimal", "format"];
    for row in table::all() {
        let full = jsonschema::validator_for(&serde_json::from_str(&full_text(row.shape)).unwrap()).unwrap();
        for (value, rule) in row.refused {
            let by_text = full.is_valid(&serde_json::from_str(&arguments(value)).unwrap());
            // The bounds of an `f32` are the validator's alone.
            assert!(
                !by_text || BEYOND.contains(&rule) || row.name == "f32",
                "{} and {value}: {}",
                row.name,
                full_text(row.shape)
            );
        }
    }
}
