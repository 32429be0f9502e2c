//! A model that tries every tool.

use agent_core::run::StepRecord;
use agent_core::testing::EveryTool;
use agent_core::{Agent, Status, ToolSchema, tool, tools};

macro_rules! reads {
    ($($name:ident)*) => {
        $(
            /// Takes a code.
            #[tool]
            async fn $name(
                /// A code, of a length that no provider is told.
                #[arg(pattern = "^[A-Z]+$", min_length = 4, max_length = 6)]
                code: String,
                /// A name.
                #[arg(min_length = 9)]
                name: String,
            ) -> usize {
                code.len() + name.len()
            }
        )*
    };
}

reads! { a b c d e f g h i j k l m n o p q r s t }

/// What was found.
#[derive(serde::Deserialize, ToolSchema)]
struct Found {
    /// Its length.
    #[arg(minimum = 2)]
    length: u8,
}

#[tokio::test]
async fn every_tool_is_called_within_the_default_limits_with_values_that_keep_to_every_rule() {
    let all = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t];
    let agent = Agent::builder(EveryTool::new()).tools(all).build().unwrap();
    let answer = agent.run("Try them.").await.unwrap();
    let steps = &answer.record().steps;
    let done = steps.iter().filter(|step| matches!(step, StepRecord::Tool(call) if call.status == Status::Success));
    assert_eq!(done.count(), 20, "{steps:?}");
    assert_eq!(answer.record().cycles, 3);
}

#[tokio::test]
async fn the_finish_tool_is_called_after_the_others() {
    let agent = Agent::builder(EveryTool::new()).tools(tools![a, b]).build().unwrap();
    let answer = agent.run("Try them.").answer::<Found>().await.unwrap();
    assert_eq!(answer.value().length, 2);
    assert_eq!(answer.record().cycles, 2);
}
