//! What people's decisions do to a run.

use super::{Phase, Run};
use crate::dispatch::{Status, ToolResult, code, sentence};
use crate::model::CallId;
use crate::run::batch::{Checked, SlotState};
use crate::run::event::{Event, EventSink, tell};
use crate::run::input::Decided;
use crate::run::plan::Plan;

impl Run {
    /// Takes a decision on a call that waits for one; a decision on any other call changes nothing.
    pub(super) fn decided(
        &mut self,
        plan: &Plan,
        call_id: &CallId,
        by: String,
        decided: Decided,
        sink: &mut impl EventSink,
    ) {
        let Some(index) = self.calls().iter().position(|call| call.id == *call_id) else { return };
        let Phase::Tools(batch) = &mut self.phase else { return };
        let Some(slot) = batch.slots().get(index) else { return };
        if !matches!(slot.state, SlotState::Undecided | SlotState::Pending) {
            return;
        }
        let decision = match decided {
            Decided::Later => {
                batch.set(index, SlotState::Pending);
                return;
            }
            // An edit that does not pass the gates decides nothing.
            Decided::Edited(_, Checked::Refused(_) | Checked::Finish { .. }) => {
                batch.set(index, SlotState::Pending);
                return;
            }
            Decided::Edited(arguments, Checked::Ready { tool, digest }) => {
                batch.edit(index, arguments, (tool, digest));
                "edited"
            }
            Decided::Approved => {
                batch.set(index, SlotState::Ready);
                "approved"
            }
            Decided::Rejected(reason) => {
                let message = format!(
                    "A person refused this call: {} Do not make it again; take another way.",
                    sentence(&reason)
                );
                let call = &self.calls()[index];
                let status = Status::PermissionDenied;
                let result = ToolResult::error(call, status, code::APPROVAL_REJECTED, message, None);
                self.settle(index, Box::new(result), sink);
                "rejected"
            }
        };
        tell(sink, || Event::Decided { call_id: call_id.clone(), decision, by });
        self.close_batch_if_done(plan, sink);
    }
}
