//! Each bound of a run, and what it ends with.

use std::time::Duration;

use agent_core::model::{Finish, ModelError, ModelErrorKind, Reply, ToolCall, Usage};
use agent_core::run::{Circuit, StepRecord};
use agent_core::testing::{FunctionModel, ScriptedModel};
use agent_core::{
    Agent, CostLimit, LimitKind, Limits, OnDenied, OnLimit, Prices, RunError, RunErrorKind, SecurityContext, tools,
};

use crate::world::{App, act, add, look, writer};

fn call(tool: &str, arguments: &str) -> Reply {
    Reply::calls([ToolCall::new("", tool, arguments)])
}

fn look_at(how: &str, n: i64) -> Reply {
    call("look", &format!(r#"{{"how":"{how}","n":{n}}}"#))
}

fn scripted(replies: impl IntoIterator<Item = Reply>) -> Agent<App> {
    agent(ScriptedModel::new(replies), |builder| builder)
}

type Tools = ((), agent_core::Tools<((look, act, add),)>);
type Builder = agent_core::Builder<App, Tools>;

fn agent(model: impl agent_core::model::Model + 'static, with: impl FnOnce(Builder) -> Builder) -> Agent<App> {
    let builder = Agent::builder(model).tools(tools![look, act, add]).state(App::default());
    with(builder).build().unwrap()
}

async fn fails(agent: &Agent<App>, limits: Limits) -> RunError {
    agent.run("Go.").caller(writer()).limits(limits).await.expect_err("the run has no answer")
}

fn codes(error: &RunError) -> Vec<String> {
    let tools = error.record().steps.iter().filter_map(|step| match step {
        StepRecord::Tool(tool) => Some(tool.code.clone().unwrap_or("success".to_owned())),
        _ => None,
    });
    tools.collect()
}

#[tokio::test]
async fn a_model_that_never_stops_calling_ends_at_its_last_cycle_and_those_calls_do_not_run() {
    let asked = std::sync::atomic::AtomicI64::new(0);
    let model = FunctionModel::new(move |_| Ok(look_at("ok", asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst))));
    let agent = agent(model, |builder| builder);
    let error = fails(&agent, Limits::default().max_cycles(3)).await;
    assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 3 });
    assert_eq!(codes(&error), ["success", "success", "NOT_RUN"]);
    assert!(error.to_string().contains("`Limits::max_cycles`"), "{error}");
}

#[tokio::test]
async fn a_model_that_repeats_one_error_opens_the_circuit_at_the_second_turn_and_is_asked_for_closing_words() {
    for reply in [look_at("fatal", 0), look_at("business", 0), call("look", r#"{"how":7}"#), call("lok", "{}")] {
        let agent = scripted([reply.clone(), reply, Reply::text("It does not work.")]);
        let error = fails(&agent, Limits::default()).await;
        let RunErrorKind::CircuitOpen(Circuit::RepeatedError { turns: 2, .. }) = error.kind() else {
            panic!("{error:?}")
        };
        assert_eq!(error.text(), Some("It does not work."));
    }
}

#[tokio::test]
async fn another_value_in_the_same_wrong_place_is_another_mistake() {
    let agent = scripted([
        call("look", r#"{"how":7}"#),
        call("look", r#"{"how":8}"#),
        call("look", r#"{"how":9}"#),
        Reply::text("I give up."),
    ]);
    assert_eq!(agent.run("Go.").await.unwrap().text(), "I give up.");
}

#[tokio::test]
async fn the_same_mistake_twice_in_one_turn_counts_once() {
    let twice = Reply::calls([ToolCall::new("a", "look", r#"{"how":7}"#), ToolCall::new("b", "look", r#"{"how":7}"#)]);
    let agent = scripted([twice, Reply::text("I see.")]);
    assert_eq!(agent.run("Go.").await.unwrap().text(), "I see.");
}

#[tokio::test]
async fn a_success_of_the_tool_resets_its_mistakes() {
    let agent = scripted([look_at("business", 0), look_at("ok", 0), look_at("business", 0), Reply::text("Well.")]);
    assert_eq!(agent.run("Go.").await.unwrap().text(), "Well.");
}

#[tokio::test]
async fn invalid_calls_in_four_turns_in_a_row_open_the_circuit_though_each_differs() {
    let replies = (0..5).map(|n| call("look", &format!(r#"{{"how":{n}}}"#)));
    let error = fails(&scripted(replies), Limits::default()).await;
    assert_eq!(error.kind(), &RunErrorKind::CircuitOpen(Circuit::InvalidTurns { turns: 4 }));
}

#[tokio::test]
async fn the_same_successful_read_in_three_turns_opens_the_circuit() {
    let replies = [look_at("ok", 1), look_at("ok", 1), look_at("ok", 1), Reply::text("Round and round.")];
    let error = fails(&scripted(replies), Limits::default()).await;
    let expected = Circuit::RepeatedRead { tool: "look".to_owned(), turns: 3 };
    assert_eq!(error.kind(), &RunErrorKind::CircuitOpen(expected));
}

#[tokio::test]
async fn an_effect_between_two_reads_makes_the_second_a_new_one() {
    let replies = [
        look_at("ok", 1),
        look_at("ok", 1),
        call("act", r#"{"how":"ok"}"#),
        look_at("ok", 1),
        Reply::text("It changed."),
    ];
    assert!(scripted(replies).run("Go.").caller(writer()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn two_hundred_calls_at_once_run_up_to_the_limit_of_a_turn() {
    let calls = (0..200).map(|n| ToolCall::new("same", "look", format!(r#"{{"how":"slow","n":{n}}}"#)));
    let agent = scripted([Reply::calls(calls), Reply::text("Enough.")]);
    let answer = agent.run("Go.").await.unwrap();
    let ran = answer.record().steps.iter().filter(|step| matches!(step, StepRecord::Tool(tool) if tool.attempts == 1));
    assert_eq!(ran.count(), 16);
    assert_eq!(agent.state().world.most_reading.load(std::sync::atomic::Ordering::SeqCst), 8);
}

#[tokio::test]
async fn the_same_effect_in_two_number_spellings_in_one_turn_happens_once() {
    let calls =
        [ToolCall::new("a", "act", r#"{"how":"ok","n":1500}"#), ToolCall::new("b", "act", r#"{"n":1.5e3,"how":"ok"}"#)];
    let agent = scripted([Reply::calls(calls), Reply::text("Once.")]);
    let answer = agent.run("Go.").caller(writer()).await.unwrap();
    assert_eq!(agent.state().world.effects(), 1);
    assert!(matches!(&answer.record().steps[2], StepRecord::Tool(tool) if tool.replayed));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_ends_with_the_runs_time() {
    struct Silent;
    #[async_trait::async_trait]
    impl agent_core::model::Model for Silent {
        fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
            &[&agent_core::profile::OPENAI]
        }
        fn name(&self) -> &str {
            "silent"
        }
        async fn reply(&self, _: agent_core::model::Request<'_>) -> Result<Reply, ModelError> {
            std::future::pending().await
        }
    }
    let error = fails(&agent(Silent, |builder| builder), Limits::default()).await;
    assert_eq!(error.kind(), &RunErrorKind::Timeout { limit: Duration::from_secs(30) });
    assert_eq!(error.record().elapsed, Duration::from_secs(30));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_blocks_its_thread_cannot_stop_the_deadline() {
    use std::sync::mpsc;
    struct Blocker {
        wait: std::sync::Mutex<mpsc::Receiver<()>>,
    }
    /// Blocks.
    #[agent_core::tool]
    async fn block(blocker: &Blocker) {
        let _ = blocker.wait.lock().unwrap().recv();
    }
    let (release, wait) = mpsc::channel();
    let model = ScriptedModel::new([call("block", "{}"), Reply::text("never said")]);
    let agent = Agent::builder(model)
        .tools(tools![block])
        .state(Blocker { wait: std::sync::Mutex::new(wait) })
        .build()
        .unwrap();
    let limits = Limits::default().timeout(Duration::from_millis(100));
    let error = agent.run("Go.").limits(limits.clone()).await.expect_err("the run has no answer");
    assert_eq!(error.kind(), &RunErrorKind::Timeout { limit: limits.timeout });
    assert_eq!(codes(&error), ["TOOL_TIMEOUT"]);
    // The tool is still on its thread: the run ended all the same.
    release.send(()).unwrap();
}

#[tokio::test]
async fn tokens_over_the_budget_end_the_run_and_the_calls_of_that_reply_do_not_run() {
    let agent = scripted([look_at("ok", 0).usage(Usage::new(90, 20))]);
    let error = fails(&agent, Limits::default().max_tokens(Some(100))).await;
    assert_eq!(error.kind(), &RunErrorKind::TokenBudget { limit: 100, used: 110 });
    assert_eq!(codes(&error), ["NOT_RUN"]);
}

#[tokio::test]
async fn tokens_are_estimated_where_the_server_sends_no_usage() {
    let error = fails(&scripted([look_at("ok", 0)]), Limits::default().max_tokens(Some(10))).await;
    assert!(matches!(error.kind(), RunErrorKind::TokenBudget { limit: 10, used } if *used > 10), "{error:?}");
    assert!(error.record().usage_estimated);
}

#[tokio::test]
async fn a_cost_over_the_budget_ends_the_run() {
    let agent = scripted([look_at("ok", 0).usage(Usage::new(1_000_000, 0))]);
    let prices = Prices::new(2.0, 8.0).cached_input(1.0);
    let error = fails(&agent, Limits::default().max_cost(Some(CostLimit { most: 1.5, prices }))).await;
    assert_eq!(error.kind(), &RunErrorKind::CostBudget { limit: 1.5, used: 2.0 });
}

#[tokio::test]
async fn an_answer_that_goes_over_the_budget_is_still_an_answer() {
    let agent = scripted([Reply::text("Here.").usage(Usage::new(90, 20))]);
    let answer = agent.run("Go.").limits(Limits::default().max_tokens(Some(100))).await.unwrap();
    assert_eq!(answer.text(), "Here.");
}

#[tokio::test]
async fn ends_of_the_model_that_are_no_answer_have_a_kind_of_their_own() {
    let mut refusal = Reply::text("");
    refusal.refusal = Some("No.".to_owned());
    let rows = [
        (refusal, RunErrorKind::Refused { refusal: "No.".to_owned() }),
        (Reply::text("cut he").finish(Finish::Length), RunErrorKind::Truncated),
        (Reply::text("..").finish(Finish::ContentFilter), RunErrorKind::ContentFiltered),
        (look_at("ok", 0).finish(Finish::Length), RunErrorKind::Truncated),
    ];
    for (reply, kind) in rows {
        let error = fails(&scripted([reply]), Limits::default()).await;
        assert_eq!(error.kind(), &kind);
        assert!(codes(&error).iter().all(|code| code == "NOT_RUN"), "calls of a cut reply never run");
    }
}

#[tokio::test]
async fn an_empty_reply_is_asked_for_once_more_and_then_ends_the_run() {
    let agent = scripted([Reply::text(" "), Reply::text("Sorry, here.")]);
    let answer = agent.run("Go.").await.unwrap();
    assert_eq!((answer.text(), answer.record().cycles), ("Sorry, here.", 1));
    let error = fails(&scripted([Reply::text(""), Reply::text("")]), Limits::default()).await;
    assert_eq!(error.kind(), &RunErrorKind::EmptyReply { extra_calls: None });
}

#[tokio::test]
async fn a_model_that_fails_ends_the_run_with_its_error_as_the_source() {
    let failure = ModelError::new(ModelErrorKind::Auth, "the key is wrong").status(Some(401));
    let agent = agent(ScriptedModel::with_errors([Err(failure)]), |builder| builder);
    let error = fails(&agent, Limits::default()).await;
    assert!(matches!(error.kind(), RunErrorKind::ModelFailed(failure) if failure.kind == ModelErrorKind::Auth));
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "auth: the key is wrong (HTTP 401)");
}

#[tokio::test]
async fn a_host_chooses_closing_words_or_none_for_each_bound() {
    let closing = || [look_at("ok", 0), Reply::text("Out of turns.")];
    let model = ScriptedModel::new(closing());
    let concluding = agent(model, |builder| builder.on_limit(LimitKind::MaxCycles, OnLimit::Conclude));
    let error = fails(&concluding, Limits::default().max_cycles(1)).await;
    assert_eq!((error.kind(), error.text()), (&RunErrorKind::MaxCycles { limit: 1 }, Some("Out of turns.")));

    let stopping = scripted(closing());
    let error = fails(&stopping, Limits::default().max_cycles(1)).await;
    assert_eq!((error.kind(), error.text()), (&RunErrorKind::MaxCycles { limit: 1 }, None));
}

#[tokio::test]
async fn a_denied_call_stops_concludes_or_goes_on_as_the_host_says() {
    let replies = || {
        let calls = [ToolCall::new("a", "look", r#"{"how":"ok"}"#), ToolCall::new("b", "act", r#"{"how":"ok"}"#)];
        [Reply::calls(calls), Reply::text("You may not.")]
    };
    for (then, expected) in [
        (OnDenied::Conclude, Err(Some("You may not."))),
        (OnDenied::Stop, Err(None)),
        (OnDenied::Continue, Ok("You may not.")),
    ] {
        let agent = agent(ScriptedModel::new(replies()), |builder| builder.on_denied(then));
        let ended = agent.run("Go.").caller(SecurityContext::new("v", "t")).await;
        let seen = match &ended {
            Ok(answer) => Ok(answer.text()),
            Err(error) => {
                assert!(matches!(error.kind(), RunErrorKind::PermissionDenied { tool } if tool == "act"));
                assert_eq!(codes(error), ["UNAUTHORIZED", "NOT_RUN"]);
                Err(error.text())
            }
        };
        assert_eq!(seen, expected, "{then:?}");
        assert_eq!(agent.state().world.effects(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn mutating_calls_run_alone_and_in_order_between_reads_that_run_together() {
    let calls = [
        ToolCall::new("r1", "look", r#"{"how":"slow","n":1}"#),
        ToolCall::new("r2", "look", r#"{"how":"slow","n":2}"#),
        ToolCall::new("w1", "act", r#"{"how":"slow","n":1}"#),
        ToolCall::new("w2", "act", r#"{"how":"slow","n":2}"#),
        ToolCall::new("r3", "look", r#"{"how":"slow","n":3}"#),
    ];
    let agent = scripted([Reply::calls(calls), Reply::text("Done.")]);
    let answer = agent.run("Go.").caller(writer()).await.unwrap();
    assert_eq!(agent.state().world.order(), [1, 2]);
    // Two reads together, then each mutating call, then the last read: four times 100 ms.
    assert_eq!(answer.record().elapsed, Duration::from_millis(400));
    assert_eq!(agent.state().world.most_reading.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_limit_of_zero_is_an_error_before_anything_is_asked() {
    let error = fails(&scripted([]), Limits::default().max_cycles(0)).await;
    assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains("max_cycles")));
    let builder = Agent::builder(ScriptedModel::new([])).limits(Limits::default().grace(Duration::ZERO));
    assert!(builder.build().unwrap_err().to_string().contains("`grace`"));
}

/// Looks once.
#[agent_core::tool(max_calls = 1)]
async fn peek(
    /// Which.
    n: u32,
) -> u32 {
    n
}

#[tokio::test]
async fn a_tool_with_a_limit_of_its_own_is_refused_beyond_it_and_the_run_goes_on() {
    let peeks = |n| call("peek", &format!(r#"{{"n":{n}}}"#));
    let model = ScriptedModel::new([peeks(1), peeks(2), Reply::text("One will do.")]);
    let agent = Agent::builder(model).tools(tools![peek]).build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    let codes: Vec<_> = answer
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => Some(tool.code.as_deref()),
            _ => None,
        })
        .collect();
    assert_eq!(codes, [None, Some("LIMIT_REACHED")]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_does_not_outlive_the_time_of_its_run() {
    let agent = scripted([look_at("hang", 0)]);
    let error = fails(&agent, Limits::default().timeout(Duration::from_secs(2))).await;
    assert_eq!(error.kind(), &RunErrorKind::Timeout { limit: Duration::from_secs(2) });
    assert_eq!(error.record().elapsed, Duration::from_secs(2));
    assert_eq!(codes(&error), ["TOOL_TIMEOUT"]);
}

#[tokio::test(start_paused = true)]
async fn a_streamed_run_has_the_same_bounds() {
    use futures_util::StreamExt;
    for (replies, limits) in [
        (vec![look_at("ok", 1), look_at("ok", 2)], Limits::default().max_cycles(2)),
        (vec![look_at("hang", 0)], Limits::default().timeout(Duration::from_secs(2))),
        (vec![look_at("ok", 0).usage(Usage::new(90, 20))], Limits::default().max_tokens(Some(100))),
        (vec![look_at("fatal", 0), look_at("fatal", 0), Reply::text("No.")], Limits::default()),
    ] {
        let plain = fails(&scripted(replies.clone()), limits.clone()).await;
        let agent = scripted(replies);
        let events: Vec<_> = agent.run("Go.").caller(writer()).limits(limits).events().collect().await;
        let Some(agent_core::RunEvent::Finished(Err(streamed))) = events.last() else { panic!("{events:?}") };
        assert_eq!(streamed.kind(), plain.kind());
        assert_eq!(codes(streamed), codes(&plain));
    }
}

#[tokio::test]
async fn a_tools_own_code_that_reads_like_one_of_ours_is_a_business_error() {
    /// Fails with a code of its own.
    #[agent_core::tool]
    async fn mimic(
        /// The code.
        code: String,
    ) -> Result<(), agent_core::BusinessError> {
        Err(agent_core::BusinessError::new(code, "a rule of ours"))
    }
    for code in ["UNAUTHORIZED", "OUTCOME_UNKNOWN", "KEY_CONFLICT", "NOT_RUN", "UNKNOWN_TOOL"] {
        let model = ScriptedModel::new([call("mimic", &format!(r#"{{"code":"{code}"}}"#)), Reply::text("Well.")]);
        let agent = Agent::builder(model).tools(tools![mimic]).build().unwrap();
        assert_eq!(agent.run("Go.").await.unwrap().text(), "Well.", "{code}");
    }
}

#[tokio::test]
async fn an_answer_by_the_finish_tool_counts_though_it_goes_over_the_budget() {
    #[derive(serde::Deserialize, agent_core::ToolSchema)]
    struct Done {
        /// Whether.
        #[expect(dead_code, reason = "only that it can be read matters")]
        ok: bool,
    }
    let finish = Reply::calls([ToolCall::new("f", "finish", r#"{"ok":true}"#)]).usage(Usage::new(90, 20));
    let run = scripted([finish]).run("Go.").limits(Limits::default().max_tokens(Some(100))).answer::<Done>().await;
    assert!(run.is_ok());
}

#[tokio::test]
async fn a_spent_budget_asks_for_nothing_more() {
    let limits = || Limits::default().max_tokens(Some(100));
    let empty = scripted([Reply::text("").usage(Usage::new(200, 1)), Reply::text("Late.")]);
    assert!(matches!(fails(&empty, limits()).await.kind(), RunErrorKind::TokenBudget { used: 201, .. }));
    let refused = scripted([Reply::text("Here.").usage(Usage::new(200, 1)), Reply::text("Late.")]);
    let run = refused.run("Go.").limits(limits()).check_answer(|(): &(), _: &str| Err("no.".to_owned()));
    assert!(matches!(run.await.unwrap_err().kind(), RunErrorKind::TokenBudget { used: 201, .. }));
}

#[tokio::test]
async fn a_limit_under_which_no_effect_could_ever_begin_is_an_error() {
    let error = fails(&scripted([]), Limits::default().timeout(Duration::from_secs(1))).await;
    assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains("min_effect_time")), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_at_the_last_moment_counts() {
    struct Late(Reply);
    #[async_trait::async_trait]
    impl agent_core::model::Model for Late {
        fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
            &[&agent_core::profile::OPENAI]
        }
        fn name(&self) -> &str {
            "late"
        }
        async fn reply(&self, _: agent_core::model::Request<'_>) -> Result<Reply, ModelError> {
            tokio::time::sleep(Duration::from_secs(30)).await;
            Ok(self.0.clone())
        }
    }
    let late = |reply| agent(Late(reply), |builder| builder);
    let text = || Reply::text("Just in time.");
    let typed = |n: usize| Reply::calls((0..n).map(|n| ToolCall::new(format!("f{n}"), "finish", r#"{"answer":7}"#)));
    assert_eq!(late(text()).run("Go.").await.unwrap().text(), "Just in time.");
    let checked = late(text()).run("Go.").check_answer(|(): &(), _: &str| Ok(())).await;
    assert_eq!(checked.unwrap().text(), "Just in time.");
    for finishes in [1, 2] {
        assert_eq!(late(typed(finishes)).run("Go.").answer::<u32>().await.unwrap().into_value(), 7);
        let run = late(typed(finishes)).run("Go.").answer::<u32>();
        assert_eq!(run.check_answer(|_: &u32, _: &str| Ok(())).await.unwrap().into_value(), 7);
    }

    // Nothing is asked for again, and nothing more is begun.
    let timeout = RunErrorKind::Timeout { limit: Duration::from_secs(30) };
    let refused = late(text()).run("Go.").check_answer(|(): &(), _: &str| Err("no".to_owned())).await;
    assert_eq!(refused.unwrap_err().kind(), &timeout);
    let wrong = Reply::calls([ToolCall::new("f", "finish", r#"{"answer":"?"}"#)]);
    assert_eq!(late(wrong).run("Go.").answer::<u32>().await.unwrap_err().kind(), &timeout);
    let mut beside = typed(1);
    beside.calls.push(ToolCall::new("l", "look", r#"{"how":"ok"}"#));
    let error = late(beside).run("Go.").answer::<u32>().await.unwrap_err();
    assert_eq!(error.kind(), &timeout);
    assert!(codes(&error).iter().all(|code| code == "NOT_RUN"), "{:?}", codes(&error));
}

#[tokio::test]
async fn a_reply_with_more_calls_than_any_turn_needs_is_refused_as_a_whole() {
    let calls = |n: usize| Reply::calls((0..n).map(|n| ToolCall::new(format!("c{n}"), "look", r#"{"how":7}"#)));
    let error = fails(&scripted([calls(10_000)]), Limits::default()).await;
    let RunErrorKind::ModelFailed(failure) = error.kind() else { panic!("{error:?}") };
    assert_eq!(failure.kind, ModelErrorKind::MalformedResponse);
    assert!(failure.message.contains("10000 calls") && failure.message.contains("1024"), "{}", failure.message);
    assert_eq!(codes(&error), [""; 0], "nothing of it was run");
    assert_eq!(error.record().messages.len(), 1, "nor kept");

    let many = scripted([calls(1_024), Reply::text("Well.")]);
    let answer = many.run("Go.").await.unwrap();
    assert_eq!(answer.record().messages.len(), 1 + 1 + 1_024 + 1);
    let generous = Limits::default().max_tool_calls_per_turn(2_000);
    let answer = scripted([calls(2_000), Reply::text("Well.")]).run("Go.").limits(generous).await.unwrap();
    assert_eq!(answer.record().messages.len(), 1 + 1 + 2_000 + 1);
}

#[tokio::test]
async fn an_amount_that_is_no_number_is_refused_and_a_sum_beyond_all_numbers_can_be_saved() {
    let prices = |input| Prices::new(input, 0.0).cached_input(0.0);
    for cost in [
        CostLimit { most: f64::INFINITY, prices: prices(1.0) },
        CostLimit { most: 1.0, prices: prices(f64::INFINITY) },
        CostLimit { most: 1.0, prices: prices(f64::NAN) },
    ] {
        let error = fails(&scripted([]), Limits::default().max_cost(Some(cost))).await;
        assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains("max_cost")), "{error:?}");
    }
    let cost = CostLimit { most: 1.0, prices: prices(f64::MAX) };
    let agent = scripted([look_at("ok", 0).usage(Usage::new(90_000_000, 20))]);
    let error = fails(&agent, Limits::default().max_cost(Some(cost))).await;
    let saved = serde_json::to_string(error.kind()).unwrap();
    assert_eq!(serde_json::from_str::<RunErrorKind>(&saved).unwrap(), *error.kind(), "{saved}");
    assert!(matches!(error.kind(), RunErrorKind::CostBudget { used, .. } if *used == f64::MAX), "{error:?}");
}

#[tokio::test]
async fn a_usage_of_nothing_is_none_and_is_estimated() {
    let agent = scripted([Reply::text("Well.").usage(Usage::new(0, 0))]);
    let answer = agent.run("Go.").await.unwrap();
    assert!(answer.record().usage_estimated && answer.record().usage.total() > 0, "{:?}", answer.record().usage);
}

/// Says what it is told to, and keeps the last message and the choice of each request.
#[derive(Clone)]
struct Asked {
    script: ScriptedModel,
    asked: std::sync::Arc<std::sync::Mutex<Vec<(String, String)>>>,
}

impl Asked {
    fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { script: ScriptedModel::new(replies), asked: std::sync::Arc::default() }
    }

    fn last(&self) -> (String, String) {
        self.asked.lock().unwrap().last().cloned().unwrap()
    }
}

#[async_trait::async_trait]
impl agent_core::model::Model for Asked {
    fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
        self.script.profiles()
    }
    fn name(&self) -> &str {
        "asked"
    }
    async fn reply(&self, request: agent_core::model::Request<'_>) -> Result<Reply, ModelError> {
        let last = serde_json::to_string(request.messages.last().unwrap().body()).unwrap();
        self.asked.lock().unwrap().push((last, format!("{:?}", request.tool_choice)));
        self.script.reply(request).await
    }
}

#[tokio::test]
async fn a_closing_request_names_the_boundary_and_calls_in_its_reply_do_not_run() {
    let prices = Prices::new(2.0, 8.0);
    let cost = Some(CostLimit { most: 1.5, prices });
    let invalid = |n| call("look", &format!(r#"{{"how":{n}}}"#));
    let spent = || look_at("ok", 0).usage(Usage::new(1_000_000, 0));
    let three = Reply::calls((0..3).map(|n| ToolCall::new("", "look", format!(r#"{{"how":"ok","n":{n}}}"#))));
    let same_mistake = "the same mistake with `look` (INTERNAL_EXECUTION_FAILURE) was made in 2 turns";
    let default = Limits::default;
    let rows: [(LimitKind, Vec<Reply>, Limits, &str); 7] = [
        (LimitKind::MaxCycles, vec![look_at("ok", 0)], default().max_cycles(1), "all 1 turns are used"),
        (LimitKind::MaxToolCalls, vec![three], default().max_tool_calls(1), "all 1 calls of tools are used"),
        (LimitKind::TokenBudget, vec![spent()], default().max_tokens(Some(9)), "the budget of 9 tokens is spent"),
        (LimitKind::CostBudget, vec![spent()], default().max_cost(cost), "the budget of 1.5 for its cost is spent"),
        (LimitKind::CircuitOpen, vec![look_at("fatal", 0); 2], default(), same_mistake),
        (LimitKind::CircuitOpen, vec![look_at("ok", 0); 3], default(), "the same call of `look` was made in 3 turns"),
        (LimitKind::CircuitOpen, (1..5).map(invalid).collect(), default(), "calls were invalid in 4 turns in a row"),
    ];
    let mut closing = call("act", r#"{"how":"ok"}"#);
    closing.text = Some("Sorry.".to_owned());
    for (kind, replies, limits, boundary) in rows {
        let model = Asked::new(replies.into_iter().chain([closing.clone()]));
        let agent = agent(model.clone(), |builder| builder.on_limit(kind, OnLimit::Conclude));
        let error = fails(&agent, limits).await;
        assert_eq!(error.text(), Some("Sorry."), "{boundary}: {error:?}");
        let (last, choice) = model.last();
        assert!(last.contains(boundary), "{last}");
        assert!(last.contains("Tell the person what was done, what was not"), "{last}");
        assert_eq!(choice, "None");
        assert_eq!(agent.state().world.entered(), 0, "a call in a closing reply does not run");
        let kept = serde_json::to_string(&error.record().messages).unwrap();
        assert!(!kept.contains("This is the end"), "the request is kept nowhere: {kept}");
        model.script.finish().unwrap();
    }
    let model = Asked::new([call("act", r#"{"how":"ok"}"#), closing]);
    let denied = agent(model.clone(), |builder| builder).run("Go.").await.unwrap_err();
    assert_eq!(denied.text(), Some("Sorry."));
    assert!(model.last().0.contains("the person may not use the tool `act`"), "{:?}", model.last());
}

#[tokio::test(start_paused = true)]
async fn each_bound_says_its_limit_what_was_used_and_the_setting_that_changes_it_on_both_paths() {
    use futures_util::StreamExt;
    let prices = Prices::new(2.0, 8.0);
    let spent = || vec![look_at("ok", 0).usage(Usage::new(1_000_000, 0))];
    let cost = Some(CostLimit { most: 1.5, prices });
    let three = || vec![Reply::calls((0..3).map(|n| ToolCall::new("", "look", format!(r#"{{"how":"ok","n":{n}}}"#))))];
    let invalid = |n| call("look", &format!(r#"{{"how":{n}}}"#));
    let says = |texts: &[&str]| texts.iter().map(|text| Reply::text(*text)).collect::<Vec<_>>();
    let default = Limits::default;
    type Row = (Vec<Reply>, Limits, bool, &'static [&'static str], &'static str);
    let rows: [Row; 11] = [
        (vec![look_at("ok", 0)], default().max_cycles(1), false, &["1 turns"], "max_cycles"),
        (vec![look_at("hang", 0)], default().timeout(Duration::from_secs(2)), false, &["2s"], "timeout"),
        (three(), default().max_tool_calls(1), false, &["3 calls", "the 1 "], "max_tool_calls"),
        (spent(), default().max_tokens(Some(9)), false, &["1000000 tokens", "the 9 "], "max_tokens"),
        (spent(), default().max_cost(cost), false, &["2.0", "1.5"], "max_cost"),
        (vec![look_at("fatal", 0); 2], default(), false, &["2 turns"], "repeat_errors"),
        (vec![look_at("ok", 0); 3], default(), false, &["3 turns"], "repeat_reads"),
        ((1..5).map(invalid).collect(), default(), false, &["4 turns"], "invalid_turns"),
        (says(&["1", "2", "3", "4", "5"]), default(), true, &["no. Then", "4 extra"], "max_extra_calls"),
        (says(&["1", ""]), default().max_extra_calls(1), true, &["said nothing", "1 extra"], "max_extra_calls"),
        (says(&["1", "2"]), default().max_extra_calls(1), true, &["1 extra"], "max_extra_calls"),
    ];
    for (replies, limits, refuses, values, setting) in rows {
        let run = || {
            let model = ScriptedModel::new(replies.clone());
            let agent = agent(model, |builder| builder.on_limit(LimitKind::CircuitOpen, OnLimit::Stop));
            let run = agent.run("Go.").caller(writer()).limits(limits.clone());
            match refuses {
                true => run.check_answer(|(): &(), _: &str| Err("no".to_owned())),
                false => run,
            }
        };
        let plain = run().await.unwrap_err();
        let events: Vec<_> = run().events().collect().await;
        let Some(agent_core::RunEvent::Finished(Err(streamed))) = events.last() else { panic!("{events:?}") };
        assert_eq!((streamed.kind(), streamed.to_string()), (plain.kind(), plain.to_string()));
        let said = plain.to_string();
        assert!(values.iter().all(|value| said.contains(value)), "{values:?}: {said}");
        assert!(said.contains(&format!("`Limits::{setting}`")), "{setting}: {said}");
    }
}

#[tokio::test]
async fn a_text_that_ends_for_an_unknown_reason_is_no_answer_and_is_kept() {
    let other = || Finish::Other("pause_turn".to_owned());
    let error = fails(&scripted([Reply::text("So far").finish(other())]), Limits::default()).await;
    assert_eq!(error.kind(), &RunErrorKind::Unfinished { reason: "pause_turn".to_owned() });
    assert_eq!(error.text(), Some("So far"));
    assert!(error.to_string().contains("pause_turn"), "{error}");
    let empty = scripted([Reply::text("").finish(other()), Reply::text("Here.")]);
    assert_eq!(empty.run("Go.").await.unwrap().text(), "Here.", "an empty reply is asked for once more");
}

#[tokio::test]
async fn calls_of_a_reply_that_ended_for_an_unknown_reason_do_not_run() {
    let reason = "abort".to_owned();
    let model = scripted([look_at("ok", 0).finish(Finish::Other(reason.clone())), Reply::text("Here.")]);
    let error = fails(&model, Limits::default()).await;
    assert_eq!(error.kind(), &RunErrorKind::Unfinished { reason });
    assert_eq!(codes(&error), ["NOT_RUN"]);
}
