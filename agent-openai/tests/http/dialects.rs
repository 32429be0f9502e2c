//! Each row of the table: what is sent, what is not, and what the guide says of it.

use agent_core::model::{Message, Model, Request, ToolChoice, ToolDefinition};
use agent_core::schema::Published;
use agent_http::KeyHeader;
use agent_openai::{ConfigError, Dialect, Limit, Parallel};
use futures_util::StreamExt;
use serde_json::json;

use crate::server::{Answer, Asked, Server};

fn tool(dialect: &'static Dialect) -> ToolDefinition {
    let parameters = r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#;
    let published = Published { description: "Tells.".to_owned(), parameters: parameters.to_owned() };
    ToolDefinition::new("now", true, [(dialect.profile, published)])
}

/// What a server of the dialect is asked, once plain and once for a stream, where everything is set.
async fn asked(dialect: &'static Dialect, choice: ToolChoice<'_>) -> Vec<Asked> {
    let answer = || Answer::json(200, &json!({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}));
    let server = Server::new([answer(), answer()]).await;
    let builder = dialect.builder().base_url(&server.base_url).api_key("k-very-secret").model("m");
    let builder = builder.developer_role(true).parallel_tool_calls(true).max_completion_tokens(9);
    let model = builder.build().unwrap();
    assert_eq!(model.profiles()[0].name, dialect.profile.name);
    let (messages, tools) = ([Message::user("?")], [tool(dialect)]);
    let request = Request::new(&messages).system(Some("S")).tools(&tools).tool_choice(choice);
    model.reply(request).await.unwrap();
    assert!(model.stream(request).collect::<Vec<_>>().await.pop().unwrap().is_ok());
    server.asked()
}

#[tokio::test]
async fn each_server_is_sent_what_it_takes_and_nothing_else() {
    for dialect in Dialect::ALL {
        let name = dialect.provider.name;
        let [plain, stream] = &asked(dialect, ToolChoice::Required).await[..] else { panic!("{name}") };
        let body = &plain.body;
        let role = if dialect.developer_role { "developer" } else { "system" };
        assert_eq!(body["messages"][0]["role"], role, "{name}");
        assert_eq!(body["tools"][0]["function"].get("strict"), dialect.strict.then_some(&json!(true)), "{name}");
        assert_eq!(body.get("tool_choice"), dialect.required.then_some(&json!("required")), "{name}");
        let parallel = (dialect.parallel != Parallel::Unknown).then_some(&json!(true));
        assert_eq!(body.get("parallel_tool_calls"), parallel, "{name}: what is set counts where it is known");
        let (limit, other) = match dialect.limit {
            Limit::MaxTokens => ("max_tokens", "max_completion_tokens"),
            _ => ("max_completion_tokens", "max_tokens"),
        };
        assert_eq!((&body[limit], body.get(other)), (&json!(9), None), "{name}");
        let usage = dialect.stream_usage.then(|| json!({"include_usage": true}));
        assert_eq!(stream.body.get("stream_options"), usage.as_ref(), "{name}");
        let (header, key) = match dialect.provider.key_header {
            KeyHeader::Named(header) => (header, "k-very-secret"),
            _ => ("authorization", "Bearer k-very-secret"),
        };
        assert_eq!(plain.header(header), Some(key), "{name}");
        let known = ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", limit];
        for field in body.as_object().unwrap().keys() {
            assert!(known.contains(&field.as_str()), "{name} is sent `{field}`");
        }
    }
}

#[tokio::test]
async fn no_choice_goes_to_a_server_that_cannot_be_told_to_call() {
    for (choice, sent) in [(ToolChoice::Tool("now"), None), (ToolChoice::None, Some(&json!("none")))] {
        assert_eq!(asked(&Dialect::OLLAMA, choice).await[0].body.get("tool_choice"), sent);
    }
}

#[tokio::test]
async fn strict_tools_of_azure_go_with_one_call_at_a_time_unless_it_is_set() {
    let server = Server::new([Answer::json(200, &json!({"choices": [{"message": {}}]}))]).await;
    let model = Dialect::AZURE.builder().base_url(&server.base_url).model("m").build().unwrap();
    let (messages, tools) = ([Message::user("?")], [tool(&Dialect::AZURE)]);
    model.reply(Request::new(&messages).tools(&tools)).await.unwrap();
    assert_eq!(server.asked()[0].body["parallel_tool_calls"], json!(false));
}

#[test]
fn a_key_is_needed_where_the_server_wants_one_and_the_error_names_its_variable() {
    for dialect in Dialect::ALL {
        let name = dialect.provider.name;
        let own = match dialect.provider.base_url {
            "" => format!("https://mine.{}/openai/v1", dialect.provider.own_host),
            url => url.to_owned(),
        };
        let builder = || dialect.builder().base_url(&own).model("m");
        match (builder().build(), dialect.provider.key_variable) {
            (Ok(_), "") => {}
            (Err(ConfigError::MissingKey { variable, .. }), wanted) => assert_eq!(variable, wanted, "{name}"),
            (other, _) => panic!("{name}: {other:?}"),
        }
        assert!(builder().api_key("k").build().is_ok(), "{name}");
    }
}

#[test]
fn an_address_and_a_model_that_only_the_user_knows_are_asked_for() {
    let azure = Dialect::AZURE.builder().api_key("k").model("m").build().unwrap_err();
    assert!(azure.to_string().contains("none is set"), "{azure}");
    let groq = Dialect::GROQ.builder().api_key("k").build().unwrap_err();
    assert!(groq.to_string().contains("`model` is not set"), "{groq}");
}

/// A row of the guide.
fn row(dialect: &Dialect) -> String {
    let code = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("`{text}`") };
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    let parallel = match dialect.parallel {
        Parallel::AsSet => "as set",
        Parallel::Never => "off",
        _ => "not sent",
    };
    let limit = match dialect.limit {
        Limit::MaxTokens => "`max_tokens`",
        _ => "as set",
    };
    let url = match dialect.provider.base_url {
        "" => "your own",
        url => &format!("`{url}`"),
    };
    [
        dialect.provider.name,
        url,
        &code(dialect.provider.key_variable),
        dialect.profile.name,
        yes(dialect.strict),
        parallel,
        yes(dialect.stream_usage),
        yes(dialect.developer_role),
        yes(dialect.required),
        limit,
    ]
    .join(" | ")
}

#[test]
fn the_guide_has_the_table_as_it_is() {
    let guide = include_str!("../../../docs/dialects.md");
    for dialect in Dialect::ALL {
        let row = format!("| {} |\n", row(dialect));
        assert!(guide.contains(&row), "docs/dialects.md has another row than\n{row}");
    }
    assert_eq!(
        guide.lines().filter(|line| line.starts_with("| ")).count(),
        Dialect::ALL.len() + 2,
        "rows of no server"
    );
}
