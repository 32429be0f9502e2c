//! One reply from the parts in which it arrives; a whole reply is the case of one part.

use agent_core::model::{Finish, Reply, ToolCall, Usage};
use serde_json::{Map, Value};

use super::{arguments, content, echo, usage};
use crate::wire::completion::{self, Choice, Completion, Message};
use crate::wire::json::is_hollow;

/// A reply in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    id: Option<String>,
    model: Option<String>,
    text: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Building>,
    /// The call of the time before `tool_calls`, which has neither index nor id.
    legacy: Option<Building>,
    finish: Option<String>,
    usage: Option<Usage>,
    echo: Map<String, Value>,
    chosen: bool,
    first: bool,
}

/// A call in the making.
#[derive(Debug, Default)]
struct Building {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    echo: Map<String, Value>,
}

/// Why a part is none of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It has an error object in it, or says that it ended in one.
    Error,
    /// It has no list of choices.
    NoChoices,
}

impl Assembler {
    /// Takes a part: a whole reply or a chunk.
    pub(crate) fn push(&mut self, part: Completion) -> Result<(), Unfit> {
        if !is_hollow(&part.error) {
            return Err(Unfit::Error);
        }
        let choices = part.choices.ok_or(Unfit::NoChoices)?;
        self.id = self.id.take().or(part.id.0);
        self.model = self.model.take().or(part.model.0);
        self.count(part.usage.0.as_ref());
        self.count(part.x_groq.0.and_then(|groq| groq.usage.0).as_ref());
        match self.choose(choices.0.into_iter().filter_map(|choice| choice.0).collect()) {
            Some(choice) => self.take(choice),
            None => Ok(()),
        }
    }

    /// The choice with index 0. Some servers count the index up with the chunks, so where there was
    /// never a 0, any index will do.
    fn choose(&mut self, choices: Vec<Choice>) -> Option<Choice> {
        let is_first = |choice: &Choice| choice.index.0.unwrap_or(0) == 0;
        let position = match choices.iter().position(is_first) {
            Some(position) => {
                self.first = true;
                position
            }
            None if self.first => return None,
            None => 0,
        };
        choices.into_iter().nth(position)
    }

    fn count(&mut self, wire: Option<&completion::Usage>) {
        if let Some(usage) = wire.and_then(usage::complete) {
            self.usage = Some(usage);
        }
    }

    fn take(&mut self, choice: Choice) -> Result<(), Unfit> {
        if !is_hollow(&choice.error) {
            return Err(Unfit::Error);
        }
        self.chosen = true;
        self.count(choice.usage.0.as_ref());
        let whole = choice.delta.0.is_none();
        if let Some(message) = choice.delta.0.or(choice.message.0) {
            self.say(message, whole);
        }
        match choice.finish_reason.0 {
            Some(reason) if reason == "error" => Err(Unfit::Error),
            reason => {
                self.finish = reason.or(self.finish.take());
                Ok(())
            }
        }
    }

    fn say(&mut self, message: Message, whole: bool) {
        let said = content::said(message.content);
        self.text.push_str(&said.text);
        self.reasoning.push_str(&said.reasoning);
        if let Some(reasoning) = content::reasoning(&message.other) {
            self.reasoning.push_str(&reasoning);
        }
        self.refusal.push_str(message.refusal.0.as_deref().unwrap_or_default());
        echo::merge(&mut self.echo, message.other);
        for call in message.tool_calls.0.into_iter().filter_map(|call| call.0) {
            self.call(call, whole);
        }
        if let Some(function) = message.function_call.0.filter(|function| !is_empty(function)) {
            self.legacy.get_or_insert_default().continued(function);
        }
    }

    fn call(&mut self, call: completion::ToolCall, whole: bool) {
        let index = call.index.0;
        let id = call.id.0;
        let known = if whole { None } else { self.known(index, id.as_deref()) };
        let function = call.function.0.unwrap_or_default();
        let building = match known {
            Some(position) => &mut self.calls[position],
            // A call needs a name; what has neither name nor place is the tail of nothing.
            None if function.name.0.is_none() && id.is_none() => return,
            None => {
                self.calls.push(Building { index, id: id.clone(), ..Building::default() });
                // Just pushed, so there is a last one.
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        building.id = building.id.take().or(id);
        building.continued(function);
        echo::merge(&mut building.echo, call.other);
    }

    /// The call that a delta continues: by its index, else by its id, else the last one. An index
    /// that is known under another id is one that the server repeats for each call.
    fn known(&self, index: Option<u64>, id: Option<&str>) -> Option<usize> {
        let other_id =
            |building: &Building| matches!((building.id.as_deref(), id), (Some(kept), Some(id)) if kept != id);
        let same = |building: &Building| match (index, id) {
            (Some(_), _) => building.index == index,
            (None, Some(id)) => building.id.as_deref() == Some(id),
            (None, None) => true,
        };
        let position = self.calls.iter().rposition(same)?;
        let building = &self.calls[position];
        (!other_id(building)).then_some(position)
    }

    /// Whether a part had a choice in it.
    pub(crate) fn has_choice(&self) -> bool {
        self.chosen
    }

    /// The reply; `attempts` is how many requests it took.
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

impl Building {
    fn continued(&mut self, function: completion::Function) {
        // A name comes whole, in pieces, or whole again with every piece of the arguments.
        if let Some(name) = function.name.0.filter(|name| *name != self.name) {
            self.name.push_str(&name);
        }
        if let Some(piece) = arguments::piece(function.arguments) {
            self.arguments.push_str(&piece);
        }
    }

    fn built(self) -> ToolCall {
        let mut call = ToolCall::new(self.id.unwrap_or_default(), self.name, arguments::text(self.arguments));
        call.echo = echo::kept(self.echo);
        call
    }
}

fn is_empty(function: &completion::Function) -> bool {
    function.name.0.is_none() && is_hollow(&function.arguments)
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Why it stopped. Calls count for more than a server's word that it was done, a cut for more than calls.
fn finish(reason: Option<String>, calls: bool) -> Option<Finish> {
    let finish = match reason.as_deref() {
        None => None,
        Some("stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence") => Some(Finish::Stop),
        Some("tool_calls" | "function_call" | "tool_use") => Some(Finish::ToolCalls),
        Some("length" | "max_tokens" | "model_length") => Some(Finish::Length),
        Some("content_filter" | "refusal" | "safety") => Some(Finish::ContentFilter),
        Some(other) => Some(Finish::Other(other.to_owned())),
    };
    match finish {
        None | Some(Finish::Stop) if calls => Some(Finish::ToolCalls),
        Some(Finish::ToolCalls) if !calls => Some(Finish::Stop),
        finish => finish,
    }
}
