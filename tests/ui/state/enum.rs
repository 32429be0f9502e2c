use agent_core::State;

#[derive(State)]
enum App { //~ an agent's state is a struct; each of its fields is lent to tools
    _One(u8),
}

fn main() {}
