//! Runs scripted conversations as an application would: tools by the macro, an agent, its runs. A harness sets it up
//! through the environment, tells it when to go on through its standard input, and measures it from outside.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the harness is spoken to on standard output")]

mod settings;
mod tools;

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, Limits, RunError, RunEvent, SecurityContext, tools};
use agent_openai::OpenAi;
use futures_util::StreamExt;

use settings::Settings;
use tools::{ENTERED, calculate_tax, lookup, record_invoice};

const SYSTEM: &str = "You are an accounting assistant. Use the tools; never guess a number.";

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::from_env()?;
    let mut runtime = if settings.multi_thread {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2);
        runtime
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    runtime.enable_all().build()?.block_on(async {
        if settings.dispatch { measure_dispatch(&settings).await } else { measure_runs(settings).await }
    })
}

/// Says a word, and waits to be told to go on.
fn handshake(word: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{word}")?;
    out.flush()?;
    // Without a harness, its input is closed, and it goes on.
    io::stdin().lock().read_line(&mut String::new()).map(drop)
}

fn limits(settings: &Settings) -> Limits {
    let calls = settings.scenario.calls();
    Limits::default()
        .max_cycles(settings.scenario.turns() + 2)
        .max_tool_calls(calls.max(50))
        .max_tool_calls_per_turn(calls.max(16))
        .timeout(Duration::from_secs(600))
}

fn caller() -> SecurityContext {
    SecurityContext::new("usr_bench", "tenant_bench").role("billing:write")
}

async fn measure_runs(settings: Settings) -> Result<(), Box<dyn Error>> {
    let model = OpenAi::builder().base_url(&*settings.base_url).api_key("sk-bench").model("mock-1").build()?;
    let agent = Agent::builder(model)
        .system(SYSTEM)
        .tools(tools![calculate_tax, record_invoice, lookup])
        .limits(limits(&settings))
        .build()?;
    let warm = many(&agent, &settings, settings.warmup).await;
    let before = ENTERED.load(Ordering::Relaxed);
    handshake("WARM")?;
    let ok = many(&agent, &settings, settings.runs).await;
    let calls = ENTERED.load(Ordering::Relaxed) - before;
    let right = calls == settings.runs * u64::from(settings.scenario.calls());
    let runs = settings.runs;
    handshake(&format!(r#"{{"runs":{runs},"ok":{ok},"warm_ok":{warm},"tool_calls":{calls},"tools_ok":{right}}}"#))?;
    Ok(())
}

/// Does so many runs, as many at once as the settings say, and counts those with the right answer.
async fn many(agent: &Agent, settings: &Settings, runs: u64) -> u64 {
    let expected: Arc<str> = settings.scenario.answer().into();
    let left = Arc::new(AtomicU64::new(runs));
    let workers = (0..settings.concurrency.min(runs)).map(|_| {
        let (agent, settings, left, expected) = (agent.clone(), settings.clone(), left.clone(), expected.clone());
        tokio::spawn(async move {
            let mut ok = 0;
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                match one(&agent, &settings).await {
                    Ok(text) if *text == *expected => ok += 1,
                    Ok(text) => eprintln!("the answer is not as expected: {text}"),
                    Err(error) => eprintln!("a run failed: {error:?}"),
                }
            }
            ok
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut ok = 0;
    for worker in workers {
        ok += worker.await.unwrap_or(0);
    }
    ok
}

async fn one(agent: &Agent, settings: &Settings) -> Result<String, RunError> {
    let run = agent.run(settings.scenario.prompt()).caller(caller());
    if !settings.stream {
        return Ok(run.await?.text().to_owned());
    }
    let mut events = run.events();
    loop {
        match events.next().await {
            Some(RunEvent::Finished(end)) => return Ok(end?.text().to_owned()),
            Some(_) => {}
            None => return Ok(String::new()),
        }
    }
}

/// One call of a read again and again, from its argument text to its result text.
async fn measure_dispatch(settings: &Settings) -> Result<(), Box<dyn Error>> {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![calculate_tax]).build()?;
    let (toolbox, state) = (agent.toolbox(), agent.state());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let caller = Arc::new(caller());
    let run_id: Arc<str> = "run_bench".into();
    let at = Dispatch::new(&caller, state, &store, &run_id);
    let mut ok: u64 = 0;
    for number in 0..settings.warmup + settings.runs {
        if number == settings.warmup {
            handshake("WARM")?;
        }
        let call = ToolCall::new("call_1", "calculateTax", r#"{"subtotal":1500,"countryCode":"UK"}"#);
        let shown = agent_core::Observation::default().render(&toolbox.dispatch(&call, &at).await, 65_536);
        ok += u64::from(number >= settings.warmup && shown.contains("300"));
    }
    let runs = settings.runs;
    handshake(&format!(r#"{{"runs":{runs},"ok":{ok},"warm_ok":0,"tool_calls":{runs},"tools_ok":true}}"#))?;
    Ok(())
}
