//! Each row of the table: what is sent, what is not, and what the guide says of it.

use agent_core::model::{Message, Model, Request, ToolChoice, ToolDefinition};
use agent_core::schema::Published;
use agent_http::{KeyHeader, Provider};
use agent_openai::{ConfigError, Dialect, Limit, Parallel};
use futures_util::StreamExt;
use serde_json::json;

use crate::ask;
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

/// What a row of the table comes to, written out again so that a change of the row is seen.
struct Expected {
    name: &'static str,
    base_url: &'static str,
    own_host: &'static str,
    /// The header of the key, and what goes before the key in it.
    key: (&'static str, &'static str),
    variables: [&'static str; 3],
    model: Option<&'static str>,
    profile: &'static str,
    strict: bool,
    /// What is sent where it was set, and where it was not.
    parallel: [Option<bool>; 2],
    stream_usage: bool,
    role: &'static str,
    forces: bool,
    limit: &'static str,
}

const OPENAI: Expected = Expected {
    name: "OpenAI",
    base_url: "https://api.openai.com/v1",
    own_host: "api.openai.com",
    key: ("authorization", "Bearer "),
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
    model: Some("gpt-4o-mini"),
    profile: "OpenAI",
    strict: true,
    parallel: [Some(true), None],
    stream_usage: true,
    role: "developer",
    forces: true,
    limit: "max_completion_tokens",
};

const OTHER: Expected =
    Expected { model: None, profile: "at least one provider", strict: false, role: "system", ..OPENAI };

const EXPECTED: [Expected; 10] = [
    OPENAI,
    Expected {
        name: "Azure OpenAI",
        base_url: "",
        own_host: "openai.azure.com",
        key: ("api-key", ""),
        variables: ["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_MODEL"],
        model: None,
        profile: "Azure OpenAI",
        parallel: [Some(true), Some(false)],
        ..OPENAI
    },
    Expected {
        name: "OpenRouter",
        base_url: "https://openrouter.ai/api/v1",
        own_host: "openrouter.ai",
        variables: ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "OPENROUTER_MODEL"],
        ..OTHER
    },
    Expected {
        name: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        own_host: "api.groq.com",
        variables: ["GROQ_API_KEY", "GROQ_BASE_URL", "GROQ_MODEL"],
        ..OTHER
    },
    Expected {
        name: "DeepSeek",
        base_url: "https://api.deepseek.com/v1",
        own_host: "api.deepseek.com",
        variables: ["DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "DEEPSEEK_MODEL"],
        parallel: [None, None],
        limit: "max_tokens",
        ..OTHER
    },
    Expected {
        name: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        own_host: "api.mistral.ai",
        variables: ["MISTRAL_API_KEY", "MISTRAL_BASE_URL", "MISTRAL_MODEL"],
        stream_usage: false,
        limit: "max_tokens",
        ..OTHER
    },
    Expected {
        name: "Gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        own_host: "generativelanguage.googleapis.com",
        variables: ["GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL"],
        profile: "Gemini",
        parallel: [None, None],
        ..OTHER
    },
    Expected {
        name: "Ollama",
        base_url: "http://localhost:11434/v1",
        own_host: "",
        variables: ["", "OLLAMA_BASE_URL", "OLLAMA_MODEL"],
        parallel: [None, None],
        forces: false,
        limit: "max_tokens",
        ..OTHER
    },
    Expected {
        name: "vLLM",
        base_url: "http://localhost:8000/v1",
        own_host: "",
        variables: ["", "VLLM_BASE_URL", "VLLM_MODEL"],
        ..OTHER
    },
    Expected {
        name: "llama.cpp",
        base_url: "http://localhost:8080/v1",
        own_host: "",
        variables: ["", "LLAMA_CPP_BASE_URL", "LLAMA_CPP_MODEL"],
        model: Some("default"),
        limit: "max_tokens",
        ..OTHER
    },
];

#[test]
fn each_row_has_the_address_the_host_and_the_variables_of_its_server() {
    assert_eq!(Dialect::ALL.len(), EXPECTED.len());
    for (dialect, expected) in Dialect::ALL.into_iter().zip(&EXPECTED) {
        let Provider { name, base_url, own_host, key_variable, url_variable, .. } = dialect.provider;
        assert_eq!((name, base_url, own_host), (expected.name, expected.base_url, expected.own_host));
        assert_eq!([key_variable, url_variable, dialect.model_variable], expected.variables, "{name}");
        assert_eq!((dialect.model, dialect.profile.name), (expected.model, expected.profile), "{name}");
        let header = match dialect.provider.key_header {
            KeyHeader::Named(header) => (header, ""),
            _ => ("authorization", "Bearer "),
        };
        assert_eq!(header, expected.key, "{name}");
    }
}

#[tokio::test]
async fn each_server_is_sent_what_it_takes_and_nothing_else() {
    for (dialect, expected) in Dialect::ALL.into_iter().zip(&EXPECTED) {
        let name = expected.name;
        let [plain, stream] = &asked(dialect, ToolChoice::Required).await[..] else { panic!("{name}") };
        let body = &plain.body;
        assert_eq!(plain.line, "POST /v1/chat/completions HTTP/1.1");
        assert_eq!(body["messages"][0]["role"], expected.role, "{name}");
        assert_eq!(body["tools"][0]["function"].get("strict"), expected.strict.then_some(&json!(true)), "{name}");
        assert_eq!(body.get("tool_choice"), expected.forces.then_some(&json!("required")), "{name}");
        let parallel = expected.parallel[0].map(|parallel| json!(parallel));
        assert_eq!(body.get("parallel_tool_calls"), parallel.as_ref(), "{name}");
        let other = ["max_tokens", "max_completion_tokens"].into_iter().find(|name| *name != expected.limit).unwrap();
        assert_eq!((&body[expected.limit], body.get(other)), (&json!(9), None), "{name}");
        let usage = expected.stream_usage.then(|| json!({"include_usage": true}));
        assert_eq!(stream.body.get("stream_options"), usage.as_ref(), "{name}");
        let (header, prefix) = expected.key;
        assert_eq!(plain.header(header), Some(&*format!("{prefix}k-very-secret")), "{name}");
        let known = ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", expected.limit];
        for field in body.as_object().unwrap().keys() {
            assert!(known.contains(&field.as_str()), "{name} is sent `{field}`");
        }
    }
}

#[tokio::test]
async fn without_a_word_on_it_parallel_calls_are_left_to_the_server_but_for_azure() {
    for (dialect, expected) in Dialect::ALL.into_iter().zip(&EXPECTED) {
        let server = Server::new([Answer::json(200, &json!({"choices": [{"message": {}}]}))]).await;
        let model = dialect.builder().base_url(&server.base_url).model("m").build().unwrap();
        let (messages, tools) = ([Message::user("?")], [tool(dialect)]);
        model.reply(Request::new(&messages).tools(&tools)).await.unwrap();
        let parallel = expected.parallel[1].map(|parallel| json!(parallel));
        assert_eq!(server.asked()[0].body.get("parallel_tool_calls"), parallel.as_ref(), "{}", expected.name);
    }
}

#[tokio::test]
async fn a_row_of_ones_own_changes_any_column() {
    // As `docs/dialects.md` has it.
    static MINE: Dialect = {
        let mut mine = Dialect::OLLAMA;
        mine.profile = &agent_core::profile::OPENAI;
        mine.strict = true;
        mine.parallel = Parallel::AsSet;
        mine.stream_usage = false;
        mine.developer_role = true;
        mine.required = true;
        mine.limit = Limit::AsSet;
        mine.model = Some("mine");
        mine
    };
    let [plain, stream] = &asked(&MINE, ToolChoice::Required).await[..] else { panic!() };
    let body = &plain.body;
    assert_eq!(body["messages"][0]["role"], "developer");
    assert_eq!(body["tools"][0]["function"]["strict"], json!(true));
    assert_eq!((&body["tool_choice"], &body["parallel_tool_calls"]), (&json!("required"), &json!(true)));
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(9), None));
    assert_eq!(stream.body.get("stream_options"), None);
    let named = format!("{:?}", MINE.builder().build().unwrap());
    assert!(named.contains(r#"model: "mine""#), "{named}");
}

#[tokio::test]
async fn the_fields_that_can_be_set_beside_the_table_are_sent_whatever_it_says() {
    // What `docs/dialects.md` says of `extra` and `header`.
    let server = Server::new([Answer::json(200, &json!({"choices": [{"message": {}}]}))]).await;
    let builder = Dialect::MISTRAL.builder().base_url(&server.base_url).model("m").header("x-lamp", "on");
    let options = json!({"include_usage": true});
    let model = builder.extra("stream_options", options.clone()).extra("safe_prompt", true).build().unwrap();
    assert!(ask(&model, Request::new(&[Message::user("?")]), true).await.is_ok());
    let asked = &server.asked()[0];
    assert_eq!((&asked.body["stream_options"], &asked.body["safe_prompt"]), (&options, &json!(true)));
    assert_eq!(asked.header("x-lamp"), Some("on"));
}

#[tokio::test]
async fn no_choice_goes_to_a_server_that_cannot_be_told_to_call() {
    for (choice, sent) in [(ToolChoice::Tool("now"), None), (ToolChoice::None, Some(&json!("none")))] {
        assert_eq!(asked(&Dialect::OLLAMA, choice).await[0].body.get("tool_choice"), sent);
    }
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
