//! A type that gives its schema at run time: what we read from the schema, against the schema, and against serde.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use agent_core::arguments::Validator;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Tool, tool, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::bytes::Bytes;

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Way {
    /// By road.
    Road {
        /// How many.
        #[schemars(range(min = 1))]
        wheels: u8,
    },
    Sea,
    Air(Flight),
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Flight {
    /// Its number.
    #[schemars(length(max = 6), regex(pattern = "^[A-Z]{2}[0-9]+$"))]
    number: String,
    #[serde(default)]
    night: bool,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum Load {
    Nothing,
    Weight(f64),
    Boxes { count: std::num::NonZeroI16, of: Option<String> },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Parcel {
    way: Way,
    load: Load,
    #[schemars(length(min = 1, max = 2))]
    notes: Vec<String>,
    marks: BTreeSet<i8>,
    #[schemars(range(min = -1.5, max = 7.25))]
    share: Option<f64>,
}

/// Sends.
#[tool]
async fn send(
    /// The parcel.
    #[arg(schemars)]
    parcel: Parcel,
) -> bool {
    drop(parcel);
    true
}

/// The validator, the full text of what it holds to, and an implementation of JSON Schema for that text.
static ALL: LazyLock<(Validator, Value, jsonschema::Validator)> = LazyLock::new(|| {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![send]).build().unwrap();
    let full = agent.toolbox().full_schema("send").unwrap();
    let validator = Validator::new(send::SPEC.arguments.get()).unwrap();
    (validator, serde_json::from_str(&full).unwrap(), super::schema(&full))
});

pub(crate) fn check(bytes: &mut Bytes<'_>) {
    let (validator, full, oracle) = &*ALL;
    for _ in 0..super::VALUES {
        let value = value(bytes, full);
        let text = value.to_string();
        let read = validator.read(&text);
        assert_eq!(read.is_ok(), oracle.is_valid(&value), "{text}: {read:?}");
        let Ok(read) = read else { continue };
        let parcel: Parcel = read.field(0).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        // What the tool sees, written back, is taken too.
        let again = json!({"parcel": parcel}).to_string();
        validator.read(&again).unwrap_or_else(|invalid| panic!("{text} as {again}: {invalid:?}"));
    }
}

/// A value that a schema may take, and now and then one that it does not.
fn value(bytes: &mut Bytes<'_>, schema: &Value) -> Value {
    if bytes.one_in(24) {
        let all = [json!(null), json!(true), json!(3), json!(2.5), json!("text"), json!([]), json!({})];
        return all[bytes.below(all.len())].clone();
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let form = &forms[bytes.below(forms.len())];
        return value(bytes, form);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[bytes.below(values.len())].clone();
    }
    let name = match &schema["type"] {
        Value::Array(names) => &names[bytes.below(names.len())],
        name => name,
    };
    match name.as_str() {
        Some("object") => {
            let mut entries = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
                if !bytes.one_in(if required { 40 } else { 3 }) {
                    entries.insert(name.clone(), value(bytes, property));
                }
            }
            if bytes.one_in(40) {
                entries.insert("unknown".to_owned(), json!(1));
            }
            entries.into()
        }
        Some("array") => (0..bytes.below(4)).map(|_| value(bytes, &schema["items"])).collect(),
        Some("integer") => bytes.pick(&[0i64, 1, 2, 4, -3, 127, 128, 255, 256, -40_000]).into(),
        Some("number") => bytes.pick(&[0.0, 0.1, 7.25, 7.5, -1.5, -2.0, 1e10]).into(),
        Some("string") => bytes.pick(&["AB12", "AB123456", "ab", "", "x"]).into(),
        Some("boolean") => bytes.one_in(2).into(),
        _ => Value::Null,
    }
}
