//! A saved run, taken up again: by whom, with which tools, with which decisions.

use super::RunError;
use super::drive::Driver;
use crate::dispatch::Verdict;
use crate::model::ToolCall;
use crate::run::{self, Checked, Decided, Decision, Input, Run, RunErrorKind};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Hands the decisions to the run, after all that must fit has been seen to fit.
    pub(super) async fn take_up(&self, mut run: Run, decisions: Vec<Decision>) -> Result<Run, RunError> {
        if let Err(what) = self.fits(&run) {
            return Err(not_resumed(what, run));
        }
        let mut inputs = Vec::with_capacity(decisions.len());
        for decision in decisions {
            match self.decided(&run, &decision).await {
                Ok(decided) => inputs.push(Input::Decided { call_id: decision.call_id, by: decision.by, decided }),
                Err(what) => return Err(not_resumed(what, run)),
            }
        }
        for input in inputs {
            run.apply(self.plan, input, &mut self.listeners.clone());
        }
        Ok(run)
    }

    fn fits(&self, run: &Run) -> Result<(), String> {
        if run.user() != self.caller.user() || run.tenant() != self.caller.tenant() {
            return Err("it belongs to another user or tenant; resume it with the caller that it began with".to_owned());
        }
        let changed = run.changed_tools(self.plan);
        if !changed.is_empty() {
            let names = changed.join("`, `");
            return Err(format!("these tools are not as they were when it began: `{names}`; run the request anew"));
        }
        Ok(())
    }

    /// What a decision says, once it is known to be about a call that waits, with the arguments that it has.
    pub(super) async fn decided(&self, run: &Run, decision: &Decision) -> Result<Decided, String> {
        let pending = run.pending();
        let Some(pending) = pending.iter().find(|pending| pending.call_id == decision.call_id) else {
            return Err(format!("no call {} waits for a decision", decision.call_id));
        };
        if pending.digest != decision.digest {
            let call_id = &decision.call_id;
            return Err(format!("the decision on {call_id} is about other arguments than the call has"));
        }
        match &decision.verdict {
            run::Verdict::Approved => Ok(Decided::Approved),
            run::Verdict::Rejected { reason } => Ok(Decided::Rejected(reason.clone())),
            run::Verdict::Edited { arguments } => {
                let mut call = ToolCall::new(decision.call_id.as_str(), &*pending.tool, &**arguments);
                call.echo = None;
                match self.agent.toolbox.check(&call, &self.caller).await {
                    Verdict::Ready(admitted) => {
                        let checked = Checked::ready(admitted.tool, admitted.digest);
                        Ok(Decided::Edited(arguments.clone(), checked))
                    }
                    Verdict::Refused(result) => {
                        let why = result.error_body().map(|error| {
                            let details = error.details.as_ref().map(|details| format!(" {details}"));
                            format!("{}{}", error.code, details.unwrap_or_default())
                        });
                        Err(format!("the edited arguments do not fit: {}", why.unwrap_or_default()))
                    }
                }
            }
        }
    }
}

fn not_resumed(what: String, run: Run) -> RunError {
    let record = run.record().clone();
    RunError::new(RunErrorKind::NotResumed { what, run: Box::new(run) }, record, None, None)
}
