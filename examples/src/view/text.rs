//! A run as a person reads it.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::time::Duration;

use agent_core::arguments::Problem;
use agent_core::model::{CallId, Reply};
use agent_core::run::{ModelStep, Purpose, Record, StepRecord, ToolStep};
use agent_core::{Event, Limits, Observation, RunErrorKind, ToolResult};
use serde::Deserialize;

use crate::Model;

/// Turns events into lines. Calls of one turn run side by side and are shown in their order.
pub(super) struct Transcript {
    shown: Option<Observation>,
    asked: VecDeque<CallId>,
    ended: HashMap<CallId, String>,
}

impl Transcript {
    pub(super) fn new(shown: Option<Observation>) -> Self {
        Self { shown, asked: VecDeque::new(), ended: HashMap::new() }
    }

    pub(super) fn event(&mut self, event: &Event) -> String {
        match event {
            Event::RunStarted { run_id, user, tenant } => format!("Run     {run_id}\nCaller  {user} of {tenant}\n"),
            Event::CycleStarted { cycle, of } => format!("\nCycle {cycle} of at most {of}\n"),
            Event::ModelReplied { step, reply } => {
                self.asked.extend(reply.calls.iter().map(|call| call.id.clone()));
                replied(step, reply)
            }
            Event::ModelFailed { message } => format!("  model   failed: {message}\n"),
            Event::CallFinished { step, result } => {
                self.ended.insert(step.call_id.clone(), call(step, result, self.shown));
                self.in_order()
            }
            Event::CallProgress { call_id, report } => format!("  {call_id}: {report}\n"),
            Event::CircuitOpened { circuit } => format!("  stopped: {circuit}\n"),
            Event::Concluding { cause } => format!("\nClosing words, since {cause}\n"),
            Event::RunFinished { text, error: Some(error), .. } => no_answer(text.as_deref(), error),
            // What began to run is shown once it has ended, and the answer goes to stdout.
            _ => String::new(),
        }
    }

    /// The calls that have ended and have none before them that has not.
    fn in_order(&mut self) -> String {
        let mut lines = String::new();
        while let Some(text) = self.asked.front().and_then(|first| self.ended.remove(first)) {
            self.asked.pop_front();
            lines += &text;
        }
        lines
    }
}

fn replied(step: &ModelStep, reply: &Reply) -> String {
    let asks = match (step.purpose, step.calls) {
        (Purpose::Close, _) => "closes".to_owned(),
        (_, 0) => "answers".to_owned(),
        (_, 1) => "asks for 1 call".to_owned(),
        (_, calls) => format!("asks for {calls} calls"),
    };
    let about = if step.usage_estimated { " (estimated)" } else { "" };
    let (input, output) = (step.usage.input, step.usage.output);
    let mut text = format!("  model   {asks}   {}   {input} + {output} tokens{about}\n", took(step.latency));
    // The answer itself comes at the end.
    if let Some(said) = reply.text.as_deref().filter(|_| step.calls > 0) {
        text += &indented(said, 10);
    }
    text
}

fn call(step: &ToolStep, result: &ToolResult, shown: Option<Observation>) -> String {
    let ToolStep { call_id, tool, arguments, .. } = step;
    let mut text = format!("  call    {tool} {arguments}   [{call_id}]\n");
    let code = step.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let replayed = if step.replayed { " (replayed: the earlier result again, nothing was done twice)" } else { "" };
    let _ = writeln!(text, "          {}{code}{replayed}   {}", step.status.as_str(), took(step.latency));
    if let Some(form) = shown {
        return text + &indented(&form.render(result, Limits::default().max_result_bytes), 10);
    }
    if let Some(data) = result.data() {
        text += &indented(data.get(), 10);
    }
    if let Some(error) = result.error_body() {
        text += &indented(&error.message, 10);
        for problem in error.details.as_ref().map(problems).unwrap_or_default() {
            text += &indented(&problem.to_string(), 10);
        }
    }
    text
}

/// What is wrong with the arguments, where that is what the details say.
fn problems(details: &serde_json::Value) -> Vec<Problem> {
    details.get("problems").and_then(|problems| Vec::deserialize(problems).ok()).unwrap_or_default()
}

fn no_answer(closing: Option<&str>, error: &RunErrorKind) -> String {
    format!("\nNo answer: {error}\n") + &closing.map(|text| indented(text, 2)).unwrap_or_default()
}

/// What is asked, of whom, and by whom.
pub(super) fn header(model: &Model, prompt: &str, roles: &[&str]) -> String {
    let roles = if roles.is_empty() { "none".to_owned() } else { roles.join(", ") };
    format!("Prompt  {prompt}\nModel   {}\nRoles   {roles}\n", model.about())
}

/// The sums of a run, after a word for when it was.
pub(super) fn sums(record: &Record, when: &str) -> String {
    let calls = record.steps.iter().filter(|step| matches!(step, StepRecord::Tool(_))).count();
    let about = if record.usage_estimated { " (some estimated)" } else { "" };
    format!(
        "\n{when}: {}, {}, {} tokens ({} in, {} out){about}, {}\n",
        counted(record.cycles as usize, "cycle", "cycles"),
        counted(calls, "call", "calls"),
        record.usage.total(),
        record.usage.input,
        record.usage.output,
        took(record.elapsed),
    )
}

/// A count with its word: `1 cycle`, `3 cycles`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn took(time: Duration) -> String {
    match time.as_millis() {
        0 => "under 1 ms".to_owned(),
        millis @ 1..1000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

fn indented(text: &str, by: usize) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{:by$}{}", "", line);
        all
    })
}

/// Without characters that steer a terminal, or turn around what stands beside them: a model can write anything.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if steers(c) && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Control characters, and the marks of Unicode that change direction or break lines.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_not_written() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n"), "a\u{fffd}[2Jb\u{fffd}\n");
        assert_eq!(printable("\u{9b}2J\u{7}\u{202e}cba\u{2069}\tä"), "\u{fffd}2J\u{fffd}\u{fffd}cba\u{fffd}\u{fffd}ä");
    }

    #[test]
    fn times_are_short() {
        let shown = [0, 12, 1_250].map(|millis| took(Duration::from_millis(millis)));
        assert_eq!(shown, ["under 1 ms", "12 ms", "1.2 s"]);
    }
}
