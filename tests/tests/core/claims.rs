//! What becomes of a claim, for each way in which a mutating call can end, through `Toolbox::dispatch`, without the loop.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent_core::dispatch::CallLimits;
use agent_core::idempotency::{IdempotencyStore, Settled};
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolResult, tools};

use crate::world::{App, Faulty, Shared, act, add, look, send, sign, transfer, wire, writer};

struct Bench {
    agent: Agent<App>,
    faults: Arc<Faulty>,
    store: Arc<dyn IdempotencyStore>,
    caller: Arc<SecurityContext>,
    run_id: Arc<str>,
}

impl Bench {
    fn new() -> Self {
        let agent = Agent::builder(ScriptedModel::new([]))
            .tools(tools![look, act, add, send, sign, transfer, wire])
            .state(App::default());
        let shared = Shared::default();
        Self {
            agent: agent.build().unwrap(),
            faults: shared.0.clone(),
            store: Arc::new(shared),
            caller: Arc::new(writer()),
            run_id: Arc::from("run-1"),
        }
    }

    async fn call(&self, tool: &str, arguments: &str) -> ToolResult {
        let at = Dispatch::new(&self.caller, self.agent.state(), &self.store, &self.run_id);
        self.agent.toolbox().dispatch(&ToolCall::new("c", tool, arguments), &at).await
    }

    async fn act(&self, how: &str) -> ToolResult {
        self.call("act", &format!(r#"{{"how":"{how}"}}"#)).await
    }

    fn effects(&self) -> u32 {
        self.agent.state().world.effects()
    }

    fn entered(&self) -> u32 {
        self.agent.state().world.entered()
    }

    fn let_go(&self) {
        self.agent.state().world.gate.add_permits(1);
    }
}

fn code(result: &ToolResult) -> &str {
    result.code().unwrap_or("success")
}

#[tokio::test]
async fn a_value_settles_the_claim_and_comes_again_replayed() {
    let bench = Bench::new();
    let first = bench.act("ok").await;
    let again = bench.call("act", r#"{ "n": 0.0, "how": "ok" }"#).await;
    assert!(first.is_success() && again.is_success());
    assert_eq!(again.data().unwrap().get(), first.data().unwrap().get());
    assert!(!first.metadata().replayed && again.metadata().replayed);
    assert_eq!(again.metadata().idempotency_key, first.metadata().idempotency_key);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test]
async fn a_value_that_cannot_be_written_settles_the_claim_as_done() {
    let bench = Bench::new();
    assert_eq!(code(&bench.act("unwritable").await), "RESULT_UNREADABLE");
    let again = bench.act("unwritable").await;
    assert_eq!(code(&again), "RESULT_UNREADABLE");
    assert!(again.metadata().replayed);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test]
async fn a_business_error_and_a_vouched_fault_release_the_claim() {
    for (how, expected) in [("business", "CLOSED"), ("not_done", "INTERNAL_EXECUTION_FAILURE")] {
        let bench = Bench::new();
        assert_eq!(code(&bench.act(how).await), expected);
        let again = bench.act(how).await;
        assert_eq!(code(&again), expected);
        assert!(!again.metadata().replayed, "it ran again");
        assert_eq!(bench.entered(), 2);
    }
}

#[tokio::test]
async fn a_fault_or_a_panic_leaves_the_outcome_unknown_for_good() {
    for how in ["fatal", "panic", "panic_after"] {
        let bench = Bench::new();
        assert_eq!(code(&bench.act(how).await), "OUTCOME_UNKNOWN");
        assert_eq!(code(&bench.act(how).await), "OUTCOME_UNKNOWN");
        assert_eq!(bench.entered(), 1, "{how}: it never runs again by itself");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_over_its_time_runs_on_and_its_late_end_settles_the_claim() {
    let bench = Bench::new();
    assert_eq!(code(&bench.act("hang").await), "OUTCOME_UNKNOWN");
    assert_eq!(bench.agent.drain(Duration::from_millis(1)).await.len(), 1, "it is still running");
    assert_eq!(code(&bench.act("hang").await), "CALL_IN_FLIGHT");
    bench.let_go();
    assert_eq!(bench.agent.drain(Duration::from_secs(5)).await, []);
    let late = bench.act("hang").await;
    assert!(late.is_success() && late.metadata().replayed);
    assert_eq!((bench.entered(), bench.effects()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_late_business_error_releases_the_claim() {
    let bench = Bench::new();
    assert_eq!(code(&bench.act("hang_then_fail").await), "OUTCOME_UNKNOWN");
    bench.let_go();
    assert_eq!(bench.agent.drain(Duration::from_secs(5)).await, []);
    bench.let_go();
    assert_eq!(code(&bench.act("hang_then_fail").await), "CLOSED");
    assert_eq!(bench.entered(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_in_flight_elsewhere_is_waited_for_and_replayed_when_it_ends() {
    let bench = Arc::new(Bench::new());
    let first = tokio::spawn({
        let bench = bench.clone();
        async move { bench.act("slow").await }
    });
    tokio::task::yield_now().await;
    let second = bench.act("slow").await;
    assert!(second.is_success() && second.metadata().replayed, "{second:?}");
    assert!(first.await.unwrap().is_success());
    assert_eq!(bench.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_wait_lets_a_started_call_finish_and_settle() {
    let bench = Bench::new();
    let dropped = tokio::time::timeout(Duration::from_millis(1), bench.act("slow")).await;
    assert!(dropped.is_err());
    assert_eq!(bench.agent.drain(Duration::from_secs(5)).await, []);
    assert!(bench.act("slow").await.metadata().replayed);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_wait_before_the_claim_is_answered_starts_nothing() {
    let bench = Bench::new();
    bench.faults.silent.store(true, Ordering::SeqCst);
    assert!(tokio::time::timeout(Duration::from_millis(1), bench.act("ok")).await.is_err());
    bench.faults.silent.store(false, Ordering::SeqCst);
    bench.agent.drain(Duration::from_secs(60)).await;
    assert_eq!(bench.entered(), 0);
    assert!(bench.act("ok").await.is_success());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_the_claim_keeps_the_call_from_running() {
    let bench = Bench::new();
    bench.faults.silent.store(true, Ordering::SeqCst);
    assert_eq!(code(&bench.act("ok").await), "STORE_UNAVAILABLE");
    assert_eq!(bench.entered(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_fails_is_tried_again_within_the_grace() {
    let bench = Bench::new();
    bench.faults.settlements.store(3, Ordering::SeqCst);
    assert!(bench.act("ok").await.is_success());
    assert!(bench.act("ok").await.metadata().replayed);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_keeps_failing_leaves_the_outcome_unknown() {
    let bench = Bench::new();
    bench.faults.settlements.store(u32::MAX, Ordering::SeqCst);
    assert_eq!(code(&bench.act("ok").await), "OUTCOME_UNKNOWN");
    bench.agent.drain(Duration::from_secs(120)).await;
    bench.faults.settlements.store(0, Ordering::SeqCst);
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(code(&bench.act("ok").await), "OUTCOME_UNKNOWN");
    assert_eq!(bench.entered(), 1);
}

#[tokio::test]
async fn the_same_position_with_other_arguments_is_a_conflict_and_does_not_run() {
    let bench = Bench::new();
    assert!(bench.call("add", r#"{"n":1}"#).await.is_success());
    assert_eq!(code(&bench.call("add", r#"{"n":2}"#).await), "KEY_CONFLICT");
    assert_eq!(bench.effects(), 1);
}

#[tokio::test]
async fn the_same_call_of_another_tenant_or_run_is_another_effect() {
    let mut bench = Bench::new();
    bench.act("ok").await;
    bench.caller = Arc::new(SecurityContext::new("usr_1", "tenant_2").role("world:write"));
    assert!(!bench.act("ok").await.metadata().replayed);
    bench.run_id = Arc::from("run-2");
    assert!(!bench.act("ok").await.metadata().replayed);
    assert_eq!(bench.effects(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_claim_is_renewed_while_its_call_runs_and_longer_than_its_lease() {
    let bench = Arc::new(Bench::new());
    let slow = tokio::spawn({
        let bench = bench.clone();
        async move {
            let limits = CallLimits { tool_timeout: Duration::from_secs(600), ..CallLimits::default() };
            let at = Dispatch::new(&bench.caller, bench.agent.state(), &bench.store, &bench.run_id).limits(limits);
            let call = ToolCall::new("c", "act", r#"{"how":"hang"}"#);
            bench.agent.toolbox().dispatch(&call, &at).await
        }
    });
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(code(&bench.act("hang").await), "CALL_IN_FLIGHT");
    bench.let_go();
    assert!(slow.await.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn an_endless_call_stays_in_flight_however_long_nobody_waits_and_its_late_end_still_settles_it() {
    let bench = Bench::new();
    assert_eq!(code(&bench.act("hang").await), "OUTCOME_UNKNOWN");
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(code(&bench.act("hang").await), "CALL_IN_FLIGHT");
    bench.let_go();
    assert_eq!(bench.agent.drain(Duration::from_secs(5)).await, []);
    assert!(bench.act("hang").await.metadata().replayed);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test]
async fn a_tool_that_can_tell_whether_it_happened_is_asked_before_it_runs_again() {
    let happened = Bench::new();
    assert_eq!(code(&happened.call("send", r#"{"how":"panic_after"}"#).await), "OUTCOME_UNKNOWN");
    let again = happened.call("send", r#"{"how":"panic_after"}"#).await;
    assert!(again.is_success() && again.metadata().replayed);
    assert_eq!(again.data().unwrap().get(), r#""sent before""#);
    assert_eq!((happened.entered(), happened.effects()), (1, 1));

    let did_not = Bench::new();
    assert_eq!(code(&did_not.call("send", r#"{"how":"panic"}"#).await), "OUTCOME_UNKNOWN");
    let again = did_not.call("send", r#"{"how":"panic"}"#).await;
    assert!(again.is_success() && !again.metadata().replayed);
    assert_eq!((did_not.entered(), did_not.effects()), (2, 1));
}

#[tokio::test]
async fn a_keyed_tool_is_repeated_where_its_outcome_is_unknown() {
    let bench = Bench::new();
    assert_eq!(code(&bench.call("transfer", r#"{"how":"fatal"}"#).await), "OUTCOME_UNKNOWN");
    assert!(bench.call("transfer", r#"{"how":"fatal"}"#).await.is_success());
    assert!(bench.call("transfer", r#"{"how":"fatal"}"#).await.metadata().replayed);
    assert_eq!((bench.entered(), bench.effects()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn reads_and_keyed_tools_are_tried_again_after_a_transient_fault_and_no_others() {
    let bench = Bench::new();
    for tool in ["look", "transfer"] {
        let result = bench.call(tool, r#"{"how":"transient"}"#).await;
        assert!(result.is_success(), "{tool}: {result:?}");
        assert_eq!(result.metadata().attempts, 3, "{tool}");
    }
    assert_eq!(bench.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_for_a_doubtful_call_after_everyone_stopped_waiting() {
    let bench = Bench::new();
    assert_eq!(code(&bench.call("send", r#"{"how":"panic"}"#).await), "OUTCOME_UNKNOWN");
    bench.agent.state().world.slow_questions.store(true, Ordering::SeqCst);
    let result = bench.call("send", r#"{"how":"panic"}"#).await;
    assert_eq!(code(&result), "OUTCOME_UNKNOWN", "the question took longer than the call may");
    bench.agent.drain(Duration::from_secs(60)).await;
    assert_eq!(bench.entered(), 1, "it had not happened, and it did not happen then");
    bench.agent.state().world.slow_questions.store(false, Ordering::SeqCst);
    assert!(bench.call("send", r#"{"how":"panic"}"#).await.is_success(), "it is known now that it may run");
}

#[tokio::test(start_paused = true)]
async fn the_last_try_does_not_vouch_for_an_earlier_one() {
    let bench = Bench::new();
    let result = bench.call("transfer", r#"{"how":"transient_then_refused"}"#).await;
    assert_eq!(code(&result), "OUTCOME_UNKNOWN");
    assert_eq!(result.metadata().attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_does_not_begin_after_a_cancel() {
    let bench = Bench::new();
    let dropped = tokio::time::timeout(Duration::from_millis(50), bench.call("transfer", r#"{"how":"transient"}"#));
    assert!(dropped.await.is_err());
    bench.agent.drain(Duration::from_secs(60)).await;
    assert_eq!(bench.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waited_for_another_is_not_begun_with_too_little_time_left() {
    let bench = Arc::new(Bench::new());
    let first = tokio::spawn({
        let bench = bench.clone();
        async move { bench.act("hang_then_fail").await }
    });
    tokio::task::yield_now().await;
    let deadline = Some(tokio::time::Instant::now() + Duration::from_secs(3));
    let at = Dispatch::new(&bench.caller, bench.agent.state(), &bench.store, &bench.run_id).deadline(deadline);
    let call = ToolCall::new("c", "act", r#"{"how":"hang_then_fail"}"#);
    let toolbox = bench.agent.toolbox();
    let second = toolbox.dispatch(&call, &at);
    let release = async {
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        bench.let_go();
    };
    let (second, ()) = tokio::join!(second, release);
    assert_eq!(code(&second), "NOT_RUN");
    assert_eq!(code(&first.await.unwrap()), "CLOSED");
    assert_eq!(bench.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_or_hangs_loses_no_call() {
    for fault in ["settle panics", "mark hangs", "claim panics"] {
        let bench = Bench::new();
        *bench.faults.fault.lock().unwrap() = fault;
        let result = bench.act(if fault == "mark hangs" { "fatal" } else { "slow" }).await;
        let expected = match fault {
            "claim panics" => "STORE_UNAVAILABLE",
            _ => "OUTCOME_UNKNOWN",
        };
        assert_eq!(code(&result), expected, "{fault}");
        assert_eq!(bench.agent.drain(Duration::from_secs(120)).await, [], "{fault}: nothing is left behind");
        assert!(bench.entered() <= 1, "{fault}");
    }
}

#[tokio::test]
async fn a_call_that_needs_approval_is_not_run_without_it() {
    let bench = Bench::new();
    assert_eq!(code(&bench.call("sign", r#"{"how":"ok"}"#).await), "NOT_RUN");
    let at = Dispatch::new(&bench.caller, bench.agent.state(), &bench.store, &bench.run_id).approved();
    let call = ToolCall::new("c", "sign", r#"{"how":"ok"}"#);
    assert!(bench.agent.toolbox().dispatch(&call, &at).await.is_success());
}

#[tokio::test(start_paused = true)]
async fn a_settled_call_is_not_forgotten_to_make_room_for_itself() {
    use agent_core::idempotency::MemoryStore;
    let mut bench = Bench::new();
    bench.store = Arc::new(MemoryStore::new().capacity(1));
    bench.act("ok").await;
    assert!(bench.act("ok").await.metadata().replayed);
    assert_eq!(bench.effects(), 1);
}

#[tokio::test]
async fn a_repeat_that_is_refused_does_not_erase_that_an_earlier_call_may_have_happened() {
    for how in ["fatal_then_refused", "fatal_then_not_done"] {
        let bench = Bench::new();
        let arguments = format!(r#"{{"how":"{how}"}}"#);
        for entered in 1..4 {
            let result = bench.call("transfer", &arguments).await;
            assert_eq!((code(&result), bench.entered()), ("OUTCOME_UNKNOWN", entered), "{how}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_is_not_begun_leaves_the_outcome_of_the_earlier_call_unknown() {
    let bench = Bench::new();
    assert_eq!(code(&bench.call("transfer", r#"{"how":"fatal"}"#).await), "OUTCOME_UNKNOWN");
    *bench.faults.fault.lock().unwrap() = "claim slows";
    let result = bench.call("transfer", r#"{"how":"fatal"}"#).await;
    *bench.faults.fault.lock().unwrap() = "";
    assert_eq!((code(&result), bench.entered()), ("OUTCOME_UNKNOWN", 1), "{result:?}");
    bench.agent.drain(Duration::from_secs(60)).await;
    // Still unknown, so an operator finds it.
    let key = result.metadata().idempotency_key.clone().unwrap();
    let listed = bench.faults.unknown(bench.caller.tenant()).await;
    assert!(listed.contains(&key), "{listed:?}");
}

#[tokio::test]
async fn a_keyed_tool_that_can_tell_whether_it_happened_is_asked_before_it_is_repeated() {
    for (how, replayed, entered) in [("fatal_after", true, 1), ("fatal", false, 2), ("unanswered", false, 2)] {
        let bench = Bench::new();
        let arguments = format!(r#"{{"how":"{how}"}}"#);
        assert_eq!(code(&bench.call("wire", &arguments).await), "OUTCOME_UNKNOWN", "{how}");
        let again = bench.call("wire", &arguments).await;
        assert!(again.is_success(), "{how}: {again:?}");
        assert_eq!((again.metadata().replayed, bench.entered(), bench.effects()), (replayed, entered, 1), "{how}");
    }
}

#[tokio::test]
async fn a_refused_call_whose_claim_somebody_settled_meanwhile_is_replayed() {
    for how in ["business", "not_done"] {
        let bench = Bench::new();
        let settled = Settled::Value(serde_json::value::to_raw_value("by hand").unwrap());
        *bench.faults.settled_by_others.lock().unwrap() = Some(settled);
        let result = bench.act(how).await;
        assert!(result.is_success() && result.metadata().replayed, "{how}: {result:?}");
        assert_eq!(result.data().unwrap().get(), r#""by hand""#);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waited_for_another_is_not_begun_with_too_little_of_its_own_time_left() {
    // (its own time, when the other ends, what becomes of it); at least 1 s is needed, or half of a shorter time.
    let ms = Duration::from_millis;
    for (own, ends, expected) in
        [(ms(10_000), ms(9_600), "NOT_RUN"), (ms(500), ms(200), "NOT_RUN"), (ms(500), ms(90), "CLOSED")]
    {
        let bench = Arc::new(Bench::new());
        let first = tokio::spawn({
            let bench = bench.clone();
            async move { bench.act("hang_then_fail").await }
        });
        tokio::task::yield_now().await;
        let limits = CallLimits { tool_timeout: own, ..CallLimits::default() };
        let at = Dispatch::new(&bench.caller, bench.agent.state(), &bench.store, &bench.run_id).limits(limits);
        let call = ToolCall::new("c", "act", r#"{"how":"hang_then_fail"}"#);
        let second = bench.agent.toolbox().dispatch(&call, &at);
        let release = async {
            tokio::time::sleep(ends).await;
            bench.let_go();
            bench.let_go();
        };
        let (second, ()) = tokio::join!(second, release);
        assert_eq!(code(&second), expected, "{own:?} {ends:?}");
        assert_eq!(code(&first.await.unwrap()), "CLOSED");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_whose_answer_panics_when_nobody_waits_for_it_any_more_loses_no_call() {
    crate::world::hush_expected_panics();
    let bench = Bench::new();
    *bench.faults.fault.lock().unwrap() = "renew breaks";
    let limits = CallLimits { tool_timeout: Duration::from_secs(600), ..CallLimits::default() };
    let at = Dispatch::new(&bench.caller, bench.agent.state(), &bench.store, &bench.run_id).limits(limits);
    let call = ToolCall::new("c", "act", r#"{"how":"hang"}"#);
    let ends = async {
        tokio::time::sleep(Duration::from_secs(12)).await;
        bench.let_go();
    };
    let (result, ()) = tokio::join!(bench.agent.toolbox().dispatch(&call, &at), ends);
    assert!(result.is_success(), "{result:?}");
}

/// Limits of a call that may take long.
fn patient() -> CallLimits {
    CallLimits { tool_timeout: Duration::from_secs(600), ..CallLimits::default() }
}

impl Bench {
    async fn call_within(&self, tool: &str, arguments: &str, limits: CallLimits) -> ToolResult {
        let at = Dispatch::new(&self.caller, self.agent.state(), &self.store, &self.run_id).limits(limits);
        self.agent.toolbox().dispatch(&ToolCall::new("c", tool, arguments), &at).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_is_still_its_owners_after_two_renewals_that_hang_or_fail() {
    for fault in ["hang", "fail", "all hang"] {
        let bench = Arc::new(Bench::new());
        match fault {
            "hang" => bench.faults.hanging_renewals.store(2, Ordering::SeqCst),
            "fail" => *bench.faults.fault.lock().unwrap() = "renew panics",
            _ => *bench.faults.fault.lock().unwrap() = "renew hangs",
        }
        let first = tokio::spawn({
            let bench = bench.clone();
            async move { bench.call_within("act", r#"{"how":"hang"}"#, patient()).await }
        });
        tokio::time::sleep(Duration::from_secs(20)).await;
        if fault == "fail" {
            *bench.faults.fault.lock().unwrap() = "";
        }
        tokio::time::sleep(Duration::from_secs(11)).await;
        let short = CallLimits { tool_timeout: Duration::from_secs(2), ..CallLimits::default() };
        let second = bench.call_within("act", r#"{"how":"hang"}"#, short).await;
        let expected = if fault == "all hang" { "OUTCOME_UNKNOWN" } else { "CALL_IN_FLIGHT" };
        assert_eq!(code(&second), expected, "{fault}");
        bench.let_go();
        assert!(first.await.unwrap().is_success(), "{fault}: nobody else took it");
        assert_eq!(bench.entered(), 1, "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stood_still_after_its_claim_until_somebody_else_took_it_does_not_begin() {
    for tool in ["send", "transfer"] {
        let bench = Arc::new(Bench::new());
        *bench.faults.fault.lock().unwrap() = "answer to a claim stands still";
        let first = tokio::spawn({
            let bench = bench.clone();
            async move { bench.call_within(tool, r#"{"how":"ok"}"#, patient()).await }
        });
        tokio::time::sleep(Duration::from_secs(31)).await;
        *bench.faults.fault.lock().unwrap() = "";
        let second = bench.call(tool, r#"{"how":"ok"}"#).await;
        assert!(second.is_success() && !second.metadata().replayed, "{tool}: it has not happened, {second:?}");
        let first = first.await.unwrap();
        assert!(first.is_success() && first.metadata().replayed, "{tool}: {first:?}");
        assert_eq!((bench.entered(), bench.effects()), (1, 1), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stood_still_after_its_claim_begins_only_when_the_claim_is_known_to_be_its_own() {
    for (then, expected, entered) in [("", "success", 1), ("renew panics", "STORE_UNAVAILABLE", 0)] {
        let bench = Arc::new(Bench::new());
        *bench.faults.fault.lock().unwrap() = "answer to a claim stands still";
        let first = tokio::spawn({
            let bench = bench.clone();
            async move { bench.call_within("act", r#"{"how":"ok"}"#, patient()).await }
        });
        tokio::time::sleep(Duration::from_secs(31)).await;
        *bench.faults.fault.lock().unwrap() = then;
        if then.is_empty() {
            assert_eq!(code(&bench.act("ok").await), "OUTCOME_UNKNOWN", "nobody can tell, from elsewhere");
        }
        assert_eq!(code(&first.await.unwrap()), expected);
        assert_eq!((bench.entered(), bench.effects()), (entered, entered));
    }
}

#[tokio::test(start_paused = true)]
async fn the_length_of_a_lease_is_the_hosts_to_say() {
    let bench = Arc::new(Bench::new());
    let lease = Duration::from_secs(2);
    let limits = CallLimits { lease, ..patient() };
    let first = tokio::spawn({
        let bench = bench.clone();
        async move { bench.call_within("act", r#"{"how":"hang"}"#, limits).await }
    });
    let short = CallLimits { tool_timeout: Duration::from_millis(500), ..limits };
    tokio::time::sleep(lease * 10).await;
    assert_eq!(code(&bench.call_within("act", r#"{"how":"hang"}"#, short).await), "CALL_IN_FLIGHT", "it is renewed");
    *bench.faults.fault.lock().unwrap() = "renew hangs";
    tokio::time::sleep(lease * 2).await;
    assert_eq!(code(&bench.call_within("act", r#"{"how":"hang"}"#, short).await), "OUTCOME_UNKNOWN");
    bench.let_go();
    assert!(first.await.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn a_claim_by_hand_is_kept_however_short_a_lease_was_asked_for() {
    for lease in [Duration::ZERO, Duration::from_nanos(3), Duration::from_micros(999)] {
        let bench = Arc::new(Bench::new());
        let limits = CallLimits { lease, ..patient() };
        let first = tokio::spawn({
            let bench = bench.clone();
            async move { bench.call_within("act", r#"{"how":"hang"}"#, limits).await }
        });
        tokio::time::sleep(Duration::from_secs(10)).await;
        let short = CallLimits { tool_timeout: Duration::from_millis(500), ..limits };
        assert_eq!(code(&bench.call_within("act", r#"{"how":"hang"}"#, short).await), "CALL_IN_FLIGHT");
        bench.let_go();
        assert!(first.await.unwrap().is_success());
    }
}
