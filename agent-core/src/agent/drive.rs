//! Does what a run asks for: the one place of the loop that awaits.

use std::collections::VecDeque;
use std::future::Ready;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use super::finish::FinishTool;
use super::hooks::NextTurn;
use super::keeper::Keeper;
use super::listeners::Listeners;
use super::start::Check;
use super::{Cancellation, Inner, RunError};
use crate::audit::{AuditCall, AuditEvent, RunAudit};
use crate::dispatch::{Dispatch, ToolResult, Verdict, after, code, held_back, unknown};
use crate::guest::{awaited, quiet};
use crate::idempotency::StoreError;
use crate::model::{Delta, ModelError, ModelErrorKind, Reply, Request, ToolCall, ToolChoice, ToolDefinition, Usage};
use crate::run::{Checked, Decided, Event, Input, Pending, Plan, Purpose, Record, Run, RunErrorKind, Step};
use crate::security::{Access, SecurityContext};
use crate::telemetry::spans;
use crate::tool::ProgressSink;

/// What does not change while a run is driven.
pub(super) struct Driver<'a, S> {
    pub(super) agent: &'a Inner<S>,
    pub(super) plan: &'a Plan,
    pub(super) run_id: Arc<str>,
    pub(super) caller: Arc<SecurityContext>,
    pub(super) cancel: Cancellation,
    pub(super) finish: Option<Arc<FinishTool>>,
    pub(super) check: Option<Check>,
    pub(super) listeners: Listeners,
    pub(super) keeper: Option<Keeper>,
    /// When the run began, or was taken up.
    pub(super) begun: Instant,
    pub(super) audit: Option<Arc<RunAudit>>,
}

/// So many pieces of a reply are taken before others may run.
const PIECES_AT_ONCE: u32 = 32;

/// How a run ended well.
pub(super) struct Ended {
    pub(super) text: String,
    pub(super) value: Option<String>,
    pub(super) record: Record,
}

/// What came of a wait that the deadline or the host may cut short.
pub(super) enum Waited<T> {
    Done(T),
    Late,
    Cancelled,
}

/// The clock of a run: a run that is taken up goes on where it stopped.
#[derive(Clone, Copy)]
struct Clock {
    begun: Instant,
    before: Duration,
    deadline: Instant,
}

impl Clock {
    fn elapsed(self) -> Duration {
        self.before.saturating_add(self.begun.elapsed())
    }
}

/// The calls of the present turn, with what the gates said of them.
struct Turn<S> {
    calls: Vec<ToolCall>,
    verdicts: Vec<Option<Gate<S>>>,
}

/// The place of a call in its turn, with its result.
type Done = (usize, ToolResult);

/// The calls that run beside whatever else is waited for.
struct Beside<F> {
    running: FuturesUnordered<F>,
    /// Those that have ended, and of which the run does not know yet.
    done: VecDeque<Done>,
}

impl<F> Default for Beside<F> {
    fn default() -> Self {
        Self { running: FuturesUnordered::new(), done: VecDeque::new() }
    }
}

/// What the gates said of a call.
enum Gate<S> {
    Tool(Verdict<S>),
    Finish(Checked),
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Drives a run to its end.
    ///
    /// Dropping the future ends the run where it is: reads are ended, a mutating call that has started goes on and settles.
    pub(super) async fn drive(&self, mut run: Run) -> Result<Ended, RunError> {
        run.taken_up();
        let _driven = self.listeners.driven();
        let before = run.record().elapsed;
        let clock = Clock { begun: self.begun, before, deadline: self.deadline(&run) };
        let mut failure = None;
        let mut turn = None;
        loop {
            self.look_up(&mut run, clock);
            // Saved before the step that follows: a reply before the first claim of its turn.
            if !self.save(&mut run, clock, &mut Beside::<Ready<Done>>::default()).await {
                continue;
            }
            match run.next(self.plan) {
                Step::CallModel { purpose } => {
                    turn = None;
                    let asked = Instant::now();
                    let next = self.next_turn(&run, purpose);
                    let asking = self.ask_guarded(&run, purpose, &next, clock.deadline);
                    let input = match self.wait(clock.deadline, asking).await {
                        Waited::Done(Ok(reply)) => Input::Reply(Box::new(reply), asked.elapsed()),
                        // An adapter that keeps to the deadline fails at it; the run has a name of its own for that.
                        Waited::Done(Err(_)) if Instant::now() >= clock.deadline => continue,
                        Waited::Done(Err(_)) if self.cancel.token().is_cancelled() => continue,
                        Waited::Done(Err(error)) => {
                            let input = Input::ModelFailed((&error).into());
                            failure = Some(error);
                            input
                        }
                        // The top of the loop says why.
                        Waited::Late | Waited::Cancelled => continue,
                    };
                    run.apply(self.plan, Input::Offered(next.allowed()), &mut self.listeners.clone());
                    self.apply(&mut run, input, clock);
                }
                Step::CheckCalls => {
                    let checking = self.check(run.effective_calls(), run.offered_tools());
                    let Waited::Done(checked) = self.wait(clock.deadline, checking).await else { continue };
                    self.tell_refused(checked.refused(|_| true), clock).await;
                    let input = Input::Checked(checked.verdicts.iter().flatten().map(Gate::checked).collect());
                    turn = Some(checked);
                    self.apply(&mut run, input, clock);
                }
                Step::AskApproval { pending } => {
                    let Waited::Done(decisions) = self.wait(clock.deadline, self.ask_approval(&run, pending)).await
                    else {
                        continue;
                    };
                    // An edit changes the call that the gates have seen.
                    turn = None;
                    for decision in decisions {
                        self.audit_decided(&run, &decision, clock.deadline).await;
                        self.apply(&mut run, decision, clock);
                    }
                }
                Step::CallTools { .. } => {
                    // A run that was taken up between two calls of a turn asks the gates again: rights may have changed.
                    let mut ready = match turn.take() {
                        Some(ready) => ready,
                        None => {
                            let checking = self.check(run.effective_calls(), run.offered_tools());
                            let Waited::Done(mut checked) = self.wait(clock.deadline, checking).await else { continue };
                            self.tell_refused(checked.refused(|index| run.is_ready(index)), clock).await;
                            self.refuse(&mut run, &mut checked, clock);
                            checked
                        }
                    };
                    self.run_tools(&mut run, &mut ready, clock).await;
                }
                Step::CheckAnswer => {
                    self.take_answer(&mut run, clock);
                }
                Step::Suspended { .. } => {
                    if let Some(keeper) = &self.keeper
                        && let Err(error) = self.within_grace(keeper.hand_over(&run)).await
                    {
                        self.apply(&mut run, Input::NotSaved(error.to_string()), clock);
                        continue;
                    }
                    self.apply(&mut run, Input::Suspended, clock);
                    let suspended = AuditEvent::RunEnded { reason: "suspended".to_owned(), bound: None };
                    self.audit_run(suspended).await;
                    let record = run.record().clone();
                    return Err(RunError::new(RunErrorKind::Suspended(Box::new(run)), record, None, None));
                }
                Step::Done => {
                    let error = run.outcome().and_then(Result::err);
                    self.audit_run(AuditEvent::run_ended(error)).await;
                    self.finish(&run).await;
                    return ended(run, failure);
                }
            }
        }
    }

    /// Tells the audit about the run itself.
    pub(super) async fn audit_run(&self, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            audit.tell(after(Instant::now(), self.plan.limits.grace), None, event).await;
        }
    }

    /// Tells the audit, and whoever traces, which calls the gates have refused.
    async fn tell_refused(&self, refused: Vec<(&ToolCall, &ToolResult)>, clock: Clock) {
        for (call, result) in &refused {
            self.agent.toolbox.trace_refused(call, result);
        }
        let Some(audit) = &self.audit else { return };
        for (call, result) in refused {
            audit.refused(clock.deadline, call, self.agent.toolbox.is_mutating(&call.name), result).await;
        }
    }

    /// Tells the audit what a person has decided.
    pub(super) async fn audit_decided(&self, run: &Run, input: &Input, until: Instant) {
        let (Some(audit), Input::Decided { call_id, by, decided }) = (&self.audit, input) else { return };
        let pending = run.pending();
        let Some(pending) = pending.iter().find(|pending| pending.call_id == *call_id) else { return };
        let by = by.clone();
        let (event, arguments) = match decided {
            Decided::Approved => (AuditEvent::Approved { by }, &pending.arguments),
            Decided::Rejected(_) => (AuditEvent::Rejected { by }, &pending.arguments),
            Decided::Edited(arguments, _) => (AuditEvent::Edited { by }, arguments),
            Decided::Later => return,
        };
        let mutating = self.agent.toolbox.is_mutating(&pending.tool);
        let call = AuditCall::new(call_id.clone(), &*pending.tool, mutating, &**arguments);
        audit.tell(until, Some(call), event).await;
    }

    /// Saves the run as it is, where there is a store; a run that cannot be saved begins nothing more.
    ///
    /// False where the run's time was over, or the host ended it, before it was saved: nothing may begin then either.
    async fn save(&self, run: &mut Run, clock: Clock, beside: &mut Beside<impl Future<Output = Done>>) -> bool {
        let Some(keeper) = &self.keeper else { return true };
        // A run that is left open is taken up from before what ends it, without that end.
        if run.outcome().is_some() || run.is_left_open() {
            return true;
        }
        let saved = {
            let mut saving = pin!(self.wait(clock.deadline, keeper.save(run)));
            loop {
                tokio::select! {
                    biased;
                    saved = &mut saving => break saved,
                    Some(done) = beside.running.next() => beside.done.push_back(done),
                }
            }
        };
        match saved {
            Waited::Done(Ok(())) => {}
            Waited::Done(Err(error)) => {
                tracing::error!(run = run.id(), %error, "a run could not be saved");
                run.apply(self.plan, Input::NotSaved(error.to_string()), &mut self.listeners.clone());
            }
            Waited::Late | Waited::Cancelled => {
                tracing::error!(run = run.id(), "a run ended before its store had saved it");
                return false;
            }
        }
        true
    }

    /// What a store says to the end of a run, within the time that there is to record one.
    pub(super) async fn within_grace<T>(
        &self,
        recording: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let grace = self.plan.limits.grace;
        let late = || StoreError::failed(format!("no answer within {grace:?}; `Limits::grace` allows more"));
        timeout_at(after(Instant::now(), grace), recording).await.unwrap_or_else(|_| Err(late()))
    }

    /// Saves the end of the run, unless that leaves it open: then it is left as it was last saved, to be taken up from there.
    async fn finish(&self, run: &Run) {
        let Some(keeper) = &self.keeper else { return };
        if matches!(run.outcome(), Some(Err(RunErrorKind::NotSaved { .. }))) {
            // Its store does not answer, or has given the run to somebody else.
            return;
        }
        if run.is_left_open() {
            return self.leave(keeper).await;
        }
        if let Err(error) = self.within_grace(keeper.finish(run)).await {
            tracing::error!(run = run.id(), %error, "the end of a run could not be saved; it is taken up from its last step");
        }
    }

    /// Tells the run the time, and whether the host still wants it.
    fn look_up(&self, run: &mut Run, clock: Clock) {
        self.take_answer(run, clock);
        let mut sink = self.listeners.clone();
        run.apply(self.plan, Input::Clock(clock.elapsed()), &mut sink);
        if self.cancel.token().is_cancelled() {
            run.apply(self.plan, Input::Cancel(self.cancel.reason().to_owned()), &mut sink);
        }
    }

    /// Looks at an answer that is there. That takes no wait, and so one that came in time counts, whatever the time is now.
    fn take_answer(&self, run: &mut Run, clock: Clock) {
        if let Some(finish) = &self.finish
            && matches!(run.next(self.plan), Step::CheckCalls)
            && run.calls().iter().all(|call| self.plan.finish.as_ref() == Some(&call.name))
        {
            let checked = run.calls().iter().map(|call| finish.check(call)).collect();
            self.apply(run, Input::Checked(checked), clock);
        }
        if run.offered_answer().is_some() {
            let taken = self.check_answer(run);
            self.apply(run, Input::AnswerChecked(taken), clock);
        }
    }

    /// Reports what came in time, also at the last moment: the deadline is looked at before the next step.
    fn apply(&self, run: &mut Run, input: Input, clock: Clock) {
        let mut sink = self.listeners.clone();
        let in_time = self.plan.limits.timeout.saturating_sub(Duration::from_nanos(1));
        run.apply(self.plan, Input::Clock(clock.elapsed().min(in_time)), &mut sink);
        run.apply(self.plan, input, &mut sink);
    }

    /// When the run's time is over.
    pub(super) fn deadline(&self, run: &Run) -> Instant {
        after(self.begun, self.plan.limits.timeout.saturating_sub(run.record().elapsed))
    }

    /// Waits within the run's time.
    pub(super) async fn wait<T>(&self, deadline: Instant, what: impl Future<Output = T>) -> Waited<T> {
        // `biased`: a reply that is there counts, even at the last moment.
        tokio::select! {
            biased;
            done = timeout_at(deadline, what) => match done {
                Ok(done) => Waited::Done(done),
                Err(_) => Waited::Late,
            },
            () = self.cancel.token().cancelled() => Waited::Cancelled,
            () = self.keep() => Waited::Late,
        }
    }

    /// Keeps the ownership of a stored run; never ends.
    async fn keep(&self) {
        match &self.keeper {
            Some(keeper) => keeper.keep().await,
            None => std::future::pending().await,
        }
    }

    /// What the host wants of the next turn.
    fn next_turn(&self, run: &Run, purpose: Purpose) -> NextTurn {
        match &self.agent.hook {
            Some(hook) if purpose == Purpose::Turn => quiet(|| hook.next_turn(run)).unwrap_or_else(|| {
                tracing::error!(run = run.id(), "a step hook panicked; nothing is offered in this turn");
                NextTurn::new().offer([""; 0])
            }),
            _ => NextTurn::new(),
        }
    }

    /// Asks the model, or who sums up in its place. A panic in either is a failure.
    async fn ask_guarded(
        &self,
        run: &Run,
        purpose: Purpose,
        next: &NextTurn,
        deadline: Instant,
    ) -> Result<Reply, ModelError> {
        let streams = purpose == Purpose::Turn && self.listeners.want_deltas();
        let (provider, name) = self.agent.model_names();
        let span = spans::chat(provider, name, purpose, run.cycle(), streams);
        let asking = awaited(|| Box::pin(self.ask(run, purpose, next, deadline))).instrument(span.clone());
        let reply = asking.await.unwrap_or_else(|| {
            let who = match (purpose, &self.agent.compactor) {
                (Purpose::Compact, Some(_)) => "the compactor",
                _ => "the model adapter",
            };
            Err(ModelError::new(ModelErrorKind::Panicked, format!("{who} panicked; see its own output")))
        });
        spans::replied(&span, &reply, self.agent.toolbox.content());
        reply
    }

    async fn ask(&self, run: &Run, purpose: Purpose, next: &NextTurn, deadline: Instant) -> Result<Reply, ModelError> {
        let summed_up = run.request_messages(purpose);
        let messages = summed_up.as_deref().unwrap_or_else(|| run.conversation());
        if let (Purpose::Compact, Some(compactor)) = (purpose, &self.agent.compactor) {
            let summary = compactor.summarise(&messages[..messages.len().saturating_sub(1)]).await?;
            // No model was asked, and so nothing was spent.
            let mut reply = Reply::text(summary).usage(Usage::default());
            reply.attempts = 0;
            return Ok(reply);
        }
        let filtered = self.offered(next).await;
        let tools = filtered.as_deref().unwrap_or_else(|| self.agent.toolbox.definitions());
        let choice = match purpose {
            Purpose::Turn if tools.is_empty() => ToolChoice::Auto,
            Purpose::Turn if self.finish.is_some() => next.choice(ToolChoice::Required),
            Purpose::Turn => next.choice(ToolChoice::Auto),
            // The history names tools, so they stay listed; calling one is what is not allowed.
            Purpose::Close | Purpose::Compact => ToolChoice::None,
        };
        if let (Purpose::Turn, Some(audit)) = (purpose, &self.audit) {
            audit.offered(deadline, tools.iter().map(ToolDefinition::name)).await;
        }
        let request = Request::new(messages)
            .run_id(&self.run_id)
            .system(self.agent.system.as_deref())
            .tools(tools)
            .tool_choice(choice)
            .deadline(Some(deadline));
        if purpose != Purpose::Compact && self.listeners.want_deltas() {
            self.stream(request).await
        } else {
            self.agent.model.reply(request).await
        }
    }

    /// The reply, told piece by piece.
    async fn stream(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let mut deltas = self.agent.model.stream(request);
        let mut pieces = 0_u32;
        while let Some(delta) = deltas.next().await {
            // A stream that is always ready lets nothing else run: no timer, no cancel, no reader.
            pieces = pieces.wrapping_add(1);
            if pieces.is_multiple_of(PIECES_AT_ONCE) {
                yield_now().await;
            }
            self.listeners.room().await;
            match delta? {
                Delta::Text(text) => self.listeners.tell(Event::TextDelta { text }),
                Delta::Reasoning(text) => self.listeners.tell(Event::ReasoningDelta { text }),
                Delta::Call { index, name, arguments, .. } => {
                    self.listeners.tell(Event::CallBuilding { index, name, arguments });
                }
                Delta::Refusal(_) => {}
                Delta::Done(reply) => return Ok(reply),
            }
        }
        Err(ModelError::new(ModelErrorKind::StreamInterrupted, "the model's stream ended without a reply"))
    }

    /// The tools for this turn, where they are not simply all.
    async fn offered(&self, next: &NextTurn) -> Option<Vec<ToolDefinition>> {
        if next.offered.is_none() && self.finish.is_none() && !self.agent.offer_permitted {
            return None;
        }
        let mut tools = Vec::new();
        for tool in self.agent.toolbox.definitions() {
            let named = next.offered.as_ref().is_none_or(|names| names.iter().any(|name| name == tool.name()));
            if named && (!self.agent.offer_permitted || self.may_use(tool.name()).await) {
                tools.push(tool.clone());
            }
        }
        tools.extend(self.finish.as_ref().map(|finish| finish.definition.clone()));
        Some(tools)
    }

    async fn may_use(&self, tool: &str) -> bool {
        let Some(spec) = self.agent.toolbox.spec(tool) else { return false };
        let asked = Access { tool, permission: spec.permission.as_deref(), mutating: spec.effect.is_mutating() };
        self.agent.toolbox.authorize(&self.caller, &asked).await.is_ok()
    }

    /// Asks the gates about every call of a turn.
    async fn check(&self, calls: Vec<ToolCall>, offered: Option<&[String]>) -> Turn<S> {
        let mut verdicts = Vec::with_capacity(calls.len());
        for call in &calls {
            let finish = self.finish.as_ref().filter(|_| self.plan.finish.as_ref() == Some(&call.name));
            verdicts.push(Some(match (finish, offered) {
                (Some(finish), _) => Gate::Finish(finish.check(call)),
                (None, Some(names)) if !names.contains(&call.name) => {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    Gate::Tool(Verdict::Refused(unknown(call, &names)))
                }
                _ => Gate::Tool(self.agent.toolbox.check(call, &self.caller).await),
            }));
        }
        Turn { calls, verdicts }
    }

    /// Asks the approver about each call; without one, people decide later.
    async fn ask_approval(&self, run: &Run, pending: Vec<Pending>) -> Vec<Input> {
        let span = if self.agent.approver.is_some() { spans::approval(pending.len()) } else { Span::none() };
        self.ask_approver(run, pending).instrument(span).await
    }

    async fn ask_approver(&self, run: &Run, pending: Vec<Pending>) -> Vec<Input> {
        let mut inputs = Vec::with_capacity(pending.len());
        for call in pending {
            let decision = match &self.agent.approver {
                Some(approver) => awaited(|| approver.decide(&self.caller, &call)).await.unwrap_or_else(|| {
                    tracing::error!(call = %call.call_id, "an approver panicked; the call waits");
                    None
                }),
                None => None,
            };
            let (by, decided) = match decision {
                None => (String::new(), Decided::Later),
                Some(decision) if decision.call_id != call.call_id => {
                    tracing::error!(call = %call.call_id, "an approver decided on another call than it was asked about");
                    (String::new(), Decided::Later)
                }
                Some(decision) => match self.decided(run, &decision).await {
                    Ok(decided) => (decision.by, decided),
                    Err(what) => {
                        tracing::error!(call = %call.call_id, what, "an approver's decision does not fit");
                        (String::new(), Decided::Later)
                    }
                },
            };
            inputs.push(Input::Decided { call_id: call.call_id, by, decided });
        }
        inputs
    }

    fn check_answer(&self, run: &Run) -> Result<(), String> {
        match (&self.check, run.offered_answer()) {
            (Some(check), Some((text, value))) => {
                quiet(|| check(text, value)).unwrap_or_else(|| Err("looking at it failed".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Tells a run that was taken up which of its calls may not run any more, before any of them does.
    fn refuse(&self, run: &mut Run, turn: &mut Turn<S>, clock: Clock) {
        for (index, gate) in turn.verdicts.iter_mut().enumerate() {
            if !run.is_ready(index) || !matches!(gate, Some(Gate::Tool(Verdict::Refused(_)))) {
                continue;
            }
            if let Some(Gate::Tool(Verdict::Refused(result))) = gate.take() {
                run.apply(self.plan, Input::ToolStarted(index), &mut self.listeners.clone());
                self.apply(run, Input::ToolDone(index, Box::new(result)), clock);
            }
        }
    }

    /// Runs the calls of a turn as the run allows them, until each has its result or waits for people.
    ///
    /// It needs no look at the deadline of its own: every call ends by the run's deadline or its cancellation.
    async fn run_tools(&self, run: &mut Run, turn: &mut Turn<S>, clock: Clock) {
        let mut beside = Beside::default();
        let number = run.turns_with_calls();
        loop {
            self.look_up(run, clock);
            let begin = match run.next(self.plan) {
                Step::CallTools { start } => start,
                _ => return,
            };
            for index in begin {
                run.apply(self.plan, Input::ToolStarted(index), &mut self.listeners.clone());
                match turn.verdicts.get_mut(index).and_then(Option::take) {
                    Some(Gate::Tool(Verdict::Ready(admitted))) => {
                        let at = self.dispatch(number, index, clock.deadline);
                        beside.running.push(async move { (index, self.agent.toolbox.execute(admitted, &at).await) });
                    }
                    Some(Gate::Tool(Verdict::Refused(result))) => {
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), &mut self.listeners.clone());
                    }
                    // The run starts each call once, and never the finish tool; a damaged one may ask for more.
                    Some(Gate::Finish(_)) | None => {
                        let why = "nothing is known of it that could be run.";
                        let result = held_back(&turn.calls[index], code::NOT_RUN, why, "Make it again.");
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), &mut self.listeners.clone());
                    }
                }
            }
            let done = match beside.done.pop_front() {
                Some(done) => Some(done),
                None => tokio::select! {
                    biased;
                    done = beside.running.next() => done,
                    () = self.keep() => None,
                },
            };
            if let Some((index, result)) = done {
                self.apply(run, Input::ToolDone(index, Box::new(result)), clock);
                // A call that the end of the run has cut short is not kept as one that has its result.
                self.look_up(run, clock);
                self.save(run, clock, &mut beside).await;
            }
        }
    }

    fn dispatch(&self, turn: u32, index: usize, deadline: Instant) -> Dispatch<'_, S> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut at = Dispatch::new(&self.caller, &self.agent.state, &self.agent.store, &self.run_id)
            .position(turn, index)
            .deadline(Some(deadline))
            .cancel(self.cancel.token().clone())
            .limits(self.plan.limits.call_limits())
            // A run starts a call that needs a decision once there is one.
            .approved();
        at.audit = self.audit.clone();
        if self.listeners.observer.is_some() || self.listeners.queue.is_some() {
            let listeners = self.listeners.clone();
            let sink: ProgressSink = Arc::new(move |call_id, report| {
                listeners.progress(call_id, report);
            });
            at.progress = Some(sink);
        }
        at
    }
}

impl<S> Turn<S> {
    /// The calls that a gate has refused, each with its result.
    fn refused(&self, which: impl Fn(usize) -> bool) -> Vec<(&ToolCall, &ToolResult)> {
        let gates = self.calls.iter().zip(&self.verdicts).enumerate();
        gates
            .filter(|(index, _)| which(*index))
            .filter_map(|(_, (call, gate))| match gate {
                Some(Gate::Tool(Verdict::Refused(result))) => Some((call, result)),
                _ => None,
            })
            .collect()
    }
}

impl<S> Gate<S> {
    fn checked(&self) -> Checked {
        match self {
            Self::Tool(verdict) => verdict.checked(),
            Self::Finish(checked) => checked.clone(),
        }
    }
}

/// The end of a run that has ended.
pub(super) fn ended(run: Run, failure: Option<ModelError>) -> Result<Ended, RunError> {
    match run.outcome() {
        Some(Ok(text)) => {
            let (text, value) = (text.to_owned(), run.value().map(str::to_owned));
            Ok(Ended { text, value, record: run.into_record() })
        }
        other => {
            let kind = match other {
                Some(Err(kind)) => kind.clone(),
                // `Step::Done` is given only by a run that has ended.
                _ => RunErrorKind::Invalid { what: "the run stopped without an end".to_owned() },
            };
            // Only the kind: its words may be the model's.
            tracing::warn!(run = run.id(), reason = kind.as_str(), "run ended without an answer");
            let text = run.closing_text().map(str::to_owned);
            let failure = failure.filter(|_| matches!(kind, RunErrorKind::ModelFailed(_)));
            Err(RunError::new(kind, run.into_record(), text, failure))
        }
    }
}
