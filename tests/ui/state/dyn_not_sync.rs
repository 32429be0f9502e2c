//! A trait object that threads cannot share.

use std::sync::Arc;

use agent_core::model::Model;
use agent_core::{Agent, State, tool, tools};

trait Clock {
    fn now(&self) -> u8;
}

#[derive(State)]
struct App {
    clock: Arc<dyn Clock>,
}

/// Tells the time.
#[tool]
async fn time(clock: &dyn Clock) -> u8 { //~ future cannot be sent between threads safely
    clock.now()
}

fn agent(model: impl Model + 'static, clock: Arc<dyn Clock>) -> bool {
    Agent::builder(model).tools(tools![time]).state(App { clock }).build().is_ok() //~ `(dyn Clock + 'static)` cannot be shared between threads safely
    //~^ `(dyn Clock + 'static)` cannot be sent between threads safely
}

fn main() {}
