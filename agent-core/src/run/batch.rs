//! The calls of one turn.

use std::mem::discriminant;

use serde::{Deserialize, Serialize};

use super::breaker::Called;
use crate::arguments::Digest;
use crate::dispatch::ToolResult;

/// What the gates say of a call. It can be kept, and is the same in every process with the same tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Checked {
    /// It may run, as far as the gates go.
    Ready {
        /// The tool's place in the plan.
        tool: usize,
        /// The digest of its arguments.
        digest: Digest,
    },
    /// It is the finish tool, with an answer.
    Finish {
        /// The answer, as JSON text.
        value: String,
    },
    /// It may not; this is its result.
    Refused(Box<ToolResult>),
}

impl Checked {
    /// A call of the plan's `tool`, with the digest of its arguments.
    pub fn ready(tool: usize, digest: Digest) -> Self {
        Self::Ready { tool, digest }
    }
}

/// The calls of one turn, in order, each with its state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Slots")]
pub(super) struct Batch {
    slots: Vec<Slot>,
    #[serde(skip)]
    counts: Counts,
}

/// A batch as it is saved.
#[derive(Deserialize)]
struct Slots {
    slots: Vec<Slot>,
}

/// How many calls are in which state, so that a step of one call costs the same beside few and beside many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    /// Those that run.
    running: usize,
    /// Those that people are to be asked about, or have been.
    asked: usize,
    /// Those with a result, or an answer.
    settled: usize,
    /// All before this place are settled.
    settled_before: usize,
}

impl Counts {
    fn of(&mut self, state: &SlotState) -> Option<&mut usize> {
        match state {
            SlotState::Running => Some(&mut self.running),
            SlotState::Undecided | SlotState::Pending => Some(&mut self.asked),
            SlotState::Finish(_) | SlotState::Done(_) => Some(&mut self.settled),
            SlotState::Unchecked | SlotState::Ready => None,
        }
    }
}

impl From<Slots> for Batch {
    fn from(saved: Slots) -> Self {
        let mut batch = Self { slots: saved.slots, counts: Counts::default() };
        batch.slots.iter().for_each(|slot| batch.counts.of(&slot.state).into_iter().for_each(|count| *count += 1));
        batch.pass_settled();
        batch
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Slot {
    /// The tool's place in the plan and the digest of the arguments, once the gates have said so.
    pub(super) admitted: Option<(usize, Digest)>,
    pub(super) mutating: bool,
    /// The arguments as a person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edited: Option<String>,
    pub(super) state: SlotState,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum SlotState {
    Unchecked,
    /// Nobody has been asked yet.
    Undecided,
    /// Somebody was asked, and nobody has decided.
    Pending,
    Ready,
    Running,
    /// An answer, which counts once every other call has succeeded.
    Finish(String),
    Done(Box<ToolResult>),
}

impl Batch {
    pub(super) fn of(calls: usize) -> Self {
        let slot = Slot { admitted: None, mutating: false, edited: None, state: SlotState::Unchecked };
        Self { slots: vec![slot; calls], counts: Counts::default() }
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Takes note that the gates have admitted a call.
    pub(super) fn admit(&mut self, index: usize, tool: usize, digest: Digest, mutating: bool) {
        let slot = &mut self.slots[index];
        slot.admitted = Some((tool, digest));
        slot.mutating = mutating;
        self.set(index, SlotState::Ready);
    }

    /// Takes note that a person has given a call other arguments, which the gates have admitted.
    pub(super) fn edit(&mut self, index: usize, arguments: String, admitted: (usize, Digest)) {
        let slot = &mut self.slots[index];
        slot.admitted = Some(admitted);
        slot.edited = Some(arguments);
        self.set(index, SlotState::Ready);
    }

    /// Puts a call into another state.
    pub(super) fn set(&mut self, index: usize, state: SlotState) {
        let slot = &mut self.slots[index];
        self.counts.of(&slot.state).into_iter().for_each(|count| *count -= 1);
        self.counts.of(&state).into_iter().for_each(|count| *count += 1);
        slot.state = state;
        self.pass_settled();
    }

    fn pass_settled(&mut self) {
        let is_settled = |slot: &&Slot| matches!(slot.state, SlotState::Done(_) | SlotState::Finish(_));
        let open = &self.slots[self.counts.settled_before..];
        self.counts.settled_before += open.iter().take_while(is_settled).count();
    }

    /// The calls that may start now: the next mutating one alone, or the next neighbouring reads up to the cap.
    ///
    /// A call that waits for a decision holds back itself and every later mutating call, and nothing else.
    pub(super) fn startable(&self, most: usize) -> Vec<usize> {
        let running = self.counts.running;
        let mut start = Vec::new();
        let mut held = false;
        for (index, slot) in self.slots.iter().enumerate().skip(self.counts.settled_before) {
            match slot.state {
                SlotState::Done(_) | SlotState::Finish(_) => {}
                SlotState::Pending => held = true,
                SlotState::Running if slot.mutating => break,
                SlotState::Running => {}
                SlotState::Unchecked | SlotState::Undecided => break,
                SlotState::Ready if slot.mutating && held => {}
                SlotState::Ready if slot.mutating => {
                    if running == 0 && start.is_empty() {
                        start.push(index);
                    }
                    break;
                }
                SlotState::Ready => {
                    if running + start.len() >= most {
                        break;
                    }
                    start.push(index);
                }
            }
        }
        start
    }

    /// Whether the calls of both stand alike, whatever their results say.
    pub(super) fn is_at(&self, other: &Self) -> bool {
        let alike = |a: &Slot, b: &Slot| {
            discriminant(&a.state) == discriminant(&b.state) && (a.admitted, &a.edited) == (b.admitted, &b.edited)
        };
        self.slots.len() == other.slots.len() && self.slots.iter().zip(&other.slots).all(|(a, b)| alike(a, b))
    }

    /// Whether a turn whose calls no gate has seen holds nothing else.
    pub(super) fn check_unchecked(&self) -> Result<(), String> {
        let fresh = |slot: &Slot| slot.state == SlotState::Unchecked && slot.admitted.is_none();
        if self.slots.is_empty() || !self.slots.iter().all(fresh) {
            return Err("a call of its turn stands beyond the gates that the turn has not passed".to_owned());
        }
        Ok(())
    }

    /// Whether each call of a turn has passed the gates, for one of so many tools, as far as its state needs that.
    pub(super) fn check_admitted(&self, tools: usize) -> Result<(), String> {
        for slot in &self.slots {
            match (&slot.state, slot.admitted) {
                (SlotState::Done(_) | SlotState::Finish(_), _) => {}
                (SlotState::Unchecked, _) | (_, None) => {
                    return Err("a call of its turn has passed no gate and is about to run".to_owned());
                }
                (_, Some((tool, _))) if tool >= tools => return Err("a call of its turn is of no tool".to_owned()),
                _ => {}
            }
        }
        // A turn is left with the last result.
        if self.is_done() {
            return Err("nothing is left to be done in its turn, and the turn was not left".to_owned());
        }
        Ok(())
    }

    pub(super) fn is_running(&self) -> bool {
        self.counts.running > 0
    }

    /// Whether people are to be asked about some of its calls, or have been.
    pub(super) fn asks_people(&self) -> bool {
        self.counts.asked > 0
    }

    /// Whether nothing is left to wait for but the finish tool.
    pub(super) fn is_done(&self) -> bool {
        self.counts.settled == self.slots.len()
    }

    /// Calls that have neither a result nor begun, the finish tool left out.
    pub(super) fn waiting(&self) -> Vec<usize> {
        self.indexes(|state| {
            matches!(state, SlotState::Unchecked | SlotState::Undecided | SlotState::Pending | SlotState::Ready)
        })
    }

    pub(super) fn indexes(&self, which: impl Fn(&SlotState) -> bool) -> Vec<usize> {
        self.slots.iter().enumerate().filter(|(_, slot)| which(&slot.state)).map(|(index, _)| index).collect()
    }

    pub(super) fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.slots.iter().filter_map(|slot| match &slot.state {
            SlotState::Done(result) => Some(&**result),
            _ => None,
        })
    }

    pub(super) fn called(&self) -> impl Iterator<Item = Called<'_>> + Clone {
        self.slots.iter().filter_map(|slot| match &slot.state {
            SlotState::Done(result) => {
                Some(Called { result, digest: slot.admitted.map(|(_, digest)| digest), mutating: slot.mutating })
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::held_back;
    use crate::model::ToolCall;

    #[test]
    fn a_batch_that_is_read_again_counts_its_calls_as_it_did() {
        let done = || {
            let result = held_back(&ToolCall::new("c", "look", "{}"), "NOT_RUN", "why.", "Then.");
            SlotState::Done(Box::new(result))
        };
        let steps: [(usize, fn() -> SlotState); 9] = [
            (0, || SlotState::Ready),
            (1, || SlotState::Undecided),
            (2, || SlotState::Finish(String::new())),
            (0, || SlotState::Running),
            (1, || SlotState::Pending),
            (3, || SlotState::Ready),
            (3, || SlotState::Running),
            (1, || SlotState::Ready),
            (1, || SlotState::Running),
        ];
        let mut batch = Batch::of(4);
        let is_read_again = |batch: &Batch| {
            let saved = serde_json::to_string(batch).unwrap();
            assert_eq!(&serde_json::from_str::<Batch>(&saved).unwrap(), batch, "{saved}");
        };
        for (index, state) in steps {
            batch.set(index, state());
            is_read_again(&batch);
        }
        assert!(batch.is_running() && !batch.asks_people() && !batch.is_done());
        for index in [3, 0, 1] {
            batch.set(index, done());
            is_read_again(&batch);
        }
        assert!(batch.is_done() && !batch.is_running());
    }
}
