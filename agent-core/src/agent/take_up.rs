//! A saved run, taken up again: by whom, with which tools, with which decisions.

use std::collections::HashSet;

use tokio::time::timeout;

use super::RunError;
use super::drive::{Driver, warn_ended};
use super::keeper::{ANOTHER_USER, Keeper};
use crate::dispatch::cut;
use crate::model::ToolCall;
use crate::run::{self, Checked, Decided, Decision, Input, Run, RunErrorKind};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Whether the run can be taken up with these decisions, and what they do to it; else why not.
    pub(super) async fn fitting(&self, run: &Run, decisions: Vec<Decision>) -> Result<Vec<Input>, String> {
        self.fits(run)?;
        let mut decided = HashSet::new();
        let mut inputs: Vec<Input> = Vec::with_capacity(decisions.len());
        for decision in decisions {
            if !decided.insert(decision.call_id.clone()) {
                return Err(format!("there are two decisions on the call {}", cut(decision.call_id.as_str())));
            }
            let verdict = self.decided(run, &decision).await?;
            inputs.push(Input::Decided { call_id: decision.call_id, by: decision.by, decided: verdict });
        }
        Ok(inputs)
    }

    /// Ends a run before it has begun, or was taken up: where the host has handed it in, the host gets it back.
    pub(super) async fn too_soon(&self, cancelled: bool, given: bool, run: Run) -> RunError {
        let kind = match cancelled {
            true => RunErrorKind::Cancelled { reason: self.cancel.reason().to_owned() },
            false => RunErrorKind::Timeout { limit: self.plan.limits.timeout },
        };
        self.audit_refused(kind.as_str()).await;
        warn_ended(run.id(), &kind);
        match given {
            true => not_resumed(kind.to_string(), run),
            false => RunError::new(kind, run.into_record(), None, None),
        }
    }

    fn is_of_another_user(&self, run: &Run) -> bool {
        run.user() != self.caller.user() || run.tenant() != self.caller.tenant()
    }

    /// Why a run that does not fit is refused, in a word, for the audit.
    pub(super) fn misfit(&self, run: &Run) -> &'static str {
        if self.is_of_another_user(run) { ANOTHER_USER } else { "not_resumed" }
    }

    /// Whether the run belongs to this caller and these tools.
    pub(super) fn fits(&self, run: &Run) -> Result<(), String> {
        if self.is_of_another_user(run) {
            return Err("it belongs to another user or tenant; resume it with the caller that it began with".to_owned());
        }
        let changed = run.changed_tools(self.plan);
        if run.misses_its_finish_tool(self.plan) {
            return Err("it began with a typed answer; resume it with the same `.answer::<T>()`".to_owned());
        }
        if !changed.is_empty() {
            let names = changed.join("`, `");
            return Err(format!("these tools are not as they were when it began: `{names}`; run the request anew"));
        }
        Ok(())
    }

    /// Gives a run back to its store as it is stored.
    pub(super) async fn leave(&self, keeper: &Keeper) {
        // A failure leaves it to the lease.
        if let Err(error) = self.within_grace(|| keeper.leave()).await {
            tracing::warn!(run = &*self.run_id, %error, "a run could not be handed over; it may be taken up when its lease is over");
        }
    }

    /// What a decision says, once it is known to be about a call that waits, with the arguments that it has.
    pub(super) async fn decided(&self, run: &Run, decision: &Decision) -> Result<Decided, String> {
        let pending = run.pending();
        let Some(pending) = pending.iter().find(|pending| pending.call_id == decision.call_id) else {
            return Err(format!(
                "no call {} waits for a decision; decide on what `Run::pending` gives",
                cut(decision.call_id.as_str())
            ));
        };
        if pending.digest != decision.digest {
            let call_id = cut(decision.call_id.as_str());
            return Err(format!("the decision on {call_id} was made for another run or other arguments; decide anew"));
        }
        match &decision.verdict {
            run::Verdict::Approved => Ok(Decided::Approved),
            run::Verdict::Rejected { reason } => Ok(Decided::Rejected(reason.clone())),
            run::Verdict::Edited { arguments } => {
                let call = ToolCall::new(decision.call_id.as_str(), &*pending.tool, &**arguments);
                let checking = timeout(self.plan.limits.tool_timeout, self.agent.toolbox.gate(&call, &self.caller));
                let Ok(verdict) = checking.await else {
                    return Err("the caller's rights could not be checked in time".to_owned());
                };
                match verdict {
                    Ok(passed) => {
                        let checked = Checked::ready(passed.tool, passed.digest);
                        Ok(Decided::Edited(arguments.clone(), checked))
                    }
                    Err(result) => {
                        let why = result.error_body().map(|error| {
                            let details = error.details.as_ref().map(|details| format!(" {details}"));
                            format!("{}{}", error.code, details.unwrap_or_default())
                        });
                        Err(format!("the edited call was refused: {}", why.unwrap_or_default()))
                    }
                }
            }
        }
    }
}

/// Why a run is not taken up; the run is in the error.
pub(super) fn not_resumed(what: String, run: Run) -> RunError {
    let record = run.record().clone();
    RunError::new(RunErrorKind::NotResumed { what, run: Box::new(run) }, record, None, None)
}
