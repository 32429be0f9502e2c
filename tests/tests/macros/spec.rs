//! What `#[tool(..)]` says, as `ToolSpec`.

use std::time::Duration;

use agent_core::{BusinessError, Duplicates, Effect, Tool, profile, tool};

/// Looks up an order.
///
/// By its number.
#[tool]
async fn look_up() {}

async fn find(_: u64) -> Result<Option<u64>, BusinessError> {
    Ok(None)
}

/// Records an invoice.
#[tool(
    name = "record-invoice",
    mutating,
    permission = "billing:write",
    timeout = "1500ms",
    approval,
    max_calls = 3,
    keyed,
    retries = 2,
    reconcile = find,
    providers(profile::OPENAI, profile::ANTHROPIC),
    strict = false
)]
async fn record(
    /// The amount.
    amount: u64,
) -> u64 {
    amount
}

/// Cancels.
#[tool(mutating, unrestricted, duplicates = "allow", timeout = "2m")]
async fn cancel() {}

#[test]
fn a_tool_that_says_nothing_reads_and_has_the_functions_name() {
    let spec = look_up::SPEC;
    assert_eq!(spec.name, "look_up");
    assert_eq!(spec.description, "Looks up an order.\n\nBy its number.");
    assert_eq!(spec.effect, Effect::Read);
    assert_eq!((spec.permission, spec.timeout, spec.max_calls), (None, None, None));
    assert_eq!((spec.approval, spec.retries, spec.strict), (false, 0, true));
    let profiles: Vec<&str> = spec.profiles.iter().map(|profile| profile.name).collect();
    assert_eq!(profiles, ["OpenAI"]);
}

#[test]
fn each_word_is_in_the_spec() {
    let spec = record::SPEC;
    assert_eq!(spec.name, "record-invoice");
    assert_eq!(spec.permission, Some("billing:write"));
    assert_eq!(spec.timeout, Some(Duration::from_millis(1500)));
    assert_eq!((spec.approval, spec.max_calls, spec.retries, spec.strict), (true, Some(3), 2, false));
    assert_eq!(spec.effect, Effect::Mutating { duplicates: Duplicates::Replay, keyed: true, reconciles: true });
    let profiles: Vec<&str> = spec.profiles.iter().map(|profile| profile.name).collect();
    assert_eq!(profiles, ["OpenAI", "Anthropic"]);
}

#[test]
fn duplicates_may_be_allowed() {
    let spec = cancel::SPEC;
    assert_eq!(spec.effect, Effect::Mutating { duplicates: Duplicates::Allow, keyed: false, reconciles: false });
    assert_eq!((spec.permission, spec.timeout), (None, Some(Duration::from_secs(120))));
}
