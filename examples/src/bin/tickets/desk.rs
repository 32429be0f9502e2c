//! Where tickets are kept: in memory, for as long as the program runs.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_examples::view::counted;
use serde::{Deserialize, Serialize};

use crate::tools::Priority;

/// A ticket, as the model is told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ticket {
    pub(crate) ticket_id: String,
    pub(crate) title: String,
    pub(crate) priority: Priority,
}

/// The tickets that were opened.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    tickets: Mutex<Vec<Ticket>>,
}

impl Desk {
    /// Opens a ticket under the next id.
    pub(crate) fn open(&self, title: String, priority: Priority) -> Ticket {
        let mut tickets = self.lock();
        let ticket = Ticket { ticket_id: format!("tck_{:06}", tickets.len() + 1), title, priority };
        tickets.push(ticket.clone());
        ticket
    }

    /// What is open, for a person.
    pub(crate) fn summary(&self) -> String {
        let tickets = self.lock();
        if tickets.is_empty() {
            return "\nTickets: none was opened\n".to_owned();
        }
        let mut text = format!("\nTickets: {}\n", counted(tickets.len(), "ticket", "tickets"));
        for Ticket { ticket_id, title, priority } in &*tickets {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "  {ticket_id}   {title}   {priority}");
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Ticket>> {
        // Tickets are pushed whole, so a poisoned desk is whole too.
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
