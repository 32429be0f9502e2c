//! What the scripted model does. It goes by what the request holds, as a model does, and keeps nothing itself.

use agent_examples::server::{Answered, Call, Conversation, Reply};
use serde_json::json;

use crate::FINISH;
use crate::desk::Ticket;

/// What it takes for a priority before it is told better.
const WRONG: &str = "urgent";

/// The next reply; a stubborn model does not read what is wrong.
pub(crate) fn reply(stubborn: bool, conversation: &Conversation) -> Reply {
    let last = conversation.answered.last();
    if !conversation.may_call {
        let why = last.map_or("", Answered::status);
        return Reply::Text(format!("No ticket was opened: I could not get its arguments right ({why})."));
    }
    let Some(last) = last else { return create("call_1", WRONG) };
    match last.data::<Ticket>() {
        Ok(ticket) => finish(&ticket),
        Err(_) if stubborn => create("call_2", WRONG),
        Err(_) => create("call_2", right(last).unwrap_or(WRONG)),
    }
}

/// The highest of the priorities that the validation error names.
fn right(refused: &Answered) -> Option<&'static str> {
    let problem = refused.problems().into_iter().find(|problem| problem.pointer == "/priority")?;
    ["high", "medium", "low"].into_iter().find(|priority| problem.expected.contains(priority))
}

fn create(id: &'static str, priority: &str) -> Reply {
    let arguments = format!(r#"{{"title":"Label printer in the warehouse is down","priority":"{priority}"}}"#);
    Reply::Calls(vec![Call { id, name: "create_ticket", arguments }])
}

fn finish(ticket: &Ticket) -> Reply {
    let Ticket { ticket_id, title, priority } = ticket;
    let said = format!("Ticket {ticket_id} is open, with priority {priority}: {title}.");
    let arguments = json!({ "respuesta_final": said }).to_string();
    Reply::Calls(vec![Call { id: "call_final", name: FINISH, arguments }])
}
