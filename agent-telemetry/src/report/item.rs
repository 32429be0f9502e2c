//! What is told of a run, in order.

use std::collections::HashMap;
use std::time::Duration;

use agent_core::dispatch::ToolResult;
use agent_core::model::{Body, CallId, Message, Reply};
use agent_core::run::{ModelStep, Pending, Purpose, Record, StepRecord, ToolStep};
use agent_core::{Event, RunErrorKind, Status};

use super::Seen;
use super::html::counted;

/// A run as it is told.
pub(super) struct Story<'a> {
    pub(super) run_id: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) tenant: Option<&'a str>,
    pub(super) end: End<'a>,
    /// What the run ended with: the answer, or closing words.
    pub(super) text: Option<&'a str>,
    pub(super) elapsed: Duration,
    /// Whether the times were seen, and not only added up.
    pub(super) is_timed: bool,
    pub(super) items: Vec<Item<'a>>,
    pub(super) messages: &'a [Message],
}

pub(super) enum End<'a> {
    Answered,
    Error(&'a RunErrorKind),
    /// It goes on, or nobody saw its end.
    Open,
}

/// One thing that happened.
pub(super) struct Item<'a> {
    pub(super) start: Duration,
    pub(super) end: Duration,
    pub(super) cycle: u32,
    pub(super) what: What<'a>,
}

pub(super) enum What<'a> {
    Model {
        step: &'a ModelStep,
        reply: Option<&'a Reply>,
    },
    ModelFailed {
        message: &'a str,
    },
    Tool {
        step: &'a ToolStep,
        result: Option<&'a ToolResult>,
        shown: Option<&'a str>,
    },
    /// A call that has not ended.
    Open {
        name: &'a str,
    },
    Wait {
        what: String,
    },
    Note {
        what: String,
    },
}

/// How something ended, for the eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Model,
    Success,
    Replayed,
    Business,
    Validation,
    Denied,
    NotRun,
    Fault,
    Open,
    Wait,
    Note,
}

impl Mark {
    /// A sign that is told from the others without colour, and the class of its style.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Model => "✦",
            Self::Success => "✓",
            Self::Replayed => "↺",
            Self::Business => "!",
            Self::Validation => "?",
            Self::Denied => "⊘",
            Self::NotRun => "–",
            Self::Fault => "✗",
            Self::Open => "…",
            Self::Wait => "◷",
            Self::Note => "◆",
        }
    }

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Success => "success",
            Self::Replayed => "replayed",
            Self::Business => "business",
            Self::Validation => "validation",
            Self::Denied => "denied",
            Self::NotRun => "notrun",
            Self::Fault => "fault",
            Self::Open => "open",
            Self::Wait => "wait",
            Self::Note => "note",
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Success => "success",
            Self::Replayed => "replayed",
            Self::Business => "business error",
            Self::Validation => "wrong arguments",
            Self::Denied => "not allowed",
            Self::NotRun => "not run",
            Self::Fault => "failed",
            Self::Open => "not ended",
            Self::Wait => "wait",
            Self::Note => "event",
        }
    }
}

impl Item<'_> {
    pub(super) fn mark(&self) -> Mark {
        match &self.what {
            What::Model { .. } => Mark::Model,
            What::ModelFailed { .. } => Mark::Fault,
            What::Tool { step, .. } => match step.status {
                Status::Success if step.replayed => Mark::Replayed,
                Status::Success => Mark::Success,
                Status::BusinessError => Mark::Business,
                Status::ValidationError => Mark::Validation,
                Status::PermissionDenied => Mark::Denied,
                _ if step.attempts == 0 => Mark::NotRun,
                _ => Mark::Fault,
            },
            What::Open { .. } => Mark::Open,
            What::Wait { .. } => Mark::Wait,
            What::Note { .. } => Mark::Note,
        }
    }

    pub(super) fn name(&self) -> &str {
        match &self.what {
            What::Model { step, .. } => match step.purpose {
                Purpose::Close => "closing words",
                Purpose::Compact => "summary",
                _ => "model",
            },
            What::ModelFailed { .. } => "model",
            What::Tool { step, .. } => &step.tool,
            What::Open { name } => name,
            What::Wait { what } | What::Note { what } => what,
        }
    }

    /// Whether there is more to read of it.
    pub(super) fn has_details(&self) -> bool {
        matches!(self.what, What::Model { .. } | What::ModelFailed { .. } | What::Tool { .. })
    }

    pub(super) fn tries(&self) -> u32 {
        match &self.what {
            What::Model { step, .. } => step.attempts,
            What::Tool { step, .. } => step.attempts,
            _ => 1,
        }
    }

    pub(super) fn time(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}

impl<'a> Story<'a> {
    pub(super) fn of(seen: &'a Seen) -> Self {
        let record = seen.record.as_ref();
        let mut story = Self {
            run_id: seen.run_id.as_deref().unwrap_or_default(),
            user: None,
            tenant: None,
            end: seen.end.as_ref().map_or(End::Open, End::Error),
            text: None,
            elapsed: record.map_or(Duration::ZERO, |record| record.elapsed),
            is_timed: !seen.events.is_empty(),
            items: Vec::new(),
            messages: record.map_or(&[], |record| &record.messages),
        };
        story.add_events(&seen.events);
        // Of a run that had ended before, only its end was told.
        if story.items.is_empty()
            && let Some(record) = record
        {
            story.is_timed = false;
            story.add_record(record, matches!(story.end, End::Open));
        }
        let last = story.items.iter().map(|item| item.end).max().unwrap_or_default();
        story.elapsed = story.elapsed.max(last);
        story
    }

    fn add_events(&mut self, events: &'a [(Duration, Event)]) {
        let mut started: HashMap<&CallId, (Duration, u32, &str)> = HashMap::new();
        // Since when calls wait for people.
        let mut asked = Duration::ZERO;
        let (mut cycle, mut last) = (0, Duration::ZERO);
        for (at, event) in events {
            let at = *at;
            match event {
                Event::RunStarted { user, tenant, .. } => {
                    (self.user, self.tenant) = (Some(user.as_str()), Some(tenant.as_str()));
                }
                Event::CycleStarted { cycle: now, .. } => cycle = *now,
                Event::ModelReplied { step, reply } => {
                    let what = What::Model { step, reply: Some(reply) };
                    self.push(at.saturating_sub(step.latency), at, step.cycle, what);
                    asked = at;
                }
                Event::ModelFailed { message } => self.push(last, at, cycle, What::ModelFailed { message }),
                Event::CallStarted { cycle, call } => {
                    started.insert(&call.id, (at, *cycle, &call.name));
                }
                Event::CallFinished { step, result } => {
                    let start = started.remove(&step.call_id).map_or(at.saturating_sub(step.latency), |(at, ..)| at);
                    self.push(start, at, step.cycle, What::Tool { step, result: Some(result), shown: None });
                }
                Event::Decided { decision, by, .. } => {
                    let what = What::Wait { what: format!("{decision} by {by}") };
                    self.push(asked, at, cycle, what);
                }
                Event::Suspended { pending } => {
                    asked = at;
                    self.note(at, cycle, waits_for(pending));
                }
                Event::RunFinished { text, error, elapsed, .. } => {
                    self.end = error.as_ref().map_or(End::Answered, End::Error);
                    self.text = text.as_deref();
                    self.elapsed = (*elapsed).max(at);
                }
                other => {
                    if let Some(note) = note(other) {
                        self.note(at, cycle, note);
                    }
                }
            }
            last = at;
        }
        let mut open: Vec<_> = started.into_values().collect();
        open.sort();
        for (at, cycle, name) in open {
            self.push(at, last, cycle, What::Open { name });
        }
        self.items.sort_by_key(|item| (item.start, item.end));
    }

    fn add_record(&mut self, record: &'a Record, may_have_answered: bool) {
        let shown: HashMap<_, _> = record
            .messages
            .iter()
            .filter_map(|message| match message.body() {
                Body::Tool { call_id, content, .. } => Some((call_id, content.as_str())),
                _ => None,
            })
            .collect();
        let mut at = Duration::ZERO;
        for step in &record.steps {
            let (time, cycle, what) = match step {
                StepRecord::Model(step) => (step.latency, step.cycle, What::Model { step, reply: None }),
                StepRecord::Tool(step) => {
                    let shown = shown.get(&step.call_id).copied();
                    (step.latency, step.cycle, What::Tool { step, result: None, shown })
                }
                _ => continue,
            };
            let end = at.saturating_add(time);
            self.push(at, end, cycle, what);
            at = end;
        }
        if let Some(Body::Assistant { text, calls, .. }) = record.messages.last().map(Message::body)
            && calls.is_empty()
        {
            self.text = text.as_deref();
            if may_have_answered {
                self.end = End::Answered;
            }
        }
    }

    fn push(&mut self, start: Duration, end: Duration, cycle: u32, what: What<'a>) {
        self.items.push(Item { start, end, cycle, what });
    }

    fn note(&mut self, at: Duration, cycle: u32, what: String) {
        self.push(at, at, cycle, What::Note { what });
    }
}

fn waits_for(pending: &[Pending]) -> String {
    let tools: Vec<_> = pending.iter().map(|pending| pending.tool.as_str()).collect();
    format!("waits for people to decide on {}", tools.join(", "))
}

fn note(event: &Event) -> Option<String> {
    Some(match event {
        Event::HistoryRepaired { damage } => format!("the history was repaired: {}", damage.join("; ")),
        Event::Compacted { before, after, summarised } => {
            let how = if *summarised { "with a summary" } else { "results left out" };
            format!("the conversation made room, {how}: {} to {} tokens", counted(*before), counted(*after))
        }
        // The reason may quote the answer; it stands among the messages, as far as those are shown.
        Event::AnswerSentBack { .. } => "the answer was sent back".to_owned(),
        Event::CircuitOpened { .. } => "circuit opened".to_owned(),
        Event::Concluding { .. } => "asked for closing words".to_owned(),
        _ => return None,
    })
}
