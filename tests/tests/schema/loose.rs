//! `strict = false` with `#[arg(schemars)]`: what no strict schema says, by the macros alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolSchema, profile, tool, tools};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A type of another crate, with open keys.
#[derive(Debug, Deserialize, JsonSchema)]
struct Marks {
    /// By name.
    by_name: BTreeMap<String, u8>,
}

#[derive(Debug, Deserialize, ToolSchema)]
struct Parcel {
    /// What is written on it.
    #[arg(schemars)]
    marks: Marks,
    /// How heavy it is.
    #[arg(minimum = 1)]
    grams: u32,
}

/// Sends a parcel.
#[tool(strict = false)]
async fn send(
    /// The parcel.
    parcel: Parcel,
    /// Labels for the carrier.
    #[arg(schemars)]
    labels: BTreeMap<String, String>,
) -> String {
    format!("{:?} {} {labels:?}", parcel.marks.by_name, parcel.grams)
}

async fn call(agent: &Agent, arguments: Value) -> Value {
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    let call = ToolCall::new("c", "send", arguments.to_string());
    serde_json::to_value(agent.toolbox().dispatch(&call, &at).await).unwrap()
}

#[tokio::test]
async fn open_keys_are_taken_on_a_parameter_and_on_a_field_in_a_tool_that_is_not_strict() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![send]).build().unwrap();
    let definition = &agent.toolbox().definitions()[0];
    assert!(!definition.strict());
    let schema: Value = serde_json::from_str(&definition.published(&profile::OPENAI).unwrap().parameters).unwrap();
    let properties = &schema["properties"];
    assert_eq!(properties["labels"]["additionalProperties"]["type"], "string", "{schema}");
    assert_eq!(properties["labels"]["description"], "Labels for the carrier.");
    let marks = &properties["parcel"]["properties"]["marks"]["properties"]["by_name"];
    assert_eq!(marks["additionalProperties"]["maximum"], 255, "{schema}");
    let good = json!({"parcel": {"marks": {"by_name": {"a": 1}}, "grams": 5}, "labels": {"to": "Oslo"}});
    assert_eq!(call(&agent, good.clone()).await["data"], r#"{"a": 1} 5 {"to": "Oslo"}"#);
    let cases = [
        ("/parcel/marks/by_name/a", json!(256), "/parcel/marks/by_name/a", "maximum"),
        ("/parcel/grams", json!(0), "/parcel/grams", "minimum"),
        ("/labels/to", json!(1), "/labels/to", "type"),
    ];
    for (at, value, pointer, rule) in cases {
        let mut wrong = good.clone();
        *wrong.pointer_mut(at).unwrap() = value;
        let said = call(&agent, wrong).await;
        let problem = &said["error"]["details"]["problems"][0];
        assert_eq!((&problem["pointer"], &problem["rule"]), (&json!(pointer), &json!(rule)), "{said}");
    }
}

/// Notes what is known.
#[tool(name = "send", strict = false)]
async fn note(
    /// What is known.
    #[arg(schemars)]
    facts: Option<BTreeMap<String, u8>>,
) -> String {
    format!("{facts:?}")
}

#[tokio::test]
async fn an_optional_value_with_a_schema_of_its_own_may_be_absent_or_null() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![note]).build().unwrap();
    for arguments in [json!({}), json!({"facts": null})] {
        assert_eq!(call(&agent, arguments).await["data"], "None");
    }
    assert_eq!(call(&agent, json!({"facts": {"a": 1}})).await["data"], r#"Some({"a": 1})"#);
    assert_eq!(call(&agent, json!({"facts": {"a": 256}})).await["status"], "validation_error");
}
