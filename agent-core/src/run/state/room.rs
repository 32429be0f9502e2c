//! Makes room in a conversation that has grown too long.

use serde::{Deserialize, Serialize};

use super::{Phase, Run, budget};
use crate::model::{Body, Message};
use crate::run::end::RunErrorKind;
use crate::run::event::{Event, EventSink, tell};
use crate::run::input::Purpose;
use crate::run::plan::Plan;

/// The conversation as it is sent, once it is no longer the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Context {
    messages: Vec<Message>,
    /// The place of the person's prompt.
    prompt_at: usize,
}

impl Context {
    pub(super) fn is_whole(&self) -> bool {
        self.prompt_at < self.messages.len()
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }
}

/// A result shorter than this is not worth leaving out.
const WORTH_LEAVING_OUT: usize = 200;

const ASK_FOR_SUMMARY: &str = "Sum up the conversation so far for yourself, since it will be left out to make room: \
    what the person wants, what was found and done with every figure, id and error that may still be needed, and what is \
    left to do. Call no tool.";

fn ask_for_closing_words(cause: &RunErrorKind) -> String {
    let boundary = cause.boundary();
    format!(
        "(This is the end: {boundary}. Call no tool. Tell the person what was done, what was not, and that this is why.)"
    )
}

impl Run {
    /// The conversation as it is sent: the whole, or what is left of it after older parts made room.
    pub fn conversation(&self) -> &[Message] {
        self.context.as_ref().map_or(&self.record.messages, |context| &context.messages)
    }

    /// What the model is sent for this purpose, where it is not [`conversation`](Self::conversation) itself: before closing
    /// words or a summary, the request for them. It is kept in no conversation.
    pub fn request_messages(&self, purpose: Purpose) -> Option<Vec<Message>> {
        let (until, ask) = match purpose {
            Purpose::Turn => return None,
            Purpose::Close => (self.conversation().len(), ask_for_closing_words(self.halt.as_ref()?)),
            Purpose::Compact => (self.present_turn(), ASK_FOR_SUMMARY.to_owned()),
        };
        let mut messages = self.conversation()[..until].to_vec();
        messages.push(Message::user(ask));
        Some(messages)
    }

    /// Goes to the model's turn, by way of a summary where the conversation is over the window's mark.
    pub(super) fn ask_model(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        self.phase = Phase::Model(Purpose::Turn);
        let Some(window) = plan.window else { return };
        let mark = window.mark();
        if self.tokens(plan) > mark {
            self.make_room(plan, mark, sink);
        }
    }

    /// Leaves out results until the conversation is under the mark, and asks for a summary where that is not enough.
    pub(super) fn make_room(&mut self, plan: &Plan, mark: u64, sink: &mut impl EventSink) -> bool {
        let before = self.tokens(plan);
        let left_out = self.leave_out_results(plan, mark);
        if left_out {
            let after = self.tokens(plan);
            tell(sink, || Event::Compacted { before, after, summarised: false });
        }
        let asks = self.tokens(plan) > mark && self.older_part().len() > 1 && self.spent_budget(plan).is_none();
        if asks && self.take_extra_call(plan) {
            self.phase = Phase::Model(Purpose::Compact);
            return true;
        }
        left_out
    }

    /// Puts the summary in place of the older part.
    pub(super) fn summarised(&mut self, plan: &Plan, summary: &str, sink: &mut impl EventSink) {
        self.phase = Phase::Model(Purpose::Turn);
        if summary.trim().is_empty() {
            return;
        }
        let before = self.tokens(plan);
        let older = self.older_part();
        let prompt_at = self.prompt_at();
        let keeps_prompt = older.contains(&prompt_at);
        let mut messages = self.conversation()[..older.start].to_vec();
        let place = if keeps_prompt {
            messages.push(self.conversation()[prompt_at].clone());
            messages.len() - 1
        } else if prompt_at < older.start {
            prompt_at
        } else {
            prompt_at + messages.len() + 1 - older.end
        };
        messages.push(Message::user(format!("(The conversation so far, summed up to make room:)\n{summary}")));
        messages.extend_from_slice(&self.conversation()[older.end..]);
        self.replace(plan, Context { messages, prompt_at: place });
        let after = self.tokens(plan);
        tell(sink, || Event::Compacted { before, after, summarised: true });
    }

    /// The tokens of the next request, about: as the server counted the last one, and what came since.
    pub(super) fn tokens(&self, plan: &Plan) -> u64 {
        match self.measured {
            Some((tokens, size)) => tokens.saturating_add(budget::tokens_of(self.size.saturating_sub(size))),
            None => budget::tokens_of(self.size.saturating_add(plan.fixed_size)),
        }
    }

    fn replace(&mut self, plan: &Plan, context: Context) {
        self.size = budget::sizes(plan, &context.messages);
        self.context = Some(context);
        self.measured = None;
    }

    fn prompt_at(&self) -> usize {
        self.context.as_ref().map_or(self.prompt_at, |context| context.prompt_at)
    }

    /// Where the present turn begins: at the last calls, whose results the model has not seen, else at the person's prompt,
    /// else at the last message.
    fn present_turn(&self) -> usize {
        let conversation = self.conversation();
        let said = |message: &Message| matches!(message.body(), Body::Assistant { .. });
        let last = conversation.len().saturating_sub(1);
        match conversation.iter().rposition(said) {
            // A notice to the model may stand behind the results.
            Some(last_said) if matches!(conversation[last_said].body(), Body::Assistant { calls, .. } if !calls.is_empty()) => {
                last_said
            }
            Some(last_said) if last_said > self.prompt_at() => last,
            _ => self.prompt_at().min(last),
        }
    }

    /// What lies between the person's first message and the present turn.
    fn older_part(&self) -> std::ops::Range<usize> {
        let person = |message: &Message| matches!(message.body(), Body::User { .. });
        let first = self.conversation().iter().position(person).map_or(0, |first| first + 1);
        let end = self.present_turn();
        first.min(end)..end
    }

    /// Leaves out results of earlier turns, the oldest first, until the mark is met.
    fn leave_out_results(&mut self, plan: &Plan, mark: u64) -> bool {
        let older = self.older_part();
        let mut over = self.tokens(plan).saturating_sub(mark);
        let mut messages = None;
        for index in older {
            if over == 0 {
                break;
            }
            let Body::Tool { call_id, name, content } = self.conversation()[index].body() else { continue };
            if content.len() < WORTH_LEAVING_OUT {
                continue;
            }
            let note = format!("(The result of {} bytes was left out to make room.)", content.len());
            let freed = plan.size(content).saturating_sub(plan.size(&note));
            over = over.saturating_sub(budget::tokens_of(freed));
            let short = Message::tool(call_id.clone(), name.clone(), note);
            messages.get_or_insert_with(|| self.conversation().to_vec())[index] = short;
        }
        let Some(messages) = messages else { return false };
        let prompt_at = self.prompt_at();
        self.replace(plan, Context { messages, prompt_at });
        true
    }
}
