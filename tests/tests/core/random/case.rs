//! One random run: what the model says, what fails, what the host wants.

use std::time::Duration;

use agent_core::OnDenied;
use agent_core::model::{ModelErrorKind, ToolCall};

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub(super) enum Turn {
    Text,
    Empty,
    Refusal,
    Filtered,
    Cut(Vec<ToolCall>),
    Calls(Vec<ToolCall>),
    /// More calls than any reply may have.
    Huge(ToolCall),
    Fails(ModelErrorKind),
    Panics,
    TooLong,
    Slow,
    Silent,
}

/// How an approver answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Approval {
    Nobody,
    Approves,
    Rejects,
    Edits,
    Leaves,
}

/// How the run is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Driving {
    Awaited,
    Streamed,
    /// Cancelled by token after so long.
    Cancelled(Duration),
    /// The future is dropped after so long.
    Dropped(Duration),
}

#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) turns: Vec<Turn>,
    pub(super) may_write: bool,
    pub(super) on_denied: OnDenied,
    pub(super) failing_claims: u32,
    pub(super) failing_settlements: u32,
    pub(super) max_cycles: u32,
    pub(super) max_tool_calls: u32,
    pub(super) max_parallel_calls: u32,
    pub(super) max_extra_calls: u32,
    pub(super) timeout: Duration,
    pub(super) window: bool,
    pub(super) typed: bool,
    pub(super) stored: bool,
    pub(super) picky: bool,
    /// Whether a hook offers only what reads, and `sign`.
    pub(super) withheld: bool,
    /// Whether a suspended run is resumed once more from the copy that was resumed before.
    pub(super) stale: bool,
    pub(super) approval: Approval,
    pub(super) driving: Driving,
}

impl Case {
    /// The case of this seed: the same one on every machine.
    pub(super) fn random(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rng = &mut rng;
        let wait = Duration::from_millis(pick(rng, &[0, 1, 50, 150, 9_999, 10_001]));
        Self {
            turns: (0..rng.usize(1..8)).map(|_| turn(rng)).collect(),
            may_write: rng.u8(0..10) < 8,
            on_denied: pick(rng, &[OnDenied::Conclude, OnDenied::Stop, OnDenied::Continue]),
            failing_claims: pick(rng, &[0, 0, 0, 1, 3]),
            failing_settlements: pick(rng, &[0, 0, 0, 1, 3, 1_000_000]),
            max_cycles: rng.u32(1..7),
            max_tool_calls: rng.u32(1..30),
            max_parallel_calls: rng.u32(1..5),
            max_extra_calls: rng.u32(1..5),
            timeout: Duration::from_millis(pick(rng, &[30_000, 30_000, 12_000, 1_100, 90])),
            window: rng.u8(0..4) == 0,
            typed: rng.u8(0..3) == 0,
            stored: rng.u8(0..3) == 0,
            picky: rng.u8(0..4) == 0,
            withheld: rng.u8(0..4) == 0,
            stale: rng.bool(),
            approval: pick(
                rng,
                &[Approval::Nobody, Approval::Approves, Approval::Rejects, Approval::Edits, Approval::Leaves],
            ),
            driving: match rng.u8(0..8) {
                0..4 => Driving::Awaited,
                4..6 => Driving::Streamed,
                6 => Driving::Cancelled(wait),
                _ => Driving::Dropped(wait),
            },
        }
    }
}

fn pick<T: Clone>(rng: &mut fastrand::Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())].clone()
}

/// What servers answer instead of a reply.
const FAILURES: [ModelErrorKind; 7] = [
    ModelErrorKind::Auth,
    ModelErrorKind::RateLimit,
    ModelErrorKind::Server,
    ModelErrorKind::Timeout,
    ModelErrorKind::Connection,
    ModelErrorKind::MalformedResponse,
    ModelErrorKind::StreamInterrupted,
];

fn turn(rng: &mut fastrand::Rng) -> Turn {
    let several = rng.usize(1..6);
    match rng.u8(0..32) {
        0 | 1 => Turn::Text,
        2 => Turn::Empty,
        3 => Turn::Refusal,
        4 => Turn::Filtered,
        5 => Turn::Cut(calls(rng, several)),
        6 => {
            let many = pick(rng, &[40, 200]);
            Turn::Calls(calls(rng, many))
        }
        7 => Turn::Fails(pick(rng, &FAILURES)),
        8 => Turn::TooLong,
        9 => Turn::Slow,
        10 => Turn::Silent,
        11 => Turn::Panics,
        12 => Turn::Huge(call(rng)),
        _ => Turn::Calls(calls(rng, several)),
    }
}

fn calls(rng: &mut fastrand::Rng, count: usize) -> Vec<ToolCall> {
    (0..count).map(|_| call(rng)).collect()
}

fn call(rng: &mut fastrand::Rng) -> ToolCall {
    let id = pick(rng, &["", "call_0", "call_1", "call_1_0", "x"]);
    let tool = pick(
        rng,
        &["look", "look", "look", "act", "act", "act", "act", "add", "sign", "send", "transfer", "finish", "lok", ""],
    );
    let how = pick(
        rng,
        &[
            "ok",
            "ok",
            "ok",
            "ok",
            "ok",
            "slow",
            "slow",
            "business",
            "not_done",
            "fatal",
            "panic",
            "panic_after",
            "hang",
            "unwritable",
            "transient",
            "nonsense",
        ],
    );
    let n = rng.i64(0..3);
    let arguments = match rng.u8(0..20) {
        0..8 => format!(r#"{{"how":"{how}","n":{n}}}"#),
        8 => format!(r#"{{"n":{n}.0,"how":"{how}"}}"#),
        9 | 10 => format!(r#"{{"how":"{how}"}}"#),
        11 => format!(r#"{{"n":{n}}}"#),
        12 => format!(r#"{{"how":"{how}","n":{n}e30}}"#),
        13 => format!(r#"{{"how":"{how}","how":"ok"}}"#),
        14 => format!(r#"{{"how":"{how}","extra":1}}"#),
        15 => format!(r#"{{"how":"{how}","#),
        16 => String::new(),
        17 => "null".to_owned(),
        18 => "[1]".to_owned(),
        _ => "1e999".to_owned(),
    };
    ToolCall::new(id, tool, arguments)
}
