//! A subscriber that keeps what it is told.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};

pub(crate) type Fields = BTreeMap<&'static str, String>;

/// Level, target and fields of an event.
pub(crate) type Told = (Level, &'static str, Fields);

#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) name: &'static str,
    pub(crate) parent: Option<u64>,
    /// What it was made with.
    pub(crate) made: Fields,
    /// What it has in the end.
    pub(crate) fields: Fields,
    pub(crate) closed: bool,
}

/// Keeps spans and events of the targets that begin with `agent`.
#[derive(Clone, Default)]
pub(crate) struct Keep {
    pub(crate) spans: Arc<Mutex<BTreeMap<u64, Seen>>>,
    pub(crate) events: Arc<Mutex<Vec<Told>>>,
    handles: Arc<Mutex<BTreeMap<u64, u64>>>,
    inside: Arc<Mutex<Vec<u64>>>,
    next: Arc<AtomicU64>,
}

struct Read<'a>(&'a mut Fields);

impl Visit for Read<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Keep {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("agent")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        let mut made = Fields::new();
        span.record(&mut Read(&mut made));
        let parent = self.inside.lock().unwrap().last().copied();
        let seen = Seen { name: span.metadata().name(), parent, fields: made.clone(), made, closed: false };
        self.spans.lock().unwrap().insert(id, seen);
        self.handles.lock().unwrap().insert(id, 1);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut Read(&mut self.spans.lock().unwrap().get_mut(&span.into_u64()).unwrap().fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Read(&mut fields));
        let metadata = event.metadata();
        self.events.lock().unwrap().push((*metadata.level(), metadata.target(), fields));
    }

    fn enter(&self, span: &Id) {
        self.inside.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, _: &Id) {
        self.inside.lock().unwrap().pop();
    }

    fn clone_span(&self, id: &Id) -> Id {
        *self.handles.lock().unwrap().get_mut(&id.into_u64()).unwrap() += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut handles = self.handles.lock().unwrap();
        let left = handles.get_mut(&id.into_u64()).unwrap();
        *left -= 1;
        if *left == 0 {
            self.spans.lock().unwrap().get_mut(&id.into_u64()).unwrap().closed = true;
        }
        *left == 0
    }
}

impl Keep {
    pub(crate) fn spans(&self) -> Vec<Seen> {
        self.spans.lock().unwrap().values().cloned().collect()
    }

    /// The fields of each event at this level, in order.
    pub(crate) fn events_at(&self, level: Level) -> Vec<Fields> {
        let events = self.events.lock().unwrap();
        events.iter().filter(|(at, ..)| *at == level).map(|(.., fields)| fields.clone()).collect()
    }
}
