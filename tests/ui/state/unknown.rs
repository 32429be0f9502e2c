use agent_core::State;

#[derive(State)]
struct App {
    #[state(skipp)] //~ unknown word `skipp`; did you mean `skip`?
    _read: u8,
}

fn main() {}
