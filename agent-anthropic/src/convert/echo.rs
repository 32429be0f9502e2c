//! What only the server understands and needs to see again, and where text and calls stand between it.
//!
//! Kept is the list of the reply's blocks. Thinking, results of server tools and whatever is not known are kept
//! whole; text and calls are in the message already, so of these only the place is kept: how many bytes of the
//! text a block had, and that a call stood there.

use agent_core::model::{Echo, Reply, ToolCall};
use agent_http::opaque::{Fields, Opaque};
use serde_json::{Map, Value, json};

use super::FORMAT;
use super::block::{Block, Kind};

/// The blocks as they are kept with the message; none where text and calls say all.
pub(super) fn kept(blocks: Vec<Block>, container: Option<String>) -> Option<Echo> {
    let is_plain = |block: &Block| match block.kind {
        Kind::Text(_) => block.other.iter().all(|(_, value)| value.is_hollow()),
        Kind::Call { .. } => true,
        _ => false,
    };
    let texts_first = blocks.is_sorted_by_key(|block| matches!(block.kind, Kind::Call { .. }));
    if container.is_none() && texts_first && blocks.iter().all(is_plain) {
        return None;
    }
    Some(echo(blocks.into_iter().map(Block::kept).collect(), container))
}

fn echo(content: Vec<Value>, container: Option<String>) -> Echo {
    let mut fields = Map::from_iter([("content".to_owned(), Value::Array(content))]);
    if let Some(id) = container {
        fields.insert("container".to_owned(), Value::String(id));
    }
    Echo { format: FORMAT.to_owned(), fields: Value::Object(fields) }
}

/// The two replies of a turn that was paused between them, as one.
pub(super) fn joined(first: &Reply, second: &Reply) -> Option<Echo> {
    if first.echo.is_none() && second.echo.is_none() {
        return None;
    }
    let mut content = listed(first);
    content.extend(listed(second));
    let last = [second, first].into_iter().find_map(|reply| container(reply.echo.as_ref()));
    Some(echo(content, last.map(str::to_owned)))
}

/// The list of a reply's blocks, made up where it was not worth keeping.
fn listed(reply: &Reply) -> Vec<Value> {
    if let Some(content) = reply.echo.as_ref().and_then(|echo| echo.fields.get("content")?.as_array()) {
        return content.clone();
    }
    let text = reply.text.iter().map(|text| json!({"type": "text", "bytes": text.len()}));
    text.chain(reply.calls.iter().map(|_| json!({"type": "tool_use"}))).collect()
}

/// Where code ran at the server.
pub(super) fn container(echo: Option<&Echo>) -> Option<&str> {
    echo.filter(|echo| echo.format == FORMAT)?.fields.get("container")?.as_str()
}

/// A block of a message that goes back.
#[derive(Debug, PartialEq)]
pub(super) enum Sent<'a> {
    /// Text, with what stood beside it.
    Text(&'a str, Fields),
    Call(&'a ToolCall),
    /// A block as it came.
    Opaque(Fields),
}

/// The blocks of a message in the order in which they came.
///
/// Where the message was changed since, so that its text or its calls are no longer those of the list, the
/// blocks that are kept whole go first.
pub(super) fn order<'a>(echo: Option<&Echo>, text: &'a str, calls: &'a [ToolCall]) -> Vec<Sent<'a>> {
    let kept = echo.filter(|echo| echo.format == FORMAT).and_then(|echo| echo.fields.get("content")?.as_array());
    let Some(kept) = kept else { return plain(text, calls).collect() };
    in_place(kept, text, calls).unwrap_or_else(|| {
        let whole = kept.iter().filter_map(Fields::sent).filter(|block| !is_placed(&kind(block)));
        whole.map(Sent::Opaque).chain(plain(text, calls)).collect()
    })
}

fn plain<'a>(text: &'a str, calls: &'a [ToolCall]) -> impl Iterator<Item = Sent<'a>> {
    let text = (!text.is_empty()).then(|| Sent::Text(text, Fields::default()));
    text.into_iter().chain(calls.iter().map(Sent::Call))
}

/// Whether only the place of such a block is kept.
fn is_placed(kind: &str) -> bool {
    matches!(kind, "text" | "tool_use")
}

fn kind(block: &Fields) -> String {
    block.get("type").cloned().and_then(Opaque::into_text).unwrap_or_default()
}

fn in_place<'a>(kept: &[Value], text: &'a str, calls: &'a [ToolCall]) -> Option<Vec<Sent<'a>>> {
    let mut rest = text;
    let mut calls = calls.iter();
    let mut sent = Vec::with_capacity(kept.len());
    for block in kept {
        let mut block = Fields::sent(block)?;
        sent.push(match kind(&block).as_str() {
            "text" => {
                let bytes = usize::try_from(block.get("bytes")?.value()?.as_u64()?).ok()?;
                let (part, after) = rest.split_at_checked(bytes)?;
                rest = after;
                block.retain(|name, _| !matches!(name, "type" | "text" | "bytes"));
                Sent::Text(part, block)
            }
            "tool_use" => Sent::Call(calls.next()?),
            _ => Sent::Opaque(block),
        });
    }
    (rest.is_empty() && calls.next().is_none()).then_some(sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> (Echo, Vec<ToolCall>) {
        let content = json!([
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "bytes": 4, "citations": [1]},
            {"type": "tool_use"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "bytes": 2},
        ]);
        let fields = json!({"content": content});
        (Echo { format: FORMAT.to_owned(), fields }, vec![ToolCall::new("a", "look", "{}")])
    }

    #[test]
    fn blocks_go_back_in_their_order() {
        let (echo, calls) = message();
        let content = &echo.fields["content"];
        let whole = |index: usize| Sent::Opaque(Fields::sent(&content[index]).unwrap());
        let citations = Fields::sent(&json!({"citations": [1]})).unwrap();
        let expected = [
            whole(0),
            Sent::Text("One ", citations),
            Sent::Call(&calls[0]),
            whole(3),
            Sent::Text("m.", Fields::default()),
        ];
        assert_eq!(order(Some(&echo), "One m.", &calls), expected);
    }

    #[test]
    fn in_a_changed_message_the_blocks_that_are_whole_go_first() {
        let (echo, calls) = message();
        let content = &echo.fields["content"];
        let whole = |index: usize| Sent::Opaque(Fields::sent(&content[index]).unwrap());
        for (text, calls) in
            [("One", &calls[..]), ("\u{e9}\u{e9}\u{e9}\u{e9}", &calls), ("One m.", &[]), ("longer text", &calls)]
        {
            let mut expected = vec![whole(0), whole(3), Sent::Text(text, Fields::default())];
            expected.extend(calls.iter().map(Sent::Call));
            assert_eq!(order(Some(&echo), text, calls), expected);
        }
    }

    #[test]
    fn another_format_is_left_out_and_nonsense_is_no_panic() {
        let (mut echo, calls) = message();
        echo.format = "openai".to_owned();
        assert_eq!(order(Some(&echo), "Hi", &calls), [Sent::Text("Hi", Fields::default()), Sent::Call(&calls[0])]);
        for fields in [json!(1), json!({"content": 1}), json!({"content": [1, "a", null, {"type": "text"}]})] {
            let echo = Echo { format: FORMAT.to_owned(), fields };
            assert_eq!(order(Some(&echo), "Hi", &[]), [Sent::Text("Hi", Fields::default())]);
        }
    }
}
