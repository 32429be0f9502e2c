//! Answers that the suite has servers give.

use super::wire::ScriptedWire;
use crate::model::{Finish, Reply, ToolCall, Usage};

/// The answers, each with what it is about.
pub(super) fn answers(wire: &dyn ScriptedWire) -> Vec<(&'static str, Reply)> {
    let text = || said("One moment, \u{e9}\u{1f600}.", Finish::Stop);
    let mut calls = said("Let me look.", Finish::ToolCalls);
    calls.calls = vec![
        ToolCall::new("call-b", "look", r#"{"at":"b","n":12345678901234567890,"x":0.1}"#),
        ToolCall::new("call-a", "look", r#"{"at":"a","deep":{"list":[1,null,true]}}"#),
        ToolCall::new("call-c", "touch", "{}"),
    ];
    let mut only_calls = calls.clone();
    only_calls.text = None;
    let mut same_ids = only_calls.clone();
    same_ids.calls.iter_mut().for_each(|call| call.id = crate::model::CallId::new("call-a"));
    let mut thinking = calls.clone();
    thinking.reasoning = Some("They want to know.".to_owned());
    let mut answers = vec![
        ("text", text()),
        ("text that was cut", said("One mo", Finish::Length)),
        ("text that a filter ended", said("One mo", Finish::ContentFilter)),
        ("text that ended for a reason of the server's own", said("One mo", Finish::Other("tired".to_owned()))),
        ("text and calls", calls),
        ("calls alone", only_calls),
        ("calls of one id", same_ids),
    ];
    if wire.shows_reasoning() {
        answers.push(("reasoning, text and calls", thinking));
    }
    if wire.shows_refusals() {
        let mut refused = said("", Finish::Stop);
        (refused.text, refused.refusal) = (None, Some("That I will not do.".to_owned()));
        answers.push(("a refusal", refused));
    }
    answers
}

pub(super) fn said(text: &str, finish: Finish) -> Reply {
    let mut reply = Reply::text(text).finish(finish).usage(Usage::new(120, 30).cached_input(100));
    reply.id = Some("reply-1".to_owned());
    reply.model = Some("model-1".to_owned());
    reply
}
