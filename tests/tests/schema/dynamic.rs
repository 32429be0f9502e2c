//! Tools that are known only at run time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::{Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{
    Agent, BuildError, BusinessError, Dispatch, DynamicTool, SecurityContext, Status, ToolResult, profile,
};
use serde_json::{Value, json};

type Count = AtomicU32;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"sku": {"type": "string", "pattern": "^[A-Z]+$"}, "qty": {"type": "integer", "minimum": 1}},
        "patternProperties": {"^x-": {}},
        "required": ["sku"],
        "additionalProperties": false,
    })
}

/// Counts its calls, and gives its arguments back.
fn ship() -> DynamicTool<Count> {
    DynamicTool::new("ship", "Ships.", schema(), |count: Arc<Count>, arguments: Value, call| async move {
        count.fetch_add(1, Ordering::SeqCst);
        if arguments["sku"] == "NONE" {
            return Err(BusinessError::new("NO_SUCH_SKU", "It is not in stock.").into());
        }
        Ok(json!({"got": arguments, "keyed": call.idempotency_key().is_some()}))
    })
    .unwrap()
}

struct Bench {
    agent: Agent<Count>,
    caller: Arc<SecurityContext>,
    store: Arc<dyn IdempotencyStore>,
}

impl Bench {
    fn new(tool: DynamicTool<Count>) -> Self {
        let agent = Agent::builder(ScriptedModel::new([])).state(Count::new(0)).tool(tool).build().unwrap();
        Self { agent, caller: Arc::new(SecurityContext::anonymous()), store: Arc::new(MemoryStore::new()) }
    }

    async fn call(&self, arguments: &str) -> ToolResult {
        let run = Arc::from("run");
        let at = Dispatch::new(&self.caller, self.agent.state(), &self.store, &run);
        self.agent.toolbox().dispatch(&ToolCall::new("c", "ship", arguments), &at).await
    }

    fn calls(&self) -> u32 {
        self.agent.state().load(Ordering::SeqCst)
    }
}

fn value(result: &ToolResult) -> Value {
    serde_json::to_value(result).unwrap()
}

#[tokio::test]
async fn a_call_is_held_to_the_schema_and_run_with_its_arguments() {
    let bench = Bench::new(ship());
    let result = value(&bench.call(r#"{"qty": 2.0, "sku": "A", "x-note": [1]}"#).await);
    assert_eq!(result["data"], json!({"got": {"qty": 2, "sku": "A", "x-note": [1]}, "keyed": false}));
    let wrong = value(&bench.call(r#"{"qty": 0, "sku": "a"}"#).await);
    assert_eq!(wrong["status"], "validation_error");
    let problems = wrong["error"]["details"]["problems"].as_array().unwrap();
    let told: Vec<_> =
        problems.iter().map(|problem| (&problem["pointer"], &problem["rule"], &problem["got"])).collect();
    assert!(told.contains(&(&json!("/qty"), &json!("minimum"), &json!("0"))), "{told:?}");
    assert!(told.contains(&(&json!("/sku"), &json!("pattern"), &json!("\"a\""))), "{told:?}");
    for wrong in [r#"{"sku":"A","sku":"B"}"#, "{", "[]", r#"{"other":1,"sku":"A"}"#, ""] {
        assert_eq!(bench.call(wrong).await.status(), Status::ValidationError, "{wrong}");
    }
    assert_eq!(bench.calls(), 1);
    let business = value(&bench.call(r#"{"sku":"NONE"}"#).await);
    assert_eq!(business["error"]["code"], "NO_SUCH_SKU");
}

#[tokio::test]
async fn what_is_said_of_a_wrong_call_is_short_however_long_the_call_is() {
    let bench = Bench::new(ship());
    let key = "ä~/😀".repeat(10_000);
    let many: serde_json::Map<String, Value> = (0..500).map(|at| (format!("x{at}{key}"), json!(key))).collect();
    let many = serde_json::to_string(&many).unwrap();
    let list = DynamicTool::new(
        "ship",
        "Ships.",
        json!({"type": "object", "additionalProperties": {"items": {"type": "integer"}}}),
        |_: Arc<Count>, _: Value, _| async { Ok(()) },
    );
    let list = Bench::new(list.unwrap());
    for (bench, text) in [
        (&bench, many),
        (&bench, format!(r#"{{"{key}":1,"{key}":1}}"#)),
        (&list, json!({key.clone(): vec!["a"; 500]}).to_string()),
    ] {
        let result = value(&bench.call(&text).await);
        let problems = result["error"]["details"]["problems"].as_array().unwrap();
        assert!((1..=33).contains(&problems.len()), "{}", problems.len());
        for problem in problems {
            assert!(problem.to_string().len() < 1_000, "{problem}");
        }
        if problems.len() == 33 {
            assert_eq!((&problems[32]["rule"], &problems[32]["got"]), (&json!("more"), &json!("468 more problems")));
        }
    }
}

#[tokio::test]
async fn a_byte_order_mark_is_passed_over_and_bytes_behind_the_arguments_are_not() {
    let bench = Bench::new(ship());
    assert_eq!(bench.call("\u{feff}{\"sku\":\"A\"}").await.status(), Status::Success);
    for text in ["{\"sku\":\"A\"}\0", "{\"sku\":\"A\"}\0\0\n", "\0", "{\"sku\":\"A\"}\u{feff}"] {
        assert_eq!(value(&bench.call(text).await)["error"]["code"], "MALFORMED_JSON", "{text:?}");
    }
    assert_eq!(bench.calls(), 1);
}

#[tokio::test]
async fn a_fraction_that_a_float_loses_is_no_whole_number() {
    let bench = Bench::new(ship());
    let wrong = value(&bench.call(r#"{"sku":"A","qty":1.00000000000000000001}"#).await);
    assert_eq!(wrong["error"]["details"]["problems"][0]["got"], "1.00000000000000000001");
    let right = value(&bench.call(r#"{"sku":"A","qty":1.00000000000000000000}"#).await);
    assert_eq!(right["data"]["got"]["qty"], 1);
}

#[tokio::test]
async fn a_mutating_one_happens_once_however_its_arguments_are_written() {
    let bench = Bench::new(ship().mutating().unrestricted());
    let first = value(&bench.call(r#"{"sku": "A", "qty": 1}"#).await);
    assert_eq!(first["data"]["keyed"], true);
    let again = value(&bench.call("{ \"qty\" : 1.0,\n\"sku\":\"A\"}").await);
    assert_eq!(again["metadata"]["replayed"], true);
    assert_eq!(bench.calls(), 1);
    bench.call(r#"{"sku": "A", "qty": 2}"#).await;
    assert_eq!(bench.calls(), 2);
}

#[tokio::test]
async fn the_caller_needs_its_permission() {
    let bench = Bench::new(ship().permission("ship:write"));
    assert_eq!(bench.call(r#"{"sku":"A"}"#).await.status(), Status::PermissionDenied);
    assert_eq!(bench.calls(), 0);
}

#[test]
fn the_model_is_shown_the_schema_as_it_stands_and_not_held_to_it() {
    let bench = Bench::new(ship());
    let definition = &bench.agent.toolbox().definitions()[0];
    assert!(!definition.strict());
    let published = definition.published(&profile::OPENAI).unwrap();
    assert_eq!(published.description, "Ships.");
    assert_eq!(serde_json::from_str::<Value>(&published.parameters).unwrap(), schema());
}

#[test]
fn what_cannot_be_used_is_said_when_the_tool_is_made() {
    let of = |schema: Value| {
        DynamicTool::<()>::new("t", "", schema, |_, _, _| async { Ok(()) }).map(drop).unwrap_err().to_string()
    };
    assert_eq!(of(json!({"type": "string"})), "`t`: the schema of arguments has `\"type\": \"object\"`");
    assert_eq!(of(json!(true)), "`t`: the schema of arguments has `\"type\": \"object\"`");
    for broken in [
        json!({"type": "object", "required": 3}),
        json!({"type": "object", "properties": {"a": {"pattern": "(?=x)"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/other"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}}),
    ] {
        assert!(of(broken.clone()).starts_with("`t`: its schema cannot be used: "), "{broken}");
    }
}

#[test]
fn names_are_held_to_what_the_provider_takes_and_to_be_of_one_tool() {
    let named = |name: &str| {
        let name = name.to_owned();
        DynamicTool::<()>::new(name, "", json!({"type": "object"}), |_, _, _| async { Ok(()) }).unwrap()
    };
    for name in ["", "a b", "ä", &"a".repeat(65)] {
        let built = Agent::builder(ScriptedModel::new([])).tool(named(name)).build();
        assert!(matches!(built, Err(BuildError::Refused { .. })), "{name}");
    }
    let twice = Agent::builder(ScriptedModel::new([])).tool(vec![named("a"), named("b"), named("a")]).build();
    assert!(matches!(twice, Err(BuildError::DuplicateTool { tool }) if tool == "a"));
}

#[tokio::test]
async fn a_closure_that_panics_is_a_call_that_failed() {
    let tool = DynamicTool::new("ship", "Ships.", json!({"type": "object"}), |_: Arc<Count>, arguments: Value, _| {
        assert!(arguments["fine"] == true, "not before the future, either");
        async { Ok(()) }
    });
    let bench = Bench::new(tool.unwrap());
    assert_eq!(value(&bench.call("{}").await)["error"]["code"], "TOOL_PANICKED");
    assert_eq!(bench.call(r#"{"fine":true}"#).await.status(), Status::Success);
}

#[test]
fn a_mutating_tool_that_does_not_say_who_may_call_it_is_not_built() {
    let built = Agent::builder(ScriptedModel::new([])).state(Count::new(0)).tool(ship().mutating()).build();
    assert!(built.unwrap_err().to_string().contains("does not say who may call it"));
}

#[tokio::test]
async fn whole_numbers_that_no_float_tells_apart_are_refused_and_not_taken_for_one_another() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let tool =
        DynamicTool::new("count", "Counts.", schema, |_: Arc<()>, arguments: Value, _| async move { Ok(arguments) });
    let agent = Agent::builder(ScriptedModel::new([])).tool(tool.unwrap()).build().unwrap();
    let (caller, run_id) = (Arc::new(SecurityContext::anonymous()), Arc::from("run-1"));
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    for (number, taken) in [
        ("9007199254740993", true),
        ("18446744073709551615", true),
        ("1e300", true),
        ("9007199254740993.0", false),
        ("18446744073709551616", false),
        ("18446744073709551617", false),
        ("123456789012345678901234567890", false),
    ] {
        let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
        let call = ToolCall::new("c", "count", format!(r#"{{"n":{number}}}"#));
        let result = agent.toolbox().dispatch(&call, &at).await;
        assert_eq!(result.is_success(), taken, "{number}: {result:?}");
    }
}

#[tokio::test]
async fn arguments_whose_check_takes_long_do_not_hold_up_the_thread_of_the_run() {
    let branches: Vec<_> = (0..100).map(|n| json!({"items": {"const": n}})).collect();
    let schema = json!({"type": "object", "properties": {"list": {"type": "array", "anyOf": branches}}});
    let tool = DynamicTool::new("long", "Takes long.", schema, |_: Arc<()>, _: Value, _| async move { Ok(()) });
    let list = (0..2_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let calls = [ToolCall::new("a", "long", format!(r#"{{"list":[{list}]}}"#))];
    let model = ScriptedModel::new([Reply::calls(calls), Reply::text("Done.")]);
    let agent = Agent::builder(model).tool(tool.unwrap()).build().unwrap();
    let run = agent.run("Go.").into_future();
    let others = async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = run => panic!("nobody else had a turn before the run was over"),
        () = others => {}
    }
}
