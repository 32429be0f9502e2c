//! How a program ends, as its exit code says it: 0 for an answer, one code for each other end.

use agent_core::RunErrorKind;

/// The model answered.
pub const OK: u8 = 0;
/// The program itself failed: configuration, port, output.
pub const FAILED: u8 = 1;
/// A booking may or may not have happened.
pub const OUTCOME_UNKNOWN: u8 = 22;
/// A kind of end that is newer than this table.
const OTHER: u8 = 99;

/// An end without an answer.
struct End {
    code: u8,
    /// As `RunErrorKind::as_str` has it.
    kind: &'static str,
    /// What a person can do.
    advice: &'static str,
}

const fn end(code: u8, kind: &'static str, advice: &'static str) -> End {
    End { code, kind, advice }
}

const ENDS: [End; 22] = [
    end(10, "max_cycles", "ask for less at once, or allow more turns"),
    end(11, "timeout", "start the program again with the same run id, and with more time if the server is slow"),
    end(12, "max_tool_calls", "ask for less at once, or allow more calls"),
    end(13, "token_budget", "ask for less at once, or allow more tokens"),
    end(14, "cost_budget", "ask for less at once, or allow a higher cost"),
    end(15, "circuit_open", "look at the last calls: the model repeats itself and needs another request"),
    end(16, "permission_denied", "ask somebody who may, or for the role"),
    end(17, "empty_reply", "try again, or set OPENAI_MODEL to another model"),
    end(18, "truncated", "ask for less at once, or allow longer replies"),
    end(19, "refused", "word the request differently"),
    end(20, "content_filtered", "word the request differently"),
    end(21, "cancelled", "start the program again with the same run id to go on from there"),
    end(
        OUTCOME_UNKNOWN,
        "outcome_unknown",
        "look by hand at what was done, settle or release the call (`ClaimAdmin::resolve`; docs/running-an-agent.md shows how), \
         then start the program again with the same run id",
    ),
    end(23, "key_conflict", "use another run id"),
    end(
        24,
        "model_failed",
        "check that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL fit the server, then start the program again with the \
         same run id",
    ),
    end(25, "invalid", "correct the setting that is named"),
    end(26, "no_answer", "try again, or set OPENAI_MODEL to another model"),
    end(27, "suspended", "this program asks for no approval; decide the pending calls and resume the run"),
    end(28, "not_resumed", "use the run's own prompt and caller, or another run id"),
    end(29, "not_saved", "see to the store, then start the program again with the same run id"),
    end(30, "owned", "wait until the other process has ended the run, then start the program again"),
    end(31, "unfinished", "look at the text so far, then try again with another run id"),
];

fn find(kind: &RunErrorKind) -> Option<&'static End> {
    ENDS.iter().find(|end| end.kind == kind.as_str())
}

/// The exit code of an end without an answer.
pub fn code(kind: &RunErrorKind) -> u8 {
    find(kind).map_or(OTHER, |end| end.code)
}

/// What a person can do about it.
pub fn advice(kind: &RunErrorKind) -> &'static str {
    find(kind).map_or("the record above says what happened", |end| end.advice)
}

/// The codes, for `--help`; `answered` says what else to know of 0.
pub fn help(answered: &str) -> String {
    let mut help = format!(
        "Exit codes:\n   0  the model answered{answered}\n   \
         1  the program failed: configuration, port or output\n   2  a switch is wrong\n",
    );
    for End { code, kind, .. } in &ENDS {
        help += &format!("  {code}  {kind}\n");
    }
    help + &format!("  {OTHER}  any other end")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_end_has_a_code_of_its_own() {
        let mut taken = HashSet::from([OK, FAILED, 2, OTHER]);
        for end in &ENDS {
            assert!(taken.insert(end.code), "{} has the code of another", end.kind);
        }
    }

    /// The kinds are listed in one place, which is read here: no match outside the core can be exhaustive.
    #[test]
    fn each_kind_of_end_has_a_row() {
        let source = include_str!("../../agent-core/src/run/end.rs");
        let body = source.split_once("pub fn as_str").unwrap().1.split_once("\n    }\n").unwrap().0;
        let kinds: HashSet<&str> =
            body.lines().filter_map(|line| Some(line.split_once("=> \"")?.1.split_once('"')?.0)).collect();
        assert!(kinds.contains("max_cycles") && kinds.contains("invalid"), "{kinds:?}");
        assert_eq!(ENDS.iter().map(|end| end.kind).collect::<HashSet<_>>(), kinds);
    }

    #[test]
    fn kinds_are_found_by_the_name_that_the_core_gives_them() {
        assert_eq!(code(&RunErrorKind::PermissionDenied { tool: "x".into() }), 16);
        assert_eq!(code(&RunErrorKind::MaxCycles { limit: 5 }), 10);
        assert_eq!(code(&RunErrorKind::EmptyReply { extra_calls: None }), 17);
    }
}
