//! The same answer, made up at random, once whole and once as a stream, both sent in pieces that are cut anywhere.

use agent_core::model::{Delta, Message, Model, Reply, Request};
use agent_openai::reqwest;
use futures_util::StreamExt;
use serde_json::{Map, Value, json};

use crate::server::{Answer, Server};

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }

    fn of<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }

    fn text(&mut self) -> String {
        const WORDS: [&str; 10] =
            ["a ", "\n", "\"", "\\", "\u{e9}", "\u{1f600}", "data: ", "[DONE]", "\u{2028}", "{\"a\":1}"];
        let words = self.below(8);
        (0..words).map(|_| self.of(&WORDS)).collect()
    }

    /// The text in one to four pieces.
    fn pieces(&mut self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = (0..self.below(4)).map(|_| self.below(letters.len() + 1)).collect();
        cuts.extend([0, letters.len()]);
        cuts.sort_unstable();
        cuts.windows(2).map(|cut| letters[cut[0]..cut[1]].iter().collect()).collect()
    }

    /// The bytes in up to thirty pieces, whose ends may lie inside a letter, a line or an end of one.
    fn cut(&mut self, bytes: &[u8]) -> Answer {
        let mut cuts: Vec<usize> = (0..self.below(30)).map(|_| self.below(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        Answer::Cut(cuts.windows(2).map(|cut| bytes[cut[0]..cut[1]].to_vec()).collect())
    }
}

/// A message, and the deltas that come to the same.
fn message(random: &mut Random) -> (Value, Vec<Value>) {
    let mut message = Map::new();
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    for name in ["reasoning_content", "content", "refusal"] {
        let text = random.text();
        deltas.extend(random.pieces(&text).into_iter().map(|piece| json!({name: piece})));
        message.insert(name.to_owned(), json!(text));
    }
    if random.below(5) == 0 {
        // The call of the time before `tool_calls`.
        let (name, arguments) = (random.of(&["look", "up"]), json!({"a": random.text()}).to_string());
        deltas.push(json!({"function_call": {"name": name, "arguments": ""}}));
        let pieces = random.pieces(&arguments).into_iter();
        deltas.extend(pieces.map(|piece| json!({"function_call": {"arguments": piece}})));
        message.insert("function_call".to_owned(), json!({"name": name, "arguments": arguments}));
        return (Value::Object(message), deltas);
    }
    // Some servers give every call the same index, and tell them apart by their ids alone.
    let one_index = random.below(3) == 0;
    let mut calls = Vec::new();
    // The pieces of neighbouring calls may come in turn.
    let mut queues = Vec::new();
    for call in 0..random.below(4) {
        let arguments = json!({"a": random.text(), "n": random.below(9)}).to_string();
        let (id, name) = (format!("c{call}"), random.of(&["look", "up"]));
        let extra = json!({"signature": random.text() + "s"});
        let pieces = random.pieces(&arguments);
        let index = if one_index { 0 } else { call };
        let begun = json!({"index": index, "id": id, "function": {"name": name, "arguments": ""}, "extra": extra});
        let more = pieces.into_iter().map(|piece| match one_index {
            true => json!({"index": index, "id": id, "function": {"arguments": piece}}),
            false => json!({"index": index, "function": {"arguments": piece}}),
        });
        queues.push(std::iter::once(begun).chain(more).collect::<std::collections::VecDeque<_>>());
        calls.push(json!({"id": id, "function": {"name": name, "arguments": arguments}, "extra": extra}));
    }
    // The first piece of each in order, so that the calls are in theirs.
    let begun: Vec<_> = queues.iter_mut().filter_map(std::collections::VecDeque::pop_front).collect();
    deltas.extend(begun.into_iter().map(|call| json!({"tool_calls": [call]})));
    while queues.iter().any(|queue| !queue.is_empty()) {
        let at = random.below(queues.len());
        deltas.extend(queues[at].pop_front().map(|call| json!({"tool_calls": [call]})));
    }
    message.insert("tool_calls".to_owned(), Value::Array(calls));
    (Value::Object(message), deltas)
}

fn answers(random: &mut Random) -> [String; 2] {
    let (message, deltas) = message(random);
    let reason = random.of(&["stop", "tool_calls", "length", "content_filter", "tired"]);
    let usage = json!({"prompt_tokens": random.below(99), "completion_tokens": random.below(99)});
    let whole = json!({"id": "r", "model": "m", "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}]});
    let end = random.of(&["\n\n", "\r\n\r\n"]);
    let chunk = |body: Value| format!("data: {body}{end}");
    let choice = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        chunk(json!({"id": "r", "model": "m", "choices": [choice]}))
    };
    let mut events: Vec<String> = deltas.into_iter().map(|delta| choice(delta, None)).collect();
    events.push(choice(json!({}), Some(reason)));
    events.push(chunk(json!({"choices": [], "usage": usage})));
    if random.below(3) > 0 {
        events.push(format!("data: [DONE]{end}"));
    }
    let comment = format!(": still here{end}");
    for _ in 0..random.below(4) {
        events.insert(random.below(events.len() + 1), comment.clone());
    }
    let mark = random.of(&["", "\u{feff}"]);
    [format!("{mark}{whole}"), format!("{mark}{}", events.concat())]
}

async fn streamed(model: &impl Model, messages: &[Message]) -> Reply {
    let (mut text, mut thought) = (String::new(), String::new());
    let mut items = model.stream(Request::new(messages));
    while let Some(item) = items.next().await {
        match item.unwrap() {
            Delta::Text(piece) => text += &piece,
            Delta::Reasoning(piece) => thought += &piece,
            Delta::Done(reply) => {
                assert_eq!(reply.text.as_deref().unwrap_or_default(), text);
                assert_eq!(reply.reasoning.as_deref().unwrap_or_default(), thought);
                return reply;
            }
            _ => {}
        }
    }
    panic!("no end")
}

#[tokio::test]
async fn any_answer_reads_the_same_plain_and_as_a_stream_either_way_it_was_asked_for() {
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
    let messages = [Message::user("?")];
    let mut random = Random(7);
    for turn in 0..300 {
        let bodies = answers(&mut random);
        let [whole, events, also_whole, also_events] = [0, 1, 0, 1].map(|body| random.cut(bodies[body].as_bytes()));
        let server = Server::new([whole, events, also_whole, also_events]).await;
        let model = server.builder().client(client.clone()).max_retries(0).build().unwrap();
        let plain = model.reply(Request::new(&messages)).await.unwrap();
        let [whole, events] = &bodies;
        assert_eq!(streamed(&model, &messages).await, plain, "{turn}: {whole}\n{events}");
        assert_eq!(streamed(&model, &messages).await, plain, "{turn}: a whole reply to one who asked for a stream");
        let swapped = model.reply(Request::new(&messages)).await.unwrap();
        assert_eq!(swapped, plain, "{turn}: a stream to one who asked for a whole reply");
    }
}
