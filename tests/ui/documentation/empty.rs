use agent_core::tool;

///
#[tool]
async fn look_up() -> u8 { //~ the model is shown what `look_up` is for
    1
}

fn main() {}
