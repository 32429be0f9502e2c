//! The tool that the model may call, the answer that it gives, and the state that the tool borrows.

use std::fmt;

use agent_core::{State, ToolSchema, tool};
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, Ticket};

/// What the host lends to the tools.
#[derive(Debug, Default, State)]
pub(crate) struct App {
    pub(crate) desk: Desk,
}

/// How soon somebody must look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToolSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Priority {
    /// Some time this month.
    Low,
    /// This week.
    Medium,
    /// Today.
    High,
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// Opens a ticket for the support team.
#[tool(mutating, unrestricted)]
pub(crate) async fn create_ticket(
    /// What it is about, in a few words.
    #[arg(min_length = 1, max_length = 120)]
    title: String,
    /// How soon somebody must look at it.
    priority: Priority,
    desk: &Desk,
) -> Ticket {
    desk.open(title, priority)
}

/// The answer, which the model gives as the arguments of the finish tool.
#[derive(Debug, Deserialize, ToolSchema)]
pub(crate) struct Final {
    /// The answer to the person, in a sentence or two.
    #[arg(min_length = 1)]
    pub(crate) respuesta_final: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function stays a function: it is tested without a model and without an agent.
    #[tokio::test]
    async fn each_ticket_has_an_id_of_its_own() {
        let app = App::default();
        let first = create_ticket("Printer down".to_owned(), Priority::High, &app.desk).await;
        let second = create_ticket("Printer down".to_owned(), Priority::Low, &app.desk).await;
        assert_ne!(first.ticket_id, second.ticket_id);
        assert_eq!((first.title.as_str(), first.priority), ("Printer down", Priority::High));
    }
}
