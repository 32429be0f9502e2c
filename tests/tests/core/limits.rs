//! A limit of zero means nothing, and is an error for every limit.

use std::collections::BTreeSet;
use std::time::Duration;

use agent_core::testing::ScriptedModel;
use agent_core::{Agent, CostLimit, Limits, Prices, RunErrorKind};

fn zeros() -> Vec<(&'static str, Limits)> {
    let limits = Limits::default;
    let prices = Prices::new(1.0, 1.0);
    vec![
        ("max_cycles", limits().max_cycles(0)),
        ("max_extra_calls", limits().max_extra_calls(0)),
        ("timeout", limits().timeout(Duration::ZERO)),
        ("max_tool_calls", limits().max_tool_calls(0)),
        ("max_tool_calls_per_turn", limits().max_tool_calls_per_turn(0)),
        ("max_parallel_calls", limits().max_parallel_calls(0)),
        ("tool_timeout", limits().tool_timeout(Duration::ZERO)),
        ("min_effect_time", limits().min_effect_time(Duration::ZERO)),
        ("grace", limits().grace(Duration::ZERO)),
        ("max_tokens", limits().max_tokens(Some(0))),
        ("max_cost", limits().max_cost(Some(CostLimit { most: 0.0, prices }))),
        ("max_result_bytes", limits().max_result_bytes(0)),
        ("repeat_errors", limits().repeat_errors(0)),
        ("repeat_reads", limits().repeat_reads(0)),
        ("invalid_turns", limits().invalid_turns(0)),
        ("lease", limits().lease(Duration::ZERO)),
    ]
}

#[test]
fn the_table_of_zeros_has_every_limit() {
    let fields = serde_json::to_value(Limits::default()).unwrap();
    let fields: BTreeSet<_> = fields.as_object().unwrap().keys().cloned().collect();
    let table: BTreeSet<_> = zeros().into_iter().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(table, fields);
}

#[test]
fn a_lease_too_short_to_be_renewed_by_a_store_is_refused_by_name() {
    let lease = |length| Limits::default().lease(length).check();
    for short in [Duration::from_nanos(3), Duration::from_micros(999), Duration::from_millis(99)] {
        let error = lease(short).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the limit `lease` must be at least 100 ms: a store has a quarter of it for each renewal"
        );
    }
    assert_eq!(lease(Duration::from_millis(100)), Ok(()));
}

#[tokio::test]
async fn a_zero_is_an_error_by_name_for_every_limit_of_an_agent_and_of_a_run() {
    let sets = |text: &str, name: &str| text.contains(&format!("`{name}`"));
    for (name, limits) in zeros() {
        let built = Agent::builder(ScriptedModel::new([])).limits(limits.clone()).build().unwrap_err().to_string();
        assert!(sets(&built, name), "{built}");
        let model = ScriptedModel::new([]);
        let agent = Agent::builder(model.clone()).build().unwrap();
        let error = agent.run("Go.").limits(limits).await.unwrap_err();
        let RunErrorKind::Invalid { what } = error.kind() else { panic!("{name}: {error:?}") };
        assert!(sets(what, name), "{what}");
        assert!(model.seen().is_empty(), "{name}: nothing was asked");
    }
}
