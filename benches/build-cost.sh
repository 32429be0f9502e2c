#!/bin/sh
# What a program costs to build in release, printed as markdown:
#
#   benches/build-cost.sh cold    the smallest useful program, of one tool, on this project, on rig and on async-openai:
#                                 a build from nothing, its crates, its binary
#   benches/build-cost.sh tools   one more tool: the slope between 10 and 110 of them, of the last crate alone; against
#                                 the same arguments with the derives of serde and schemars, and against rig's macro
#
# CPU seconds are user and system of cargo and all that it starts, which other work on the machine changes less than
# the clock. BUILD_COST_DIR (outside the repository) keeps what is built; BUILD_COST_KINDS names some of `agent rig
# async-openai derives`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${BUILD_COST_DIR:-${TMPDIR:-/tmp}/agent-build-cost}
few=10
many=110

dependencies() {
    case $1 in
    agent)
        echo "agent-core = { path = \"$root/agent-core\" }"
        echo "agent-openai = { path = \"$root/agent-openai\" }"
        echo 'tokio = { version = "1", default-features = false, features = ["macros", "rt"] }'
        ;;
    rig)
        echo 'rig = "=0.44.0"'
        # Named by what its macro makes.
        echo 'serde = { version = "1", features = ["derive"] }'
        echo 'serde_json = "1"'
        echo 'schemars = "1"'
        echo 'tokio = { version = "1", default-features = false, features = ["macros", "rt"] }'
        ;;
    async-openai)
        echo 'async-openai = { version = "=0.43.0", features = ["chat-completion"] }'
        echo 'schemars = "1"'
        echo 'serde = { version = "1", features = ["derive"] }'
        echo 'serde_json = "1"'
        echo 'tokio = { version = "1", default-features = false, features = ["macros", "rt"] }'
        ;;
    derives)
        echo 'schemars = "1"'
        echo 'serde = { version = "1", features = ["derive"] }'
        echo 'serde_json = "1"'
        ;;
    esac
}

# A program of $2 tools on $1.
program() {
    awk -v kind="$1" -v count="$2" '
    function agent(    i, names) {
        print "use agent_core::{Agent, BusinessError, tool, tools};"
        print "use agent_openai::OpenAi;\n"
        for (i = 0; i < count; i++) {
            printf "/// Tool number %d.\n#[tool]\nasync fn tool%d(\n    /// Net amount.\n    subtotal: f64,\n    /// ISO country code.\n    country: String,\n) -> Result<String, BusinessError> {\n    Ok(format!(\"{subtotal} {country} %d\"))\n}\n\n", i, i, i
            names = names (i ? ", " : "") "tool" i
        }
        print "#[tokio::main(flavor = \"current_thread\")]\nasync fn main() -> Result<(), Box<dyn std::error::Error>> {"
        printf "    let agent = Agent::builder(OpenAi::from_env()?).tools(tools![%s]).build()?;\n", names
        print "    println!(\"{}\", agent.run(\"Use the tools.\").await?.text());\n    Ok(())\n}"
    }
    function rig(    i, adds) {
        print "use rig::{prelude::*, providers::openai::OpenAIConfig, rig_tool, tool::{ToolExecutionError, ToolOutput}};\n"
        for (i = 0; i < count; i++) {
            printf "#[rig_tool(name = \"tool%d\", description = \"Tool number %d.\", params(subtotal = \"Net amount\", country = \"ISO country code\"))]\nfn tool%d(subtotal: f64, country: String) -> Result<ToolOutput, ToolExecutionError> {\n    Ok(ToolOutput::text(format!(\"{subtotal} {country} %d\")))\n}\n\n", i, i, i, i
            adds = adds ".tool(Tool" i ")"
        }
        print "#[tokio::main(flavor = \"current_thread\")]\nasync fn main() -> Result<(), Box<dyn std::error::Error>> {"
        print "    let model = OpenAIConfig::new(std::env::var(\"OPENAI_API_KEY\")?).client().chat(\"gpt-4o-mini\");"
        printf "    let agent = AgentBuilder::new(model)%s.build();\n", adds
        print "    println!(\"{}\", agent.prompt(\"Use the tools.\").max_turns(5).await?.output());\n    Ok(())\n}"
    }
    # Arguments, functions, a schema and an arm of the dispatch for each tool.
    function derives(    i) {
        for (i = 0; i < count; i++) {
            printf "#[derive(serde::Deserialize, schemars::JsonSchema)]\nstruct Tool%dArgs {\n    /// Net amount.\n    subtotal: f64,\n    /// ISO country code.\n    country: String,\n}\n\nfn tool%d(args: Tool%dArgs) -> Result<String, String> {\n    Ok(format!(\"{} {} %d\", args.subtotal, args.country))\n}\n\n", i, i, i, i
        }
        print "fn dispatch(name: &str, args: &str) -> Result<String, String> {\n    match name {"
        for (i = 0; i < count; i++)
            printf "        \"tool%d\" => tool%d(serde_json::from_str(args).map_err(|error| error.to_string())?),\n", i, i
        print "        _ => Err(\"there is no such tool\".into()),\n    }\n}\n"
        print "fn schemas() -> Vec<(&'"'"'static str, serde_json::Value)> {\n    let mut all = Vec::new();"
        for (i = 0; i < count; i++)
            printf "    all.push((\"tool%d\", schemars::schema_for!(Tool%dArgs).to_value()));\n", i, i
        print "    all\n}\n"
    }
    function derives_main() {
        print "fn main() {\n    println!(\"{:?}\", schemas());\n    let mut given = std::env::args().skip(1);"
        print "    println!(\"{:?}\", dispatch(&given.next().unwrap_or_default(), &given.next().unwrap_or_default()));\n}"
    }
    function async_openai() {
        print "use async_openai::{Client, types::chat::*};\n"
        derives()
        print "type Failure = Box<dyn std::error::Error>;\n"
        print "#[tokio::main(flavor = \"current_thread\")]\nasync fn main() -> Result<(), Failure> {"
        print "    let client = Client::new();"
        print "    let tools: Vec<_> = schemas()\n        .into_iter()\n        .map(|(name, parameters)| {\n            ChatCompletionTools::Function(ChatCompletionTool {\n                function: FunctionObject { name: name.into(), description: None, parameters: Some(parameters), strict: None },\n            })\n        })\n        .collect();"
        print "    let mut messages: Vec<ChatCompletionRequestMessage> = vec![ChatCompletionRequestUserMessage::from(\"Use the tools.\").into()];"
        print "    for _ in 0..5 {\n        let request = CreateChatCompletionRequestArgs::default().model(\"gpt-4o-mini\").messages(messages.clone()).tools(tools.clone()).build()?;"
        print "        let message = client.chat().create(request).await?.choices.into_iter().next().ok_or(\"no choice\")?.message;"
        print "        let Some(calls) = message.tool_calls else {\n            println!(\"{}\", message.content.unwrap_or_default());\n            return Ok(());\n        };"
        print "        messages.push(ChatCompletionRequestAssistantMessageArgs::default().tool_calls(calls.clone()).build()?.into());"
        print "        for call in calls {\n            if let ChatCompletionMessageToolCalls::Function(call) = call {\n                let content = dispatch(&call.function.name, &call.function.arguments)?;\n                messages.push(ChatCompletionRequestToolMessage { tool_call_id: call.id, content: content.into() }.into());\n            }\n        }\n    }"
        print "    Err(\"too many turns\".into())\n}"
    }
    BEGIN {
        if (kind == "agent") agent()
        else if (kind == "rig") rig()
        else if (kind == "async-openai") async_openai()
        else { derives(); derives_main() }
    }'
}

# The folder of a program on $1, with one tool.
prepare() {
    mkdir -p "$work/$1/src"
    # What is ours has the versions of the repository.
    if [ "$1" = agent ]; then cp "$root/Cargo.lock" "$work/agent/Cargo.lock"; fi
    {
        printf '[package]\nname = "cost"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n'
        dependencies "$1"
    } > "$work/$1/Cargo.toml"
    program "$1" 1 > "$work/$1/src/main.rs"
    # Fetched, and the lock file written, outside of what is measured.
    (cd "$work/$1" && cargo fetch --quiet)
}

# User and system seconds of a release build of $1.
build() {
    (cd "$work/$1" && CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/$1/target" sh -c 'time -p cargo build --release --quiet') 2> "$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    awk '$1 == "user" || $1 == "sys" { sum += $2 } $1 == "real" { real = $2 } END { printf "%.2f %.1f\n", sum, real }' "$work/log"
}

size() {
    strip -o "$work/stripped" "$work/$1/target/release/cost"
    wc -c < "$work/stripped"
}

cold() {
    echo '| the smallest useful program on | CPU s from nothing | wall s | crates | binary MB | stripped MB |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: |'
    for kind in $1; do
        prepare "$kind"
        rm -rf "$work/$kind/target"
        taken=$(build "$kind")
        # Those that are compiled in, and those that compile them.
        crates=$(cd "$work/$kind" && cargo tree --prefix none -e normal,build | sed 's/ (.*//' | sort -u | wc -l)
        echo "$kind $taken $crates $(wc -c < "$work/$kind/target/release/cost") $(size "$kind")" |
            awk '{ printf "| %s | %.0f | %.0f | %d | %.1f | %.1f |\n", $1, $2, $3, $4, $5 / 1e6, $6 / 1e6 }'
    done
}

# The least of three.
least() {
    best=
    for _ in 1 2 3; do
        touch "$work/$1/src/main.rs"
        taken=$(build "$1")
        taken=${taken% *}
        if [ -z "$best" ] || awk "BEGIN { exit !($taken < $best) }"; then best=$taken; fi
    done
    echo "$best"
}

tools() {
    echo "| tools by | $few tools | $many tools | a further tool | stripped bytes a tool |"
    echo '| --- | ---: | ---: | ---: | ---: |'
    for kind in $1; do
        prepare "$kind"
        # What is below it.
        build "$kind" > /dev/null
        program "$kind" "$few" > "$work/$kind/src/main.rs"
        a=$(least "$kind")
        small=$(size "$kind")
        program "$kind" "$many" > "$work/$kind/src/main.rs"
        b=$(least "$kind")
        large=$(size "$kind")
        awk -v kind="$kind" -v a="$a" -v b="$b" -v s="$small" -v l="$large" -v n=$((many - few)) 'BEGIN {
            printf "| %s | %.2f s | %.2f s | %.0f ms | %.1f kB |\n", kind, a, b, (b - a) * 1000 / n, (l - s) / 1000 / n
        }'
    done
}

mkdir -p "$work"
case ${1:-} in
cold) cold "${BUILD_COST_KINDS:-agent async-openai rig}" ;;
tools) tools "${BUILD_COST_KINDS:-derives agent rig}" ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
