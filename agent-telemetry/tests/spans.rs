//! The spans of a run, as a subscriber sees them.

#![cfg(feature = "steps")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod kept;
mod scripted;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_core::model::{Fallback, Finish, ModelError, ModelErrorKind, Reply};
use agent_core::run::StepRecord;
use agent_core::telemetry::Content;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Event, SecurityContext, tools};
use agent_telemetry::{DigestKey, StepLog};
use tracing::Level;
use tracing::subscriber::NoSubscriber;

use self::kept::Keep;

fn nobody(_: &str, _: &Event) {}

#[tokio::test(start_paused = true)]
async fn a_run_has_exactly_the_spans_that_are_documented() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    scripted::run(nobody).await;
    let spans = keep.spans();
    assert!(spans.iter().all(|span| span.closed), "{spans:?}");
    let told: Vec<_> = spans
        .iter()
        .map(|span| {
            let get = |name: &str| span.fields.get(name).cloned().unwrap_or_default();
            match span.name {
                "execute_tool" => format!(
                    "{} {} {} {}",
                    get("otel.name"),
                    get("agent.tool.status"),
                    get("agent.tool.attempts"),
                    get("error.type")
                ),
                _ => format!("{} {}", get("otel.name"), get("error.type")),
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "invoke_agent circuit_open",
            "chat scripted ",
            "execute_tool stock success 1 ",
            "execute_tool stock success 2 ",
            "execute_tool stock business_error 1 NO_SUCH_ARTICLE",
            "chat scripted ",
            "execute_tool order success 1 ",
            "chat scripted ",
            "execute_tool order success 0 ",
            "chat scripted ",
            "execute_tool delete_orders permission_denied 0 UNAUTHORIZED",
            "chat scripted ",
            "execute_tool order validation_error 0 SCHEMA_VALIDATION_FAILED",
            "chat scripted ",
            "execute_tool order validation_error 0 SCHEMA_VALIDATION_FAILED",
            "chat scripted ",
        ]
    );
    assert!(spans[1..].iter().all(|span| span.parent == Some(1)), "{spans:?}");

    let run = &spans[0];
    for (name, value) in [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "scripted"),
        ("agent.run.id", "order-4711"),
        ("otel.kind", "internal"),
    ] {
        assert_eq!(run.made.get(name).map(String::as_str), Some(value), "{name} is set when the span is made");
    }
    for (name, value) in [
        ("agent.run.end_reason", "circuit_open"),
        ("agent.run.bound", "repeat_errors"),
        ("agent.run.bound.value", "2"),
        ("agent.run.cycles", "6"),
        ("agent.run.tool_calls", "8"),
        ("otel.status_code", "ERROR"),
    ] {
        assert_eq!(run.fields.get(name).map(String::as_str), Some(value), "{name}");
    }
    let chat = &spans[1];
    assert_eq!(chat.made["gen_ai.operation.name"], "chat");
    for (name, value) in [
        ("gen_ai.usage.input_tokens", "1200"),
        ("gen_ai.usage.output_tokens", "40"),
        ("gen_ai.usage.cache_read.input_tokens", "800"),
        ("gen_ai.response.finish_reasons", r#"["tool_call"]"#),
        ("agent.attempts", "1"),
        ("agent.cycle", "1"),
        ("agent.purpose", "turn"),
    ] {
        assert_eq!(chat.fields.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!((&*spans[8].fields["agent.tool.replayed"], &*spans[10].fields["agent.tool.denied"]), ("true", "true"));
    let all = format!("{spans:?}");
    assert!(!all.contains("A1") && !all.contains("Two pieces"), "content is off: {all}");
    let warned = keep.events.lock().unwrap().iter().filter(|(level, ..)| *level == Level::WARN).count();
    // The denied call, and the end of the run.
    assert_eq!(warned, 2);
}

#[tokio::test(start_paused = true)]
async fn names_and_ids_of_any_length_are_cut_in_spans() {
    let long = "x".repeat(1 << 20);
    let mut first = scripted::calls(&[(&long, &long, "{}")]);
    first.model = Some(long.clone());
    first.id = Some(long.clone());
    let mut last = Reply::text("Done.").finish(Finish::Other(long.clone()));
    last.model = Some(long.clone());
    last.id = Some(long.clone());
    for content in [false, true] {
        let keep = Keep::default();
        let _subscribed = tracing::subscriber::set_default(keep.clone());
        let agent = Agent::builder(ScriptedModel::new([first.clone(), last.clone()]));
        let agent = if content { agent.trace_content(|content: Content<'_>| content.text.to_owned()) } else { agent };
        agent.build().unwrap().run("Go.").await.unwrap_err();
        let spans = keep.spans();
        let longest = spans.iter().map(|span| (format!("{span:?}").len(), span.name)).max().unwrap();
        assert!(longest.0 < 8_000, "{longest:?}");
        let call = spans.iter().find(|span| span.name == "execute_tool").unwrap();
        assert_eq!(call.fields["gen_ai.tool.call.id"], long[..128]);
        let chat = spans.iter().find(|span| span.name == "chat").unwrap();
        assert_eq!(chat.fields["gen_ai.response.id"], long[..128]);
    }
}

#[tokio::test(start_paused = true)]
async fn content_is_in_spans_as_the_hook_leaves_it() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let model = ScriptedModel::new([scripted::calls(&[("c1", "stock", r#"{"article":"A1"}"#)]), Reply::text("A1: 7")]);
    let agent = Agent::builder(model)
        .name("seller")
        .system("Sell A1.")
        .tools(tools![scripted::stock])
        .trace_content(|content: Content<'_>| content.text.replace("A1", "##"))
        .build()
        .unwrap();
    agent.run("How many A1?").await.unwrap();
    let spans = keep.spans();
    assert_eq!((&*spans[0].made["otel.name"], &*spans[0].made["gen_ai.agent.name"]), ("invoke_agent seller", "seller"));
    assert_eq!(spans[2].fields["gen_ai.tool.call.arguments"], r###"{"article":"##"}"###);
    assert_eq!(spans[2].fields["gen_ai.tool.call.result"], "7");
    let result = r#"{"status":"success","data":7,"metadata":{"toolName":"stock","toolCallId":"c1"}}"#;
    let asked = r###"{"role":"user","parts":[{"type":"text","content":"How many ##?"}]}"###;
    let call = r###"{"type":"tool_call","id":"c1","name":"stock","arguments":{"article":"##"}}"###;
    let answered = format!(r#"{{"type":"tool_call_response","id":"c1","response":{result}}}"#);
    let said = r###"[{"role":"assistant","parts":[{"type":"text","content":"##: 7"}],"finish_reason":"stop"}]"###;
    let history =
        format!(r#"[{asked},{{"role":"assistant","parts":[{call}]}},{{"role":"tool","parts":[{answered}]}}]"#);
    for (span, name, value) in [
        (0, "gen_ai.input.messages", format!("[{asked}]")),
        (0, "gen_ai.output.messages", said.to_owned()),
        (0, "gen_ai.system_instructions", r###"[{"type":"text","content":"Sell ##."}]"###.to_owned()),
        (1, "gen_ai.input.messages", format!("[{asked}]")),
        (
            1,
            "gen_ai.output.messages",
            format!(r#"[{{"role":"assistant","parts":[{call}],"finish_reason":"tool_call"}}]"#),
        ),
        (3, "gen_ai.input.messages", history),
        (3, "gen_ai.output.messages", said.to_owned()),
        (3, "gen_ai.system_instructions", r###"[{"type":"text","content":"Sell ##."}]"###.to_owned()),
    ] {
        assert_eq!(spans[span].fields[name], value, "{name} of {}", spans[span].name);
    }
    let tools = &spans[1].fields["gen_ai.tool.definitions"];
    assert!(tools.starts_with(r#"[{"type":"function","name":"stock","description":"Says how many"#), "{tools}");
    assert!(tools.contains(r#""parameters":{"type":"object""#), "{tools}");
    assert!(spans.iter().all(|span| !span.fields.contains_key("agent.content.left_out")));
    assert!(!format!("{spans:?}").contains("A1"));
}

#[tokio::test(start_paused = true)]
async fn without_a_hook_no_content_is_made_and_where_no_span_is_wanted_no_hook_is_asked() {
    let asked = Arc::new(AtomicU64::new(0));
    let counts = asked.clone();
    let hook = move |content: Content<'_>| {
        counts.fetch_add(1, Ordering::SeqCst);
        content.text.to_owned()
    };
    let script = || ScriptedModel::new([scripted::calls(&[("c1", "stock", r#"{"article":"A1"}"#)]), Reply::text("7")]);
    let unseen = Agent::builder(script()).tools(tools![scripted::stock]).trace_content(hook).build().unwrap();
    let wants_nothing = tracing::subscriber::set_default(NoSubscriber::new());
    unseen.run("How many A1?").await.unwrap();
    drop(wants_nothing);
    assert_eq!(asked.load(Ordering::SeqCst), 0);

    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let silent = Agent::builder(script()).tools(tools![scripted::stock]).build().unwrap();
    silent.run("How many A1?").await.unwrap();
    for span in keep.spans() {
        let content = ["messages", "instructions", "definitions", "arguments", "result", "left_out"];
        let told: Vec<_> = span.fields.keys().filter(|name| content.iter().any(|word| name.ends_with(word))).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_redaction_hook_that_panics_lets_nothing_out_and_harms_no_run() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let broken = |content: Content<'_>| {
        content.text[..content.text.len() - 1].chars().map(|_| -> char { panic!() }).collect::<String>()
    };
    let model = ScriptedModel::new([Reply::text("secret words")]);
    let agent = Agent::builder(model).system("Be secret.").tools(tools![scripted::stock]);
    let agent = agent.trace_content(broken).build().unwrap();
    assert_eq!(agent.run("Hello.").await.unwrap().text(), "secret words");
    let spans = keep.spans();
    for (span, name) in [
        (0, "gen_ai.input.messages"),
        (0, "gen_ai.output.messages"),
        (1, "gen_ai.input.messages"),
        (1, "gen_ai.output.messages"),
        (1, "gen_ai.system_instructions"),
        (1, "gen_ai.tool.definitions"),
    ] {
        assert!(spans[span].fields[name].contains("the redaction hook panicked"), "{name}: {spans:?}");
    }
    let all = format!("{spans:?}");
    assert!(["secret words", "Hello", "Be secret", "Says how many"].iter().all(|word| !all.contains(word)), "{all}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_model_is_an_error_of_its_span_and_of_the_runs() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let model = ScriptedModel::with_errors([Err(ModelError::new(ModelErrorKind::RateLimit, "secret words"))]);
    let agent = Agent::builder(model).build().unwrap();
    agent.run("Hello.").caller(SecurityContext::anonymous()).await.unwrap_err();
    let spans = keep.spans();
    assert_eq!(spans[1].fields["error.type"], ModelErrorKind::RateLimit.as_str());
    assert_eq!(spans[0].fields["error.type"], "model_failed");
    assert!(!format!("{spans:?}").contains("secret words"));
}

#[tokio::test(start_paused = true)]
async fn the_spans_of_a_model_say_how_many_requests_it_took() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let mut reply = scripted::calls(&[("c1", "stock", r#"{"article":"A1"}"#)]);
    reply.attempts = 3;
    let failed = ModelError::new(ModelErrorKind::Overloaded, "busy").attempts(4);
    let agent = Agent::builder(ScriptedModel::with_errors([Ok(reply), Err(failed)])).tools(tools![scripted::stock]);
    let error = agent.build().unwrap().run("How many A1?").await.unwrap_err();
    let told: Vec<_> = keep.spans().iter().filter_map(|span| span.fields.get("agent.attempts").cloned()).collect();
    assert_eq!(told, ["3", "4"]);
    assert!(matches!(error.record().steps[0], StepRecord::Model(ref step) if step.attempts == 3));
}

#[tokio::test(start_paused = true)]
async fn the_span_of_a_reply_says_which_model_answered_in_place_of_another() {
    let down = || Err(ModelError::new(ModelErrorKind::Overloaded, "busy"));
    let first = ScriptedModel::with_errors([down()]);
    let mut reply = Reply::text("Hello.");
    reply.model = Some("second-model".to_owned());
    let model = Fallback::new(first).then(ScriptedModel::new([reply]));
    let agent = Agent::builder(model).build().unwrap();
    let keep = Keep::default();
    let _guard = tracing::subscriber::set_default(keep.clone());
    assert_eq!(agent.run("Hello?").await.unwrap().text(), "Hello.");
    let spans = keep.spans.lock().unwrap();
    let chat = spans.values().find(|span| span.name == "chat").unwrap();
    assert_eq!(chat.fields["gen_ai.response.model"], "second-model", "{chat:?}");
}

#[tokio::test(start_paused = true)]
async fn a_log_of_steps_tells_tracing_what_it_writes_as_json() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    scripted::run(StepLog::tracing(DigestKey::random().unwrap())).await;
    let events = keep.events.lock().unwrap();
    let steps: Vec<_> =
        events.iter().filter(|(_, target, _)| *target == "agent::step").map(|(.., fields)| fields).collect();
    assert_eq!(steps.len(), 16);
    let ordered = steps[5];
    for (name, value) in
        [("step", "tool"), ("tool", "order"), ("status", "success"), ("latency_ms", "250"), ("attempt", "1")]
    {
        assert_eq!(ordered.get(name).map(String::as_str), Some(value), "{name} in {ordered:?}");
    }
    assert_eq!(ordered["arguments.hmac_sha256"].len(), 64);
    assert!(!ordered.contains_key("arguments.text"));
}
