use agent_core::State;

#[derive(State)]
struct App {
    _read: Pool,
    _write: std::sync::Arc<Pool>, //~ two fields lend a `Pool`, and a tool could not tell which it borrows; wrap one in a type of its own, or leave it out with `#[state(skip)]`
}

struct Pool;

fn main() {}
