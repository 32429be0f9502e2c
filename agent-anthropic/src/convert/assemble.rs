//! One reply from the events in which it arrives; a whole reply is the case of one.

use agent_core::model::{Delta, Finish, Reply};
use agent_http::json::{self, Repaired};
use agent_http::lenient::{List, Obj, Raw, Str};
use agent_http::opaque::{Fields, Opaque};

use super::block::{Block, Kind};
use super::echo;
use super::usage::Counts;
use crate::wire::event::{Event, Piece};
use crate::wire::message::Message;

/// The most blocks in one reply. Each piece looks for its block among them, so an endless list would
/// cost more and more.
const MOST_BLOCKS: usize = 1024;

/// A reply in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    /// The most bytes of one call's arguments.
    most_bytes: usize,
    /// What was added since it was last asked, if anyone wants to see it.
    deltas: Option<Vec<Delta>>,
    id: Option<String>,
    model: Option<String>,
    container: Option<String>,
    blocks: Vec<Block>,
    calls: usize,
    finish: Option<String>,
    counts: Counts,
    /// Whether an event of a message came.
    begun: bool,
}

/// Why a part is none of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is an error, or nothing of this format.
    NoMessage,
    /// It does not belong where it stands.
    Order(&'static str),
    /// A call's arguments, or the number of blocks, are over their limit.
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

    /// Takes an event. One of a kind that is not known is left out, as the format asks for.
    pub(crate) fn event(&mut self, event: Event<'_>) -> Result<(), Unfit> {
        match event.r#type.0.as_deref().unwrap_or_default() {
            // A gateway that asks again in the middle splices a second reply into the first.
            "message_start" if !self.blocks.is_empty() => Err(Unfit::Order("begins a second message inside the first")),
            "message_start" => self.message(event.message.0.unwrap_or_default()),
            "content_block_start" => {
                let raw = event.content_block.some().ok_or(Unfit::NoMessage)?;
                self.begin(event.index.0, raw)
            }
            "content_block_delta" => self.continue_with(event.index.0, event.delta),
            "message_delta" => {
                self.begun = true;
                self.stop(fields(event.delta));
                if let Some(usage) = event.usage.0 {
                    self.counts.add(&usage);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes a message: the beginning of one, or a whole one.
    pub(crate) fn message(&mut self, message: Message<'_>) -> Result<(), Unfit> {
        self.begun = true;
        keep(&mut self.id, message.id);
        keep(&mut self.model, message.model);
        keep(&mut self.finish, message.stop_reason);
        keep(&mut self.container, message.container.0.unwrap_or_default().id);
        if let Some(usage) = message.usage.0 {
            self.counts.add(&usage);
        }
        let Some(content) = message.content.some() else { return Ok(()) };
        if let Some(text) = json::text(content) {
            // Some servers give the text itself.
            let kind = Kind::Text(text.into_owned());
            self.blocks.push(Block { index: None, kind, other: Fields::default(), continued: false });
            self.show(self.blocks.last().and_then(Block::beginning));
            return Ok(());
        }
        let repaired = Repaired::default();
        let blocks: List<Raw<'_>> = json::borrowed(content.as_bytes(), &repaired).map_err(|_| Unfit::NoMessage)?;
        for (index, raw) in (0..).zip(blocks.0) {
            self.begin(Some(index), raw.0.unwrap_or_default())?;
        }
        Ok(())
    }

    fn stop(&mut self, mut delta: Fields) {
        if let Some(reason) = delta.remove("stop_reason").and_then(Opaque::into_text) {
            self.finish = Some(reason);
        }
        let container = delta.get("container").and_then(Opaque::value);
        let id = container.as_ref().and_then(|container| container.get("id")?.as_str());
        self.container = id.map(str::to_owned).or(self.container.take());
    }

    fn begin(&mut self, index: Option<u64>, raw: &str) -> Result<(), Unfit> {
        self.begun = true;
        // What is no block says nothing.
        let Some(block) = Block::begun(index, raw, self.calls) else { return Ok(()) };
        if matches!(&block.kind, Kind::Call { input: Some(input), .. } if input.len() > self.most_bytes) {
            return Err(Unfit::TooLarge);
        }
        if index.is_some() && self.blocks.last().is_some_and(|last| is_repeated(last, &block)) {
            return Ok(());
        }
        self.push(block)
    }

    fn push(&mut self, block: Block) -> Result<(), Unfit> {
        self.calls += usize::from(matches!(block.kind, Kind::Call { .. }));
        self.show(block.beginning());
        self.blocks.push(block);
        if self.blocks.len() > MOST_BLOCKS { Err(Unfit::TooLarge) } else { Ok(()) }
    }

    fn continue_with(&mut self, index: Option<u64>, delta: Raw<'_>) -> Result<(), Unfit> {
        self.begun = true;
        let repaired = Repaired::default();
        let piece = json::borrowed::<Obj<Piece<'_>>>(delta.0.unwrap_or("{}").as_bytes(), &repaired);
        let piece = piece.ok().and_then(|piece| piece.0).unwrap_or_default();
        // The latest with this index: some servers give the same to every block.
        let known = self.blocks.iter().rposition(|block| index.is_none() || block.index == index);
        let position = match known {
            Some(position) => position,
            None => {
                let kind = piece.r#type.0.as_deref().unwrap_or_default();
                match Block::missed(index, kind) {
                    Some(block) => self.push(block)?,
                    None if kind == "input_json_delta" => {
                        return Err(Unfit::Order("has a piece of a call that never began"));
                    }
                    None => return Ok(()),
                }
                self.blocks.len() - 1
            }
        };
        // Either found or just pushed.
        let shown = self.blocks[position].continue_with(&piece, || fields(delta), self.most_bytes)?;
        self.show(shown);
        Ok(())
    }

    fn show(&mut self, delta: Option<Delta>) {
        if let (Some(deltas), Some(delta)) = (self.deltas.as_mut(), delta) {
            if deltas.is_empty() {
                // An event seldom adds more than one.
                deltas.reserve_exact(1);
            }
            deltas.push(delta);
        }
    }

    /// Whether anything of a message came.
    pub(crate) fn is_message(&self) -> bool {
        self.begun
    }

    /// Whether a part said why the reply ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The text so far.
    pub(crate) fn text(&self) -> Option<String> {
        joined(&self.blocks, |kind| match kind {
            Kind::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The whole reply.
    pub(crate) fn finish(self) -> Reply {
        let mut reply = Reply::default();
        reply.text = self.text();
        reply.reasoning = joined(&self.blocks, |kind| match kind {
            Kind::Thinking(text) => Some(text),
            _ => None,
        });
        reply.calls = self.blocks.iter().filter_map(Block::call).collect();
        reply.finish = finish(self.finish, !reply.calls.is_empty());
        reply.usage = self.counts.usage();
        reply.model = self.model;
        reply.id = self.id;
        reply.echo = echo::kept(self.blocks, self.container);
        reply.attempts = 1;
        reply
    }
}

/// Keeps what is said last.
fn keep(kept: &mut Option<String>, text: Str<'_>) {
    if let Some(text) = text.0 {
        *kept = Some(text.into_owned());
    }
}

/// All fields of a delta, as they came.
fn fields(delta: Raw<'_>) -> Fields {
    let fields = json::read::<Obj<Fields>>(delta.0.unwrap_or("{}").as_bytes());
    fields.ok().and_then(|fields| fields.0).unwrap_or_default()
}

/// Whether a block that begins is the last one once more, as where an event comes twice. A call must not
/// become two by that.
fn is_repeated(last: &Block, next: &Block) -> bool {
    let same_call = match (&last.kind, &next.kind) {
        (Kind::Call { id, name, input, .. }, Kind::Call { id: again, name: same, input: also, .. }) => {
            !id.is_empty() && id == again && name == same && input == also
        }
        _ => false,
    };
    same_call && last.index == next.index && !last.continued
}

fn joined(blocks: &[Block], text: impl Fn(&Kind) -> Option<&String>) -> Option<String> {
    let texts: String = blocks.iter().filter_map(|block| text(&block.kind)).map(String::as_str).collect();
    (!texts.is_empty()).then_some(texts)
}

/// Why it stopped. Calls count for more than a server's word that it was done, a cut for more than calls.
fn finish(reason: Option<String>, calls: bool) -> Option<Finish> {
    let finish = match reason.as_deref() {
        None => None,
        Some("end_turn" | "stop_sequence" | "stop") => Some(Finish::Stop),
        Some("tool_use" | "tool_calls") => Some(Finish::ToolCalls),
        Some("max_tokens" | "model_context_window_exceeded" | "length") => Some(Finish::Length),
        Some("refusal" | "content_filter") => Some(Finish::ContentFilter),
        Some(other) => Some(Finish::Other(other.to_owned())),
    };
    match finish {
        None | Some(Finish::Stop) if calls => Some(Finish::ToolCalls),
        Some(Finish::ToolCalls) if !calls => Some(Finish::Stop),
        finish => finish,
    }
}
