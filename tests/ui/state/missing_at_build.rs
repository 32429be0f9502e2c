use agent_core::model::Model;
use agent_core::{Agent, tool, tools};

struct Mailer;

/// Sends.
#[tool]
async fn send(mailer: &Mailer) -> u8 {
    let _ = mailer;
    1
}

fn agent(model: impl Model + 'static) -> bool {
    Agent::builder(model).tools(tools![send]).build().is_ok() //~ the agent's state does not hold a `Mailer`
}

fn main() {}
