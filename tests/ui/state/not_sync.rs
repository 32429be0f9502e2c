//! A state that threads cannot share.

use agent_core::model::Model;
use agent_core::{Agent, State, tool, tools};

struct Ledger(std::cell::RefCell<u8>);

#[derive(State)]
struct App {
    ledger: Ledger,
}

/// Counts.
#[tool]
async fn count(ledger: &Ledger) -> u8 { //~ future cannot be sent between threads safely
    *ledger.0.borrow()
}

fn agent(model: impl Model + 'static) -> bool {
    let app = App { ledger: Ledger(std::cell::RefCell::new(1)) };
    Agent::builder(model).tools(tools![count]).state(app).build().is_ok() //~ `RefCell<u8>` cannot be shared between threads safely
}

fn main() {}
