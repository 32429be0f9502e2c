//! Notices a model that goes in circles.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
    mistakes: Counts,
    reads: Counts,
    invalid_turns: u32,
    /// Turns with calls so far.
    #[serde(default)]
    turn: u32,
}

/// By tool, then by what happened. A turn costs as much as it has calls, however much was counted before.
#[derive(Debug, Clone, PartialEq, Default)]
struct Counts(BTreeMap<String, BTreeMap<String, Count>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    turns: u32,
    /// The last of these turns.
    last: u32,
}

/// Something that happened in so many turns, as it is saved.
#[derive(Serialize, Deserialize)]
struct Counted<T> {
    tool: T,
    what: T,
    turns: u32,
    #[serde(default)]
    last: u32,
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
    pub(super) fn turn<'a>(
        &mut self,
        turn: impl Iterator<Item = Called<'a>> + Clone,
        limits: &Limits,
    ) -> Option<Circuit> {
        self.turn = self.turn.wrapping_add(1);
        let this = self.turn;
        let mut opens = None;
        for mistake in turn.clone().filter_map(|called| mistake(&called)) {
            let turns = self.mistakes.count(this, mistake.tool, &mistake.what);
            if let Some(turns) = turns.filter(|turns| opens.is_none() && *turns >= limits.repeat_errors) {
                let (tool, code) = (mistake.tool.to_owned(), mistake.code.to_owned());
                opens = Some(Circuit::RepeatedError { tool, code, turns });
            }
        }
        self.forget(turn.clone().filter(|called| called.result.is_success()));
        if opens.is_some() {
            return opens;
        }
        for (tool, digest) in turn.clone().filter_map(|called| read(&called)) {
            let turns = self.reads.count(this, tool, digest.hex().as_str());
            if let Some(turns) = turns.filter(|turns| opens.is_none() && *turns >= limits.repeat_reads) {
                opens = Some(Circuit::RepeatedRead { tool: tool.to_owned(), turns });
            }
        }
        if opens.is_some() {
            return opens;
        }
        let invalid = turn.map(|called| called.result).any(is_invalid);
        self.invalid_turns = if invalid { self.invalid_turns.saturating_add(1) } else { 0 };
        (self.invalid_turns >= limits.invalid_turns).then_some(Circuit::InvalidTurns { turns: self.invalid_turns })
    }

    /// Successes reset what they disprove, but for the mistakes that the turn made again.
    fn forget<'a>(&mut self, successes: impl Iterator<Item = Called<'a>>) {
        for Called { result, mutating, .. } in successes {
            let tool = &result.metadata().tool_name;
            if let Some(of_tool) = self.mistakes.0.get_mut(tool) {
                of_tool.retain(|_, count| count.last == self.turn);
                if of_tool.is_empty() {
                    self.mistakes.0.remove(tool);
                }
            }
            if mutating && !result.metadata().replayed {
                // The world has changed; a read may well be made again.
                self.reads.0.clear();
            }
        }
    }
}

impl Counts {
    /// Counts it once more and says in how many turns it has happened; nothing where this turn has counted it.
    fn count(&mut self, turn: u32, tool: &str, what: &str) -> Option<u32> {
        if !self.0.contains_key(tool) {
            self.0.insert(tool.to_owned(), BTreeMap::new());
        }
        let of_tool = self.0.get_mut(tool)?;
        let Some(count) = of_tool.get_mut(what) else {
            of_tool.insert(what.to_owned(), Count { turns: 1, last: turn });
            return Some(1);
        };
        if count.last == turn {
            return None;
        }
        *count = Count { turns: count.turns.saturating_add(1), last: turn };
        Some(count.turns)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().flat_map(|(tool, of_tool)| {
            let counted =
                move |(what, count): (_, &Count)| Counted { tool, what, turns: count.turns, last: count.last };
            of_tool.iter().map(counted)
        }))
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = Self::default();
        for Counted { tool, what, turns, last } in Vec::<Counted<String>>::deserialize(deserializer)? {
            counts.0.entry(tool).or_default().insert(what, Count { turns, last });
        }
        Ok(counts)
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

/// A read that succeeded: its tool, and what it was asked.
fn read<'a>(called: &Called<'a>) -> Option<(&'a str, Digest)> {
    let digest = called.digest.filter(|_| called.result.is_success() && !called.mutating)?;
    Some((&called.result.metadata().tool_name, digest))
}

fn is_invalid(result: &ToolResult) -> bool {
    let arguments = result.status() == Status::ValidationError && result.code() != Some(code::ANSWER_REJECTED);
    arguments || result.is(Status::FatalError, code::UNKNOWN_TOOL)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::ToolCall;

    /// A call as the breaker sees it.
    struct Seen {
        result: ToolResult,
        digest: Option<Digest>,
        mutating: bool,
    }

    fn failed(tool: &str, arguments: u8, status: Status, code: &str) -> Seen {
        let result = ToolResult::error(&ToolCall::new("c", tool, "{}"), status, code, "Why.", None);
        Seen { result, digest: Some(Digest::from_bytes([arguments; 32])), mutating: false }
    }

    fn fault(tool: &str, arguments: u8) -> Seen {
        failed(tool, arguments, Status::FatalError, code::INTERNAL_EXECUTION_FAILURE)
    }

    fn business(tool: &str, arguments: u8) -> Seen {
        failed(tool, arguments, Status::BusinessError, "CLOSED")
    }

    fn invalid(places: &[(&str, u8)]) -> Seen {
        let problems: Vec<_> = places.iter().map(|(at, got)| json!({"pointer": at, "got": got})).collect();
        let details = Some(json!({ "problems": problems }));
        let code = code::SCHEMA_VALIDATION_FAILED;
        let call = ToolCall::new("c", "look", "{}");
        let result = ToolResult::error(&call, Status::ValidationError, code, "Why.", details);
        Seen { result, digest: None, mutating: false }
    }

    fn read(tool: &str, arguments: u8) -> Seen {
        let data = serde_json::value::RawValue::from_string("1".to_owned()).unwrap();
        let result = ToolResult::success(&ToolCall::new("c", tool, "{}"), data);
        Seen { result, digest: Some(Digest::from_bytes([arguments; 32])), mutating: false }
    }

    fn write(arguments: u8) -> Seen {
        Seen { mutating: true, ..read("act", arguments) }
    }

    fn replayed(arguments: u8) -> Seen {
        let write = write(arguments);
        Seen { result: write.result.with_replayed(true), ..write }
    }

    /// Makes the turns one after the other; gives the turn in which the circuit opened, from 1, and how.
    fn opens(limits: &Limits, turns: impl IntoIterator<Item = Vec<Seen>>) -> Option<(usize, Circuit)> {
        let mut breaker = Breaker::default();
        turns.into_iter().enumerate().find_map(|(turn, seen)| {
            let called =
                seen.iter().map(|seen| Called { result: &seen.result, digest: seen.digest, mutating: seen.mutating });
            breaker.turn(called, limits).map(|circuit| (turn + 1, circuit))
        })
    }

    fn opens_at(turns: impl IntoIterator<Item = Vec<Seen>>) -> Option<usize> {
        opens(&Limits::default(), turns).map(|(turn, _)| turn)
    }

    #[test]
    fn a_fault_with_other_arguments_is_the_same_mistake() {
        assert_eq!(opens_at([vec![fault("look", 1)], vec![fault("look", 2)]]), Some(2));
        assert_eq!(opens_at([vec![fault("look", 1)], vec![fault("other", 1)]]), None, "of another tool it is another");
    }

    #[test]
    fn a_business_error_with_other_arguments_is_another_mistake() {
        assert_eq!(opens_at([vec![business("look", 1)], vec![business("look", 1)]]), Some(2));
        assert_eq!(opens_at((0..9).map(|n| vec![business("look", n)])), None);
        let other_code = failed("look", 1, Status::BusinessError, "OPEN");
        assert_eq!(opens_at([vec![business("look", 1)], vec![other_code]]), None);
    }

    #[test]
    fn a_mistake_need_not_be_made_in_turns_that_follow_each_other() {
        let turns = [vec![business("look", 1)], vec![read("other", 1)], vec![], vec![business("look", 1)]];
        assert_eq!(opens_at(turns), Some(4));
    }

    #[test]
    fn a_success_of_the_tool_disproves_its_mistakes_but_those_that_the_same_turn_makes_again() {
        let made = || vec![fault("look", 1)];
        assert_eq!(opens_at([made(), vec![read("look", 1)], made()]), None);
        assert_eq!(opens_at([made(), vec![read("other", 1)], made()]), Some(3), "another tool's proves nothing");
        assert_eq!(opens_at([made(), vec![read("look", 1), fault("look", 2)]]), Some(2));
        assert_eq!(opens_at([made(), vec![read("look", 1), business("look", 2)], made()]), None);
    }

    #[test]
    fn the_same_invalid_values_in_the_same_places_are_the_same_mistake_in_whatever_order() {
        let both = || invalid(&[("/a", 1), ("/b", 2)]);
        assert_eq!(opens_at([vec![both()], vec![invalid(&[("/b", 2), ("/a", 1)])]]), Some(2));
        for other in [&[("/a", 1)][..], &[("/a", 1), ("/b", 3)], &[("/a", 1), ("/c", 2)]] {
            assert_eq!(opens_at([vec![both()], vec![invalid(other)]]), None, "{other:?}");
        }
    }

    #[test]
    fn a_turn_whose_calls_are_all_valid_breaks_the_row_of_invalid_ones() {
        let wrong = |n| vec![read("look", n), invalid(&[("/a", n)])];
        let row = [wrong(1), wrong(2), wrong(3), vec![read("look", 9)], wrong(4), wrong(5), wrong(6)];
        assert_eq!(opens_at(row), None);
        let turns = (1..5).map(wrong);
        assert_eq!(opens(&Limits::default(), turns), Some((4, Circuit::InvalidTurns { turns: 4 })));
        // Nothing was wrong with the arguments of a call that failed.
        let faults = [wrong(1), wrong(2), wrong(3), vec![fault("other", 1)], wrong(4)];
        assert_eq!(opens_at(faults), None);
    }

    #[test]
    fn names_that_do_not_exist_and_arguments_that_are_no_json_are_invalid_too() {
        let unknown = |tool| vec![failed(tool, 0, Status::FatalError, code::UNKNOWN_TOOL)];
        let malformed = |tool| vec![failed(tool, 0, Status::ValidationError, code::MALFORMED_JSON)];
        let turns = [unknown("a"), malformed("b"), vec![invalid(&[("/a", 1)])], unknown("c")];
        assert_eq!(opens(&Limits::default(), turns), Some((4, Circuit::InvalidTurns { turns: 4 })));
    }

    #[test]
    fn what_is_no_fault_of_the_models_opens_nothing() {
        for (status, code) in [
            (Status::PermissionDenied, code::APPROVAL_REJECTED),
            (Status::PermissionDenied, code::UNAUTHORIZED),
            (Status::FatalError, code::LIMIT_REACHED),
            (Status::FatalError, code::NOT_RUN),
            (Status::FatalError, code::CANCELLED),
            (Status::FatalError, code::RESULT_UNREADABLE),
            (Status::ValidationError, code::ANSWER_REJECTED),
        ] {
            assert_eq!(opens_at((0..20).map(|_| vec![failed("look", 1, status, code)])), None, "{code}");
        }
    }

    #[test]
    fn a_read_counts_once_a_turn_and_anew_once_something_changed() {
        let same = || vec![read("look", 1), read("look", 1)];
        let repeated = Circuit::RepeatedRead { tool: "look".to_owned(), turns: 3 };
        assert_eq!(opens(&Limits::default(), (0..3).map(|_| same())), Some((3, repeated)));
        assert_eq!(opens_at([same(), same(), vec![write(1)], same(), same()]), None);
        assert_eq!(opens_at([same(), same(), vec![replayed(1)], same()]), Some(4), "a replay has changed nothing");
        assert_eq!(opens_at((0..9).map(|n| vec![read("look", n)])), None);
    }

    #[test]
    fn a_write_that_succeeds_is_never_a_repetition() {
        assert_eq!(opens_at((0..9).map(|n| vec![if n == 0 { write(1) } else { replayed(1) }])), None);
    }

    #[test]
    fn each_rule_opens_at_the_limit_that_the_host_sets() {
        let most = || Limits::default().repeat_errors(99).repeat_reads(99).invalid_turns(99);
        for limit in [1, 2, 3, 7] {
            let opened = |limits: Limits, turn: fn(u8) -> Seen| {
                opens(&limits, (1..20).map(|n| vec![turn(n)])).map(|(turn, _)| turn)
            };
            let at = Some(limit as usize);
            assert_eq!(opened(most().repeat_errors(limit), |_| fault("look", 1)), at);
            assert_eq!(opened(most().repeat_reads(limit), |_| read("look", 1)), at);
            assert_eq!(opened(most().invalid_turns(limit), |n| invalid(&[("/a", n)])), at);
        }
        let never = opens(&most(), (1..20).map(|n| vec![fault("look", n), read("look", 1), invalid(&[("/a", n)])]));
        assert_eq!(never, None);
    }
}
