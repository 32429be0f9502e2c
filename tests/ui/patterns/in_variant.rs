use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Way {
    _Road {
        /// The plate.
        #[arg(pattern = "^(?=[A-Z])")] //~ no look-around
        plate: String,
    },
    _Sea,
}

fn main() {}
