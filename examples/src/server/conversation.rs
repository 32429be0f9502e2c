//! A request as the script needs it, and everything that is checked before the script sees it.

use std::collections::HashSet;

use agent_core::Observation;
use agent_core::arguments::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::shown::Shown;
use super::wire::{Body, Call, Choice, Message, Tool};

/// What each request of a program must hold.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// The tools that it offers, in this order; a finish tool is the last.
    pub tools: &'static [&'static str],
    /// Whether each turn must call a tool, as those of a run with a finish tool.
    pub must_call: bool,
    /// The form in which results are shown.
    pub shown: Observation,
}

/// What has been said so far.
pub struct Conversation {
    pub(super) model: String,
    /// Replies of the model so far.
    pub turns: usize,
    /// Every call so far, with its result.
    pub answered: Vec<Answered>,
    /// Whether calls may be asked for; not when closing words are wanted.
    pub may_call: bool,
}

/// A call that the model asked for, with the result that it was shown.
pub struct Answered {
    id: String,
    /// The tool that was called.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
    shown: Shown,
}

impl Answered {
    /// How it ended: `success`, `business_error`, ..
    pub fn status(&self) -> &str {
        &self.shown.status
    }

    /// The value of the call, as the reader needs it.
    ///
    /// # Errors
    ///
    /// There is none, or it is of another form.
    pub fn data<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.shown.data.as_deref().map_or("null", RawValue::get))
    }

    /// The code of its error.
    pub fn code(&self) -> &str {
        self.shown.error.as_ref().map_or("no code", |error| &error.code)
    }

    /// The facts about its error; null where there are none.
    pub fn details(&self) -> &Value {
        self.shown.error.as_ref().map_or(&Value::Null, |error| &error.details)
    }

    /// What is wrong with its arguments.
    pub fn problems(&self) -> Vec<Problem> {
        let problems = self.details().get("problems");
        problems.and_then(|problems| Vec::deserialize(problems).ok()).unwrap_or_default()
    }
}

impl Conversation {
    /// Checks what a request says.
    pub(super) fn of(body: Body, expected: &Expected) -> Result<Self, String> {
        if body.model.is_empty() {
            return Err("`model` is empty".to_owned());
        }
        check_tools(&body.tools, expected.tools)?;
        let choice = if expected.must_call { Choice::Required } else { Choice::Auto };
        if body.tool_choice != choice && body.tool_choice != Choice::None {
            return Err(format!("`tool_choice` is {:?} and must be {choice:?} or None", body.tool_choice));
        }
        let mut conversation =
            Self { model: body.model, turns: 0, answered: Vec::new(), may_call: body.tool_choice != Choice::None };
        conversation.read_messages(body.messages, expected.shown)?;
        Ok(conversation)
    }

    /// A system text, a person's words, then each turn of the model with the results of its calls behind it,
    /// and at the very end, where no call may be made, the request for closing words.
    fn read_messages(&mut self, messages: Vec<Message>, shown: Observation) -> Result<(), String> {
        let count = messages.len();
        let mut messages = messages.into_iter().enumerate();
        match (messages.next(), messages.next()) {
            (Some((_, Message::System { content: system })), Some((_, Message::User { content: person })))
                if !system.is_empty() && !person.is_empty() => {}
            _ => return Err("`messages` must begin with a system text and a person's message".to_owned()),
        }
        let mut open: Vec<Call> = Vec::new();
        for (at, message) in messages {
            match message {
                Message::Tool { tool_call_id, content } => {
                    let call = open.iter().position(|call| call.id == tool_call_id).ok_or_else(|| {
                        format!("messages[{at}] answers the call `{tool_call_id}`, which is not open: {}", ids(&open))
                    })?;
                    self.answered.push(answered(open.remove(call), &content, shown, at)?);
                }
                _ if !open.is_empty() => {
                    return Err(format!("messages[{at}] stands where a result is missing: {}", ids(&open)));
                }
                Message::Assistant { content, tool_calls } => {
                    if tool_calls.is_empty() && content.is_none() {
                        return Err(format!("messages[{at}] of the assistant says nothing"));
                    }
                    self.check_ids(&tool_calls, at)?;
                    self.turns += 1;
                    open = tool_calls;
                }
                // What asks for closing words.
                Message::User { content } if !content.is_empty() && !self.may_call && at + 1 == count => {}
                Message::System { .. } | Message::User { .. } => {
                    return Err(format!("messages[{at}] has a role that does not belong there"));
                }
            }
        }
        match open.is_empty() {
            true => Ok(()),
            false => Err(format!("the last turn lacks a result: {}", ids(&open))),
        }
    }

    fn check_ids(&self, calls: &[Call], at: usize) -> Result<(), String> {
        let mut taken: HashSet<_> = self.answered.iter().map(|call| call.id.as_str()).collect();
        match calls.iter().find(|call| call.id.is_empty() || !taken.insert(&call.id)) {
            Some(call) => Err(format!("messages[{at}] has a call with an empty or repeated id: `{}`", call.id)),
            None => Ok(()),
        }
    }
}

fn answered(call: Call, content: &str, form: Observation, at: usize) -> Result<Answered, String> {
    let wrong = |what: String| format!("messages[{at}], the result of `{}`: {what}", call.id);
    let shown = Shown::read(content, form).map_err(wrong)?;
    let arguments = serde_json::from_str(&call.function.arguments)
        .map_err(|error| wrong(format!("the arguments of its call are not what was sent: {error}")))?;
    Ok(Answered { id: call.id, tool: call.function.name, arguments, shown })
}

fn ids(calls: &[Call]) -> String {
    let ids: Vec<_> = calls.iter().map(|call| format!("`{}`", call.id)).collect();
    if ids.is_empty() { "no call is".to_owned() } else { ids.join(", ") }
}

fn check_tools(tools: &[Tool], expected: &[&str]) -> Result<(), String> {
    let names: Vec<_> = tools.iter().map(|tool| tool.function.name.as_str()).collect();
    if names != expected {
        return Err(format!("the tools must be {expected:?}, in this order; they are {names:?}"));
    }
    for Tool { function, .. } in tools {
        let name = &function.name;
        if !function.strict {
            return Err(format!("the tool `{name}` is not `strict: true`"));
        }
        if function.description.is_empty() {
            return Err(format!("the tool `{name}` has no description"));
        }
        check_strict(&function.parameters).map_err(|what| format!("the parameters of `{name}` {what}"))?;
    }
    Ok(())
}

/// What strict mode asks of an object: closed, and every property required.
fn check_strict(schema: &Map<String, Value>) -> Result<(), &'static str> {
    if schema.get("type") != Some(&json!("object")) {
        return Err("are no object");
    }
    if schema.get("additionalProperties") != Some(&json!(false)) {
        return Err("lack `additionalProperties: false`");
    }
    let properties = schema.get("properties").and_then(Value::as_object).ok_or("lack `properties`")?;
    let required = schema.get("required").and_then(Value::as_array).ok_or("lack `required`")?;
    let required: HashSet<_> = required.iter().filter_map(Value::as_str).collect();
    if required != properties.keys().map(String::as_str).collect() {
        return Err("do not require exactly their properties");
    }
    match properties.values().all(|property| property.get("description").is_some_and(Value::is_string)) {
        true => Ok(()),
        false => Err("have a property without a description"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected =
        Expected { tools: &["calculateTax", "recordInvoice"], must_call: false, shown: Observation::Envelope };

    fn tool(name: &str) -> Value {
        let parameters = json!({
            "type": "object",
            "properties": { "a": { "type": "number", "description": "A." } },
            "required": ["a"],
            "additionalProperties": false,
        });
        let function = json!({ "name": name, "description": "Does.", "strict": true, "parameters": parameters });
        json!({ "type": "function", "function": function })
    }

    fn result(id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": r#"{"status":"success","data":{}}"# })
    }

    fn call(id: &str) -> Value {
        json!({ "id": id, "type": "function", "function": { "name": "calculateTax", "arguments": "{}" } })
    }

    /// A request after one turn of two calls.
    fn request() -> Value {
        json!({
            "model": "scripted",
            "messages": [
                { "role": "system", "content": "Coordinate." },
                { "role": "user", "content": "Compute." },
                { "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] },
                result("a"),
                result("b"),
            ],
            "tools": [tool("calculateTax"), tool("recordInvoice")],
        })
    }

    fn read(request: &Value) -> Result<Conversation, String> {
        Conversation::of(Body::read(request.to_string().as_bytes())?, &EXPECTED)
    }

    #[test]
    fn a_right_request_is_read() {
        let conversation = read(&request()).unwrap();
        assert_eq!((conversation.turns, conversation.answered.len(), conversation.may_call), (1, 2, true));
        let mut closing = request();
        closing["tool_choice"] = json!("none");
        assert!(!read(&closing).unwrap().may_call);
    }

    type Change = fn(&mut Value);

    #[test]
    fn each_wrong_request_is_told_what_is_wrong() {
        let cases: [(&str, Change); 15] = [
            ("unknown field `seed`", |r| r["seed"] = json!(1)),
            ("`model` is empty", |r| r["model"] = json!("")),
            ("`tool_choice` is Required", |r| r["tool_choice"] = json!("required")),
            ("must begin with a system text", |r| r["messages"][0]["role"] = json!("user")),
            ("unknown variant `function`", |r| r["messages"][3]["role"] = json!("function")),
            ("`b`, which is not open", |r| r["messages"][3] = result("b")),
            ("`c`, which is not open: `b`", |r| r["messages"][4] = result("c")),
            ("lacks a result: `b`", |r| drop(r["messages"].as_array_mut().unwrap().pop())),
            ("result is missing: `b`", |r| r["messages"][4] = json!({ "role": "assistant", "content": "Done." })),
            ("empty or repeated id: `a`", |r| r["messages"][2]["tool_calls"][1] = call("a")),
            ("not the JSON of a result", |r| r["messages"][4]["content"] = json!("RESULT: 1")),
            ("the tools must be", |r| drop(r["tools"].as_array_mut().unwrap().pop())),
            ("is not `strict: true`", |r| r["tools"][1]["function"]["strict"] = json!(false)),
            ("additionalProperties", |r| r["tools"][0]["function"]["parameters"]["additionalProperties"] = json!(true)),
            ("exactly their properties", |r| r["tools"][0]["function"]["parameters"]["required"] = json!([])),
        ];
        for (said, change) in cases {
            let mut request = request();
            change(&mut request);
            let error = read(&request).err().unwrap_or_else(|| panic!("nothing wrong was seen: {said}"));
            assert!(error.contains(said), "expected `{said}` in `{error}`");
        }
    }
}
