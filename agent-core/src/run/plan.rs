//! What does not change during a run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::end::LimitKind;
use crate::agent::Limits;
use crate::arguments::Digest;
use crate::dispatch::Observation;
use crate::guest::quiet;

/// The parts of a token that sizes are kept in, so that bytes, four to a token, need no fractions.
pub(super) const QUARTERS: u64 = 4;

/// Counts the tokens of a text, where no server has counted them yet.
///
/// It is asked once for each text that a run adds to its conversation, on the run's own task: it must not
/// block. The same text has the same number, also when a run is taken up elsewhere. Where it panics, the
/// text's bytes are taken.
///
/// ```
/// use agent_core::TokenCounter;
///
/// #[derive(Debug)]
/// struct Words;
///
/// impl TokenCounter for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// assert_eq!(Words.count("to be or not"), 4);
/// ```
pub trait TokenCounter: fmt::Debug + Send + Sync {
    /// How many tokens a model reads in this text.
    fn count(&self, text: &str) -> u64;
}

/// What does not change during a run: tools, limits, and what the host wants at each boundary.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The tools, in order.
    pub tools: Vec<PlannedTool>,
    /// The bounds.
    pub limits: Limits,
    /// What a denied call does to the run.
    pub on_denied: OnDenied,
    /// What a bound does, where it differs from the default: a closing turn for the circuit, none for the others.
    pub on_limit: BTreeMap<LimitKind, OnLimit>,
    /// The form in which the model is shown results.
    pub observation: Observation,
    /// How long the conversation may become.
    pub window: Option<Window>,
    /// The finish tool's name, where the run must end with a typed answer.
    pub finish: Option<String>,
    /// Changes when what the model is told of the answer changes.
    pub finish_fingerprint: Option<Digest>,
    /// Whether the host looks at each answer before it counts.
    pub checks_answer: bool,
    /// Whether the model is told when only one turn is left after the present one.
    pub notice: bool,
    /// The size of system text and tool list, in quarters of a token; see [`size`](Self::size).
    pub fixed_size: u64,
    /// Who counts tokens where no server has. Default: nobody; then four bytes are about a token.
    pub counter: Option<Arc<dyn TokenCounter>>,
}

/// A tool as the state machine needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedTool {
    /// Its name.
    pub name: String,
    /// Whether it changes anything.
    pub mutating: bool,
    /// Whether a person must decide on each call.
    pub approval: bool,
    /// How often it may be called in the run.
    pub max_calls: Option<u32>,
    /// Changes when what the model is told of the tool changes.
    pub fingerprint: Option<Digest>,
}

impl PlannedTool {
    /// A tool that only reads.
    pub fn read(name: impl Into<String>) -> Self {
        Self { name: name.into(), mutating: false, approval: false, max_calls: None, fingerprint: None }
    }

    /// A tool that changes something.
    pub fn mutating(name: impl Into<String>) -> Self {
        Self { mutating: true, ..Self::read(name) }
    }

    /// That needs a person's decision on each call.
    #[must_use]
    pub fn approval(mut self, approval: bool) -> Self {
        self.approval = approval;
        self
    }

    /// That may be called so often in a run.
    #[must_use]
    pub fn max_calls(mut self, max_calls: Option<u32>) -> Self {
        self.max_calls = max_calls;
        self
    }

    pub(crate) fn fingerprint(mut self, fingerprint: Digest) -> Self {
        self.fingerprint = Some(fingerprint);
        self
    }
}

impl Plan {
    /// A plan with these tools and limits, and the defaults otherwise.
    pub fn new(tools: Vec<PlannedTool>, limits: Limits) -> Self {
        Self {
            tools,
            limits,
            on_denied: OnDenied::default(),
            on_limit: BTreeMap::new(),
            observation: Observation::default(),
            window: None,
            finish: None,
            finish_fingerprint: None,
            checks_answer: false,
            notice: false,
            fixed_size: 0,
            counter: None,
        }
    }

    /// The size of a text in quarters of a token: as the counter says, else a quarter for each byte.
    pub fn size(&self, text: &str) -> u64 {
        let counted = self.counter.as_ref().and_then(|counter| quiet(|| counter.count(text)));
        counted.map_or(text.len() as u64, |tokens| tokens.saturating_mul(QUARTERS))
    }

    pub(super) fn concludes(&self, limit: LimitKind) -> bool {
        let default = if limit == LimitKind::CircuitOpen { OnLimit::Conclude } else { OnLimit::Stop };
        *self.on_limit.get(&limit).unwrap_or(&default) == OnLimit::Conclude
    }
}

/// How long the conversation may become before older parts make room.
///
/// Over the mark, results of earlier turns are left out first; where that is not enough, the model
/// sums up the older part. The system text, the tool list, the first message of the person and the
/// present turn always stay, and a call is never parted from its result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Tokens that the model can read and write in one request.
    pub tokens: u64,
    /// Tokens kept free for its reply.
    pub reserve: u64,
    /// The part of `tokens` from which older parts make room, above 0 and at most 1.
    pub compact_at: f64,
}

impl Window {
    /// A window of so many tokens: an eighth of it, at most 16,384, for the reply, and three quarters as the mark.
    pub fn new(tokens: u64) -> Self {
        Self { tokens, reserve: (tokens / 8).min(16_384), compact_at: 0.75 }
    }

    /// Tokens beyond which older parts make room.
    pub(super) fn mark(&self) -> u64 {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a window is far below 2^53 tokens, and the mark is checked to lie within it"
        )]
        let mark = (self.tokens as f64 * self.compact_at) as u64;
        mark.saturating_sub(self.reserve)
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.compact_at > 0.0 && self.compact_at <= 1.0 && self.mark() > 0
    }
}

/// What a bound does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnLimit {
    /// The model gets one closing turn without tools, so that the person is told which boundary was met; the text is in the error.
    Conclude,
    /// The run ends at once.
    Stop,
}

/// What a call that the caller may not make does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnDenied {
    /// Nothing of the turn runs; the model gets one closing turn without tools, and the run ends.
    #[default]
    Conclude,
    /// Nothing of the turn runs, and the run ends at once.
    Stop,
    /// The model is told; the other calls of the turn run and the run goes on.
    Continue,
}
