//! Notices a model that goes in circles.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::end::Circuit;
use crate::agent::Limits;
use crate::arguments::Digest;
use crate::dispatch::{Status, ToolResult, code};

/// What a run remembers of mistakes and repetitions.
///
/// *The same mistake* is the same tool, status and code; for validation also the failing places with
/// the values refused, for business errors the arguments, for faults nothing more. It counts once per
/// turn. A success of the tool resets its mistakes, but for those that the same turn made again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Breaker {
    mistakes: Vec<Counted>,
    reads: Vec<Counted>,
    invalid_turns: u32,
}

/// Something that happened in so many turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    tool: String,
    what: String,
    turns: u32,
}

/// A call of the turn, with its result.
pub(super) struct Called<'a> {
    pub(super) result: &'a ToolResult,
    /// The digest of its arguments, where they were valid.
    pub(super) digest: Option<Digest>,
    pub(super) mutating: bool,
}

impl Breaker {
    /// Takes note of a turn; says whether the circuit opens.
    pub(super) fn turn(&mut self, turn: &[Called<'_>], limits: &Limits) -> Option<Circuit> {
        let mistakes = distinct(turn.iter().filter_map(mistake));
        self.forget(turn, &mistakes);
        for (mistake, turns) in count(&mut self.mistakes, &mistakes) {
            if turns >= limits.repeat_errors {
                let code = mistake.code.to_owned();
                return Some(Circuit::RepeatedError { tool: mistake.tool.to_owned(), code, turns });
            }
        }
        let reads = distinct(turn.iter().filter_map(read));
        for (read, turns) in count(&mut self.reads, &reads) {
            if turns >= limits.repeat_reads {
                return Some(Circuit::RepeatedRead { tool: read.tool.to_owned(), turns });
            }
        }
        let invalid = turn.iter().any(|called| is_invalid(called.result));
        self.invalid_turns = if invalid { self.invalid_turns.saturating_add(1) } else { 0 };
        (self.invalid_turns >= limits.invalid_turns).then_some(Circuit::InvalidTurns { turns: self.invalid_turns })
    }

    /// Successes reset what they disprove, but for the mistakes that the turn made again.
    fn forget(&mut self, turn: &[Called<'_>], made: &[Happened<'_>]) {
        let successes = || turn.iter().filter(|called| called.result.is_success());
        let succeeded: HashSet<&str> = successes().map(|called| &*called.result.metadata().tool_name).collect();
        let made: HashSet<_> = made.iter().map(|mistake| (mistake.tool, &*mistake.what)).collect();
        self.mistakes.retain(|kept| !succeeded.contains(&*kept.tool) || made.contains(&(&*kept.tool, &*kept.what)));
        if successes().any(|called| called.mutating && !called.result.metadata().replayed) {
            // The world has changed; a read may well be made again.
            self.reads.clear();
        }
    }
}

/// Something to be counted once per turn.
struct Happened<'a> {
    tool: &'a str,
    code: &'a str,
    what: String,
}

fn mistake<'a>(called: &Called<'a>) -> Option<Happened<'a>> {
    let error = called.result.error_body()?;
    let what = match (called.result.status(), error.code.as_str()) {
        (Status::ValidationError, code::SCHEMA_VALIDATION_FAILED) => places(error.details.as_ref()),
        (Status::BusinessError, _) => called.digest.map(|digest| digest.to_string()).unwrap_or_default(),
        (
            Status::FatalError | Status::ValidationError,
            code::UNKNOWN_TOOL
            | code::MALFORMED_JSON
            | code::TOOL_TIMEOUT
            | code::TOOL_PANICKED
            | code::INTERNAL_EXECUTION_FAILURE
            | code::CALL_IN_FLIGHT
            | code::STORE_UNAVAILABLE
            | code::AUDIT_UNAVAILABLE,
        ) => String::new(),
        _ => return None,
    };
    let what = format!("{} {} {what}", called.result.status().as_str(), error.code);
    Some(Happened { tool: &called.result.metadata().tool_name, code: &error.code, what })
}

/// The failing places with the values refused.
fn places(details: Option<&serde_json::Value>) -> String {
    let problems = details.and_then(|details| details.get("problems")).and_then(|problems| problems.as_array());
    let mut places: Vec<_> =
        problems.into_iter().flatten().map(|problem| format!("{}={}", problem["pointer"], problem["got"])).collect();
    places.sort_unstable();
    places.join(" ")
}

fn read<'a>(called: &Called<'a>) -> Option<Happened<'a>> {
    let digest = called.digest.filter(|_| called.result.is_success() && !called.mutating)?;
    Some(Happened { tool: &called.result.metadata().tool_name, code: "", what: digest.to_string() })
}

fn is_invalid(result: &ToolResult) -> bool {
    let arguments = result.status() == Status::ValidationError && result.code() != Some(code::ANSWER_REJECTED);
    arguments || result.is(Status::FatalError, code::UNKNOWN_TOOL)
}

fn distinct<'a>(happened: impl Iterator<Item = Happened<'a>>) -> Vec<Happened<'a>> {
    let mut seen = HashSet::new();
    happened.filter(|one| seen.insert((one.tool, one.what.clone()))).collect()
}

/// Counts each once more, and says in how many turns it has happened.
fn count<'h, 'a>(counted: &mut Vec<Counted>, happened: &'h [Happened<'a>]) -> Vec<(&'h Happened<'a>, u32)> {
    let places: HashMap<_, _> =
        counted.iter().enumerate().map(|(place, kept)| ((kept.tool.clone(), kept.what.clone()), place)).collect();
    let mut turns = Vec::with_capacity(happened.len());
    for one in happened {
        let (tool, what) = (one.tool.to_owned(), one.what.clone());
        match places.get(&(tool.clone(), what.clone())).and_then(|place| counted.get_mut(*place)) {
            Some(kept) => {
                kept.turns = kept.turns.saturating_add(1);
                turns.push((one, kept.turns));
            }
            None => {
                counted.push(Counted { tool, what, turns: 1 });
                turns.push((one, 1));
            }
        }
    }
    turns
}
