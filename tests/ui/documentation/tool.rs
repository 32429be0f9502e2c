use agent_core::tool;

#[tool]
async fn look_up() -> u8 { //~ the model is shown what `look_up` is for; write a doc comment above the function
    1
}

fn main() {}
