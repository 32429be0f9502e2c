//! A model that does what the case says, and approvers and callers of all kinds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::model::{Finish, Model, ModelError, ModelErrorKind, Reply, Request, ToolChoice};
use agent_core::run::Pending;
use agent_core::schema::Profile;
use agent_core::{Approver, Decision, SecurityContext, profile};

use super::case::{Approval, Turn};
use super::invariants::check_history;

/// Does one turn after the other, and the last one for ever.
pub(super) struct Moody {
    pub(super) turns: Vec<Turn>,
    pub(super) asked: Arc<AtomicU32>,
}

#[async_trait::async_trait]
impl Model for Moody {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "moody"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        check_history(request.messages);
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) as usize;
        if request.tool_choice == ToolChoice::None && asked.is_multiple_of(2) {
            return Ok(Reply::text("So be it."));
        }
        match self.turns[asked.min(self.turns.len() - 1)].clone() {
            Turn::Text => Ok(Reply::text("So be it.")),
            Turn::Empty => Ok(Reply::text("")),
            Turn::Refusal => {
                let mut reply = Reply::text("");
                reply.refusal = Some("I will not.".to_owned());
                Ok(reply)
            }
            Turn::Filtered => Ok(Reply::text("..").finish(Finish::ContentFilter)),
            Turn::Cut(calls) => Ok(Reply::calls(calls).finish(Finish::Length)),
            Turn::Calls(calls) => Ok(Reply::calls(calls)),
            Turn::Huge(call) => Ok(Reply::calls(vec![call; 1_025])),
            Turn::Panics => panic!("secret-panic"),
            Turn::Fails(kind) => Err(ModelError::new(kind, "down")),
            Turn::TooLong => Err(ModelError::new(ModelErrorKind::ContextLength, "too long")),
            Turn::Slow => {
                tokio::time::sleep(Duration::from_millis(80)).await;
                Ok(Reply::text("So be it."))
            }
            Turn::Silent => std::future::pending().await,
        }
    }
}

pub(super) struct Person(pub(super) Approval);

#[async_trait::async_trait]
impl Approver for Person {
    async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
        match self.0 {
            Approval::Approves => Some(pending.approve("boss")),
            Approval::Rejects => Some(pending.reject("boss", "no.")),
            Approval::Edits => Some(pending.edit("boss", r#"{"how":"ok","n":2}"#)),
            Approval::Leaves | Approval::Nobody => None,
        }
    }
}
