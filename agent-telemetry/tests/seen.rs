//! One run as everybody who looks at it sees it, and the alert that each bad end is.

#![cfg(all(feature = "audit", feature = "otel", feature = "steps"))]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod kept;
mod meters;
mod scripted;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::idempotency::{Fence, StoreError};
use agent_core::model::{Reply, ToolCall, Usage};
use agent_core::run::Run;
use agent_core::run_store::{MemoryRunStore, OpenRun, Opened, RunStore, StoredRun};
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{Agent, CostLimit, LimitKind, Limits, OnDenied, OnLimit, Prices, SecurityContext, tools};
use agent_telemetry::{Conventions, DigestKey, Observers, StepLog};
use async_trait::async_trait;
use serde_json::Value;
use tracing::Level;

use self::kept::{Fields, Keep};
use self::meters::Meters;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All fields, but for digests, opaque keys, moments, sizes and what is the same in each line.
fn line(of: &Value) -> String {
    let Value::Object(fields) = of else { return of.to_string() };
    let mut told = Vec::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("at" | "run" | "hmac_sha256" | "bytes" | "key" | "prev" | "tenant" | "user" | "run_id", _) => {}
            (name, Value::Object(_)) => told.push(format!("{name}({})", line(value))),
            (name, Value::String(text)) => told.push(format!("{name}={text}")),
            (name, value) => told.push(format!("{name}={value}")),
        }
    }
    told.join(" ")
}

#[tokio::test(start_paused = true)]
async fn one_run_with_a_retry_a_batch_a_denial_a_replay_and_a_circuit_is_told_exactly_by_all_four() {
    let (keep, meters, lines, audit) = (Keep::default(), Meters::new(), Lines::default(), MemoryAudit::new());
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let log = Arc::new(StepLog::json_lines(DigestKey::random().unwrap(), lines.clone()));
    let observers = Observers::new().and(meters.metrics(Conventions::V1_41)).and(log.clone());
    scripted::run_audited(observers, audit.clone()).await;
    log.flush().unwrap();

    let text = |fields: &Fields| fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let spans: Vec<_> = keep
        .spans()
        .iter()
        .map(|span| format!("{} in {} {}", span.name, span.parent.unwrap_or_default(), text(&span.fields).join(" ")))
        .collect();
    let steps: Vec<_> = String::from_utf8(lines.0.lock().unwrap().clone())
        .unwrap()
        .lines()
        .map(|step| line(&serde_json::from_str(step).unwrap()))
        .collect();
    let records: Vec<_> = audit.records().iter().map(|record| line(&serde_json::to_value(record).unwrap())).collect();
    let warned: Vec<_> = keep.events_at(Level::WARN).iter().map(|fields| text(fields).join(" ")).collect();
    let told = [("spans", spans), ("metrics", meters.told()), ("steps", steps), ("audit", records), ("alerts", warned)];
    let told: String = told.iter().map(|(what, all)| format!("== {what}\n{}\n", all.join("\n"))).collect();
    assert_eq!(told, include_str!("seen.txt"), "what is told has changed:\n{told}");
}

fn calls(of: &[(&str, &str)]) -> Reply {
    let calls = of.iter().enumerate().map(|(at, (tool, arguments))| ToolCall::new(format!("c{at}"), *tool, *arguments));
    Reply::calls(calls).usage(Usage::new(1_000, 100))
}

const KINDS: [LimitKind; 5] = [
    LimitKind::MaxCycles,
    LimitKind::MaxToolCalls,
    LimitKind::TokenBudget,
    LimitKind::CostBudget,
    LimitKind::CircuitOpen,
];

/// A run that ends badly: what the model says, the limits, and the alert as `reason bound limit value`.
struct Bad(Vec<Reply>, Limits, &'static str);

#[tokio::test(start_paused = true)]
async fn each_bound_breaker_and_denial_that_ends_a_run_is_one_alert() {
    let limits = Limits::default;
    let a1 = r#"{"article":"A1"}"#;
    let wrong = |n: u32| calls(&[("order", &format!(r#"{{"article":"A1","pieces":{}}}"#, 200 + n))]);
    let ends = [
        Bad(vec![calls(&[("stock", a1)])], limits().max_cycles(1), "max_cycles max_cycles 1 -"),
        Bad(
            vec![calls(&[("stock", a1)])],
            limits().timeout(Duration::from_millis(100)).min_effect_time(Duration::from_millis(1)),
            "timeout timeout 100ms -",
        ),
        Bad(
            vec![calls(&[("stock", a1), ("stock", a1)])],
            limits().max_tool_calls(1),
            "max_tool_calls max_tool_calls 1 2",
        ),
        Bad(vec![calls(&[("stock", a1)])], limits().max_tokens(Some(1_050)), "token_budget max_tokens 1050 1100"),
        Bad(
            vec![calls(&[("stock", a1)])],
            limits().max_cost(Some(CostLimit { most: 0.5, prices: Prices::new(1_000.0, 0.0) })),
            "cost_budget max_cost 0.5 1",
        ),
        Bad(vec![wrong(0), wrong(0)], limits(), "circuit_open repeat_errors - 2"),
        Bad(vec![calls(&[("stock", a1)]); 3], limits(), "circuit_open repeat_reads - 3"),
        Bad((0..4).map(wrong).collect(), limits(), "circuit_open invalid_turns - 4"),
        Bad(vec![calls(&[("delete_orders", "{}")])], limits(), "permission_denied - - -"),
        Bad(vec![Reply::text(""); 2], limits(), "empty_reply - - -"),
    ];
    for (on_limit, on_denied) in [(OnLimit::Stop, OnDenied::Stop), (OnLimit::Conclude, OnDenied::Conclude)] {
        for Bad(replies, limits, alert) in &ends {
            let keep = Keep::default();
            let _subscribed = tracing::subscriber::set_default(keep.clone());
            let replies = replies.iter().cloned().chain(std::iter::once(Reply::text("I met a boundary.")));
            let mut agent = Agent::builder(ScriptedModel::new(replies))
                .tools(tools![scripted::stock, scripted::order, scripted::delete_orders])
                .limits(limits.clone())
                .on_denied(on_denied);
            for kind in KINDS {
                agent = agent.on_limit(kind, on_limit);
            }
            let caller = SecurityContext::new("usr_1", "tenant_1").role("orders:write");
            agent.build().unwrap().run("Go.").caller(caller).id("r").await.unwrap_err();
            // Beside it stand alerts of single calls: one that was denied, one that took too long.
            let (of_calls, ends): (Vec<_>, Vec<_>) =
                keep.events_at(Level::WARN).into_iter().partition(|fields| fields.contains_key("tool"));
            assert_eq!(told(&ends), [*alert], "{ends:?}");
            assert_eq!(of_calls.len(), usize::from(alert.starts_with("permission") || alert.starts_with("timeout")));
        }
    }
}

/// Each alert as `reason bound limit value`.
fn told(alerts: &[Fields]) -> Vec<String> {
    let get = |fields: &Fields, name: &str| fields.get(name).cloned().unwrap_or_else(|| "-".to_owned());
    let line = |fields: &Fields| ["reason", "bound", "limit", "value"].map(|name| get(fields, name)).join(" ");
    alerts.iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_time_is_over_before_it_has_begun_is_an_alert_and_a_stored_end_is_none() {
    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let agent = Agent::builder(ScriptedModel::new([calls(&[("nothing", "{}")]), Reply::text("Oh.")]))
        .limits(Limits::default().max_cycles(1))
        .run_store(MemoryRunStore::new())
        .build()
        .unwrap();
    for _ in 0..3 {
        agent.run("Go.").id("r").await.unwrap_err();
    }
    assert_eq!(told(&keep.events_at(Level::WARN)), ["max_cycles max_cycles 1 -"]);

    let keep = Keep::default();
    let _subscribed = tracing::subscriber::set_default(keep.clone());
    let model = ScriptedModel::new([Reply::text("Never asked.")]);
    let audit = MemoryAudit::new();
    let agent = Agent::builder(model).run_store(Deaf).audit(audit.clone()).build().unwrap();
    agent.run("Go.").id("r").await.unwrap_err();
    assert_eq!(told(&keep.events_at(Level::WARN)), ["timeout timeout 30s -"]);
    assert_eq!(audit.told(), ["run_refused"]);
}

/// Never answers.
struct Deaf;

#[async_trait]
impl RunStore for Deaf {
    async fn load(&self, _: &str, _: &str) -> Result<StoredRun, StoreError> {
        std::future::pending().await
    }
    async fn open(&self, _: &OpenRun<'_>) -> Result<Opened, StoreError> {
        std::future::pending().await
    }
    async fn save(&self, _: &Run, _: Fence, _: Duration) -> Result<(), StoreError> {
        std::future::pending().await
    }
    async fn keep(&self, _: &str, _: &str, _: Fence, _: Duration) -> Result<(), StoreError> {
        std::future::pending().await
    }
    async fn finish(&self, _: &Run, _: Fence) -> Result<(), StoreError> {
        std::future::pending().await
    }
    async fn hand_over(&self, _: &str, _: &str, _: Fence) -> Result<(), StoreError> {
        std::future::pending().await
    }
    async fn abandoned_runs(&self, _: &str, _: Option<&str>, _: u32) -> Result<Vec<String>, StoreError> {
        std::future::pending().await
    }
    async fn forget_runs(&self, _: &str, _: Duration) -> Result<u64, StoreError> {
        std::future::pending().await
    }
}
