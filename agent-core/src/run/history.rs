//! Conversations from elsewhere, made whole.

use std::collections::HashSet;

use crate::model::{Body, CallId, Message};

/// Mends a conversation so that every call has its one result, right after it and in call order, and says what was wrong.
///
/// A provider refuses a conversation with a call that has no result, or a result that has no call,
/// for good: interrupted programs leave such ones behind.
///
/// ```
/// use agent_core::model::{Message, ToolCall};
/// use agent_core::run::repair;
/// let cut = vec![Message::user("Hi"), Message::assistant_calls(None, vec![ToolCall::new("a", "look", "{}")])];
/// let (mended, damage) = repair(cut);
/// assert_eq!((mended.len(), damage.len()), (3, 1));
/// assert_eq!(repair(mended).1, Vec::<String>::new());
/// ```
pub fn repair(messages: Vec<Message>) -> (Vec<Message>, Vec<String>) {
    let mut mended: Vec<Message> = Vec::with_capacity(messages.len());
    let mut damage = Vec::new();
    let mut seen: HashSet<CallId> = HashSet::new();
    let mut messages = messages.into_iter().peekable();
    while let Some(message) = messages.next() {
        match message.body() {
            Body::Tool { call_id, .. } => damage.push(format!("a result without a call was left out: {call_id}")),
            Body::Assistant { calls, .. } if !calls.is_empty() => {
                let mut results = Vec::new();
                while messages.peek().is_some_and(|next| matches!(next.body(), Body::Tool { .. })) {
                    results.extend(messages.next());
                }
                turn(message, results, &mut seen, &mut mended, &mut damage);
            }
            _ => mended.push(message),
        }
    }
    (mended, damage)
}

/// One turn: the calls, then a result for each.
fn turn(
    asked: Message,
    results: Vec<Message>,
    seen: &mut HashSet<CallId>,
    mended: &mut Vec<Message>,
    damage: &mut Vec<String>,
) {
    let Body::Assistant { text, refusal, calls, echo } = asked.body() else { return };
    let mut results: Vec<Option<Message>> = results.into_iter().map(Some).collect();
    let mut kept = calls.clone();
    let mut answers = Vec::with_capacity(kept.len());
    for (index, call) in kept.iter_mut().enumerate() {
        let result =
            results.iter_mut().find(|result| result.as_ref().is_some_and(|result| answers_call(result, &call.id)));
        let result = result.and_then(Option::take);
        if result.is_none() {
            damage.push(format!("a call without a result was given one: {}", call.id));
        }
        let given = call.id.clone();
        let mut number = index;
        while call.id.as_str().is_empty() || !seen.insert(call.id.clone()) {
            call.id = CallId::new(format!("call_again_{number}"));
            number += 1;
        }
        if call.id != given {
            damage.push(format!("a call's id was used before: {given:?} became {}", call.id));
        }
        answers.push(match result {
            Some(result) if call.id == given => result,
            Some(result) => renamed(&result, &call.id),
            None => {
                let lost = "The call was interrupted; nobody knows its result. Do not rely on it.";
                Message::tool(call.id.clone(), call.name.clone(), lost)
            }
        });
    }
    for left in results.into_iter().flatten() {
        if let Body::Tool { call_id, .. } = left.body() {
            damage.push(format!("a result without a call was left out: {call_id}"));
        }
    }
    if kept == *calls {
        mended.push(asked);
    } else {
        mended.push(Message::reply(text.clone(), refusal.clone(), kept, echo.clone()));
    }
    mended.append(&mut answers);
}

fn answers_call(result: &Message, id: &CallId) -> bool {
    matches!(result.body(), Body::Tool { call_id, .. } if call_id == id)
}

fn renamed(result: &Message, id: &CallId) -> Message {
    match result.body() {
        Body::Tool { name, content, .. } => Message::tool(id.clone(), name.clone(), content.clone()),
        _ => result.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolCall;

    fn asks(ids: &[&str]) -> Message {
        Message::assistant_calls(None, ids.iter().map(|id| ToolCall::new(*id, "look", "{}")).collect())
    }

    fn result(id: &str) -> Message {
        Message::tool(CallId::new(id), "look", format!("result of {id}"))
    }

    fn ids(messages: &[Message]) -> Vec<String> {
        let results = messages.iter().filter_map(|message| match message.body() {
            Body::Tool { call_id, .. } => Some(call_id.to_string()),
            _ => None,
        });
        results.collect()
    }

    #[test]
    fn a_whole_conversation_stays_as_it_is() {
        let whole = vec![Message::user("Hi"), asks(&["a", "b"]), result("a"), result("b"), Message::assistant("Bye")];
        let (mended, damage) = repair(whole.clone());
        assert_eq!((mended, damage), (whole, vec![]));
    }

    #[test]
    fn results_are_put_in_call_order_and_missing_ones_are_made() {
        let (mended, damage) = repair(vec![asks(&["a", "b", "c"]), result("c"), result("a")]);
        assert_eq!(ids(&mended), ["a", "b", "c"]);
        assert_eq!(damage.len(), 1);
    }

    #[test]
    fn results_that_nobody_asked_for_are_left_out() {
        let (mended, damage) = repair(vec![result("x"), asks(&["a"]), result("a"), result("a"), Message::user("Hi")]);
        assert_eq!(mended, [asks(&["a"]), result("a"), Message::user("Hi")]);
        assert_eq!(damage.len(), 2);
    }

    #[test]
    fn ids_that_were_used_before_become_unique() {
        let (mended, damage) = repair(vec![asks(&["a", ""]), result("a"), result(""), asks(&["a"]), result("a")]);
        let ids = ids(&mended);
        assert_eq!(ids.len(), 3);
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3, "{ids:?}");
        assert_eq!(damage.len(), 2);
    }
}
