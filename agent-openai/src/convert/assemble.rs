//! One reply from the parts in which it arrives; a whole reply is the case of one part.

use std::borrow::Cow;

use agent_core::model::{Delta, Finish, Reply, Usage};
use agent_http::lenient::{Obj, Str};
use agent_http::opaque::Fields;

use super::call::{self, Building};
use super::{content, echo, usage};
use crate::wire::completion::{self, Choice, Completion, Message};

/// The most calls in one reply. Each piece of a call is compared with the ones before it, so an
/// endless list would cost more and more.
const MOST_CALLS: usize = 1024;

/// A reply in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    /// The most bytes of one call's arguments.
    most_bytes: usize,
    /// What was added since it was last asked, if anyone wants to see it.
    deltas: Option<Vec<Delta>>,
    id: Option<String>,
    model: Option<String>,
    text: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Building>,
    /// The place of the call that was last spoken of.
    last: usize,
    /// The call of the time before `tool_calls`, which has neither index nor id.
    legacy: Option<Building>,
    finish: Option<String>,
    usage: Option<Usage>,
    echo: Fields,
    chosen: bool,
    first: bool,
}

/// Why a part is none of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It has an error object in it, or says that it ended in one.
    Error,
    /// It has no list of choices.
    NoChoices,
    /// It has a content that cannot be read.
    Content,
    /// A call's arguments, or the number of calls, are over their limit.
    TooLarge,
}

impl Assembler {
    /// For a reply of which the parts are not shown.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, ..Self::default() }
    }

    /// Keeps what each part adds, for [`deltas`](Self::deltas).
    pub(crate) fn showing(mut self) -> Self {
        self.deltas = Some(Vec::new());
        self
    }

    /// What was added since the last time.
    pub(crate) fn deltas(&mut self) -> Vec<Delta> {
        self.deltas.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes a part: a whole reply or a chunk.
    pub(crate) fn push(&mut self, part: Completion<'_>) -> Result<(), Unfit> {
        if !part.error.is_hollow() {
            return Err(Unfit::Error);
        }
        keep(&mut self.id, part.id);
        keep(&mut self.model, part.model);
        self.count(part.usage.0.as_ref());
        self.count(part.x_groq.0.and_then(|groq| groq.usage.0).as_ref());
        let choices = part.choices.ok_or(Unfit::NoChoices)?;
        match self.choose(choices.0) {
            Some(choice) => self.take(choice),
            None => Ok(()),
        }
    }

    /// The choice with index 0. Some servers count the index up with the chunks, so where there was
    /// never a 0, any index will do.
    fn choose<'c>(&mut self, choices: Vec<Obj<Choice<'c>>>) -> Option<Choice<'c>> {
        let mut choices = choices.into_iter().filter_map(|choice| choice.0);
        let mut chosen = choices.next()?;
        if !is_first(&chosen) {
            match choices.find(is_first) {
                Some(first) => chosen = first,
                None if self.first => return None,
                None => return Some(chosen),
            }
        }
        self.first = true;
        Some(chosen)
    }

    fn count(&mut self, wire: Option<&completion::Usage>) {
        if let Some(usage) = wire.and_then(usage::complete) {
            self.usage = Some(usage);
        }
    }

    fn take(&mut self, choice: Choice<'_>) -> Result<(), Unfit> {
        if !choice.error.is_hollow() {
            return Err(Unfit::Error);
        }
        self.chosen = true;
        self.count(choice.usage.0.as_ref());
        let whole = choice.delta.0.is_none();
        if let Some(message) = choice.delta.0.or(choice.message.0) {
            self.say(message, whole)?;
        }
        match choice.finish_reason.0 {
            Some(reason) if reason == "error" => Err(Unfit::Error),
            Some(reason) => {
                self.finish = Some(reason.into_owned());
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn say(&mut self, message: Message<'_>, whole: bool) -> Result<(), Unfit> {
        let said = content::said(message.content).ok_or(Unfit::Content)?;
        let beside = content::reasoning(&message.other).unwrap_or_default();
        let refusal = message.refusal.0.unwrap_or_default();
        self.show(Delta::Reasoning, &beside);
        self.show(Delta::Reasoning, &said.reasoning);
        self.show(Delta::Text, &said.text);
        self.show(Delta::Refusal, &refusal);
        self.reasoning.push_str(&beside);
        self.reasoning.push_str(&said.reasoning);
        self.text.push_str(&said.text);
        self.refusal.push_str(&refusal);
        echo::merge(&mut self.echo, message.other);
        for call in message.tool_calls.0.into_iter().filter_map(|call| call.0) {
            self.call(call, whole)?;
        }
        if let Some(function) = message.function_call.0.filter(|function| !call::is_empty(function)) {
            let (name, arguments) = self.legacy.get_or_insert_default().continued(function);
            self.show_call(0, None, name, arguments);
            self.within(self.legacy.as_ref())?;
        }
        Ok(())
    }

    fn show(&mut self, delta: fn(String) -> Delta, text: &str) {
        if !text.is_empty() {
            self.add(|| delta(text.to_owned()));
        }
    }

    fn show_call(&mut self, index: usize, id: Option<&str>, name: Option<Cow<'_, str>>, arguments: Cow<'_, str>) {
        if id.is_some() || name.is_some() || !arguments.is_empty() {
            let (id, name) = (id.map(str::to_owned), name.map(Cow::into_owned));
            self.add(|| Delta::Call { index, id, name, arguments: arguments.into_owned() });
        }
    }

    fn add(&mut self, delta: impl FnOnce() -> Delta) {
        if let Some(deltas) = &mut self.deltas {
            if deltas.is_empty() {
                // A chunk of a stream seldom adds more than one.
                deltas.reserve_exact(1);
            }
            deltas.push(delta());
        }
    }

    fn within(&self, building: Option<&Building>) -> Result<(), Unfit> {
        let is_over = building.is_some_and(|building| building.arguments.len() > self.most_bytes);
        if is_over || self.calls.len() > MOST_CALLS { Err(Unfit::TooLarge) } else { Ok(()) }
    }

    fn call(&mut self, call: completion::ToolCall<'_>, whole: bool) -> Result<(), Unfit> {
        let index = call.index.0;
        let id = call.id.0;
        let known = if whole { None } else { self.known(index, id.as_deref()) };
        let function = call.function.0.unwrap_or_default();
        let position = match known {
            Some(position) => position,
            // A call needs a name; what has neither name nor place is the tail of nothing.
            None if function.name.0.is_none() && id.is_none() => return Ok(()),
            None => {
                self.calls.push(Building { index, ..Building::default() });
                self.calls.len() - 1
            }
        };
        self.last = position;
        // Either found or just pushed.
        let building = &mut self.calls[position];
        echo::merge(&mut building.echo, call.other);
        let new_id = if building.id.is_none() { id } else { None };
        if let Some(id) = &new_id {
            building.id = Some(id.clone().into_owned());
        }
        let (name, arguments) = building.continued(function);
        self.within(self.calls.get(position))?;
        self.show_call(position, new_id.as_deref(), name, arguments);
        Ok(())
    }

    /// The call that a delta continues: the one with its index and its id, else the one with its index, else with its
    /// id, else the last one. An index that is known under other ids alone is one that the server repeats for each call.
    fn known(&self, index: Option<u64>, id: Option<&str>) -> Option<usize> {
        let has_id = |building: &Building| building.id.as_deref() == id;
        let same = |building: &Building| match (index, id) {
            (Some(_), _) => building.index == index,
            (None, Some(_)) => has_id(building),
            (None, None) => true,
        };
        if index.is_some() && id.is_some() {
            let exact = self.calls.iter().rposition(|building| same(building) && has_id(building));
            if exact.is_some() {
                return exact;
            }
        }
        // Where several calls share what it has, it goes on with the one of them that was last spoken of.
        let last = self.calls.get(self.last).filter(|building| same(building)).map(|_| self.last);
        let position = last.or_else(|| self.calls.iter().rposition(same))?;
        let is_other = id.is_some() && self.calls[position].id.is_some() && !has_id(&self.calls[position]);
        (!is_other).then_some(position)
    }

    /// Whether a part had a choice in it.
    pub(crate) fn has_choice(&self) -> bool {
        self.chosen
    }

    /// Whether a part said why the reply ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether each call has a JSON object for its arguments.
    pub(crate) fn calls_are_whole(&self) -> bool {
        let legacy = self.legacy.iter().filter(|_| self.calls.is_empty());
        self.calls.iter().chain(legacy).all(Building::is_whole)
    }

    /// Whether its token counts came.
    pub(crate) fn has_usage(&self) -> bool {
        self.usage.is_some()
    }

    /// The text so far.
    pub(crate) fn text(&self) -> Option<String> {
        some(self.text.clone())
    }

    /// The whole reply.
    pub(crate) fn finish(self) -> Reply {
        let mut calls = self.calls;
        if calls.is_empty() {
            calls.extend(self.legacy);
        }
        let mut reply = Reply::default();
        reply.finish = finish(self.finish, !calls.is_empty());
        reply.text = some(self.text);
        reply.reasoning = some(self.reasoning);
        reply.refusal = some(self.refusal);
        reply.calls = calls.into_iter().map(Building::built).collect();
        reply.usage = self.usage;
        reply.model = self.model;
        reply.id = self.id;
        reply.echo = echo::kept(self.echo);
        reply.attempts = 1;
        reply
    }
}

/// Whether it is the choice with index 0.
fn is_first(choice: &Choice<'_>) -> bool {
    choice.index.0.unwrap_or(0) == 0
}

/// Keeps the first that comes.
fn keep(kept: &mut Option<String>, text: Str<'_>) {
    if kept.is_none() {
        *kept = text.0.map(Cow::into_owned);
    }
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Why it stopped. Calls count for more than a server's word that it was done, a cut for more than calls.
fn finish(reason: Option<String>, calls: bool) -> Option<Finish> {
    let word = reason.as_deref().map(str::to_ascii_lowercase);
    // A server that names no reason, or an empty one, has none to withhold the text for.
    let finish = match word.as_deref() {
        None | Some("") => None,
        Some("stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "complete" | "completed") => {
            Some(Finish::Stop)
        }
        Some("tool_calls" | "tool_call" | "function_call" | "tool_use") => Some(Finish::ToolCalls),
        Some("length" | "max_tokens" | "model_length") => Some(Finish::Length),
        Some("content_filter" | "refusal" | "safety") => Some(Finish::ContentFilter),
        Some(_) => reason.map(Finish::Other),
    };
    match finish {
        None | Some(Finish::Stop) if calls => Some(Finish::ToolCalls),
        Some(Finish::ToolCalls) if !calls => Some(Finish::Stop),
        finish => finish,
    }
}
