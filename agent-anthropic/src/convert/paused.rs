//! A turn that the server paused, and goes on with once it sees it again.

use agent_core::model::{Finish, ModelError, Reply};

use super::echo;

/// The replies of one turn.
#[derive(Debug)]
pub(crate) struct Paused {
    so_far: Option<Reply>,
    left: u32,
    over: bool,
}

impl Paused {
    /// A turn that may be sent back so often.
    pub(crate) fn new(most: u32) -> Self {
        Self { so_far: None, left: most, over: false }
    }

    /// What the server is shown again.
    pub(crate) fn so_far(&self) -> Option<&Reply> {
        self.so_far.as_ref()
    }

    /// Whether the turn has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes a reply; gives the whole one, unless it is to go on.
    ///
    /// Calls of our own must have their results first, so a turn with such does not go on by itself.
    pub(crate) fn take(&mut self, reply: Reply) -> Option<Reply> {
        let mut whole = match self.so_far.take() {
            Some(before) => joined(before, reply),
            None => reply,
        };
        let mut is_paused = whole.finish == Some(Finish::Other("pause_turn".to_owned()));
        if is_paused && !whole.calls.is_empty() {
            // The server waits for their results, as it does where it says so.
            whole.finish = Some(Finish::ToolCalls);
            is_paused = false;
        }
        // A pause before anything was said would be asked the same again, and pause again.
        let said_something = whole.text.is_some() || whole.echo.is_some();
        if is_paused && said_something && self.left > 0 {
            self.left -= 1;
            self.so_far = Some(whole);
            return None;
        }
        self.over = true;
        Some(whole)
    }

    /// The error that ends the turn, with what was said and sent before it.
    pub(crate) fn failed(&mut self, error: ModelError) -> ModelError {
        self.over = true;
        let Some(before) = self.so_far.take() else { return error };
        let attempts = before.attempts.saturating_add(error.get_attempts());
        let text = before.text.unwrap_or_default() + error.get_partial_text().unwrap_or_default();
        error.attempts(attempts).partial_text(Some(text).filter(|text| !text.is_empty()))
    }
}

/// Two replies of one turn as one: every token of both was paid for.
fn joined(first: Reply, second: Reply) -> Reply {
    let mut whole = second;
    whole.echo = echo::joined(&first, &whole);
    whole.text = text(first.text, whole.text);
    whole.reasoning = text(first.reasoning, whole.reasoning);
    whole.attempts = whole.attempts.saturating_add(first.attempts);
    whole.usage = match (first.usage, whole.usage) {
        (Some(mut sum), Some(more)) => {
            sum += more;
            Some(sum)
        }
        (one, other) => other.or(one),
    };
    whole.model = whole.model.or(first.model);
    whole.id = whole.id.or(first.id);
    whole
}

fn text(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first + &second),
        (one, other) => one.or(other),
    }
}
