use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Colour {
    Red,
    #[serde(alias = "Red")]
    Scarlet, //~ two variants are named `Red` on the wire; rename one of them
}

fn main() {}
