//! A run as a person reads it.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::time::Duration;

use agent_core::model::{CallId, Model, Reply};
use agent_core::run::{ModelStep, Purpose, Record, StepRecord, ToolStep};
use agent_core::{Event, RunErrorKind, ToolResult};
use agent_openai::OpenAi;

use crate::ledger::Entry;
use crate::options::Options;

/// Turns events into lines. Calls of one turn run side by side and are shown in their order.
#[derive(Default)]
pub(super) struct Transcript {
    asked: VecDeque<CallId>,
    ended: HashMap<CallId, String>,
}

impl Transcript {
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
                self.ended.insert(step.call_id.clone(), call(step, result));
                self.in_order()
            }
            Event::CallProgress { call_id, report } => format!("  {call_id}: {report}\n"),
            Event::CircuitOpened { circuit } => format!("  stopped: {circuit}\n"),
            Event::Concluding { cause } => format!("\nClosing words, since {cause}\n"),
            Event::RunFinished { text, error, .. } => finished(text.as_deref(), error.as_ref()),
            // What began to run is shown once it has ended.
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

fn call(step: &ToolStep, result: &ToolResult) -> String {
    let ToolStep { call_id, tool, arguments, .. } = step;
    let mut text = format!("  call    {tool} {arguments}   [{call_id}]\n");
    let code = step.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let replayed = if step.replayed { " (replayed: the earlier result again, nothing was done twice)" } else { "" };
    let _ = writeln!(text, "          {}{code}{replayed}   {}", step.status.as_str(), took(step.latency));
    if let Some(data) = result.data() {
        text += &indented(data.get(), 10);
    }
    if let Some(error) = result.error_body() {
        text += &indented(&error.message, 10);
    }
    text
}

fn finished(text: Option<&str>, error: Option<&RunErrorKind>) -> String {
    let title = match error {
        None => "Answer".to_owned(),
        Some(error) => format!("No answer: {error}"),
    };
    format!("\n{title}\n") + &text.map(|text| indented(text, 2)).unwrap_or_default()
}

/// Who asks what, and whom.
pub(super) fn header(model: &OpenAi, options: &Options, prompt: &str) -> String {
    let whom = if options.live {
        format!("{}, the configured server", model.name())
    } else {
        "a script, played by a server in this program; nothing leaves this machine".to_owned()
    };
    format!("Prompt  {prompt}\nModel   {whom}\nRoles   {}\n", options.who.roles().join(", "))
}

/// What is booked.
pub(super) fn ledger(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "\nLedger: empty, nothing was booked\n".to_owned();
    }
    let mut text = format!("\nLedger: {}\n", counted(entries.len(), "invoice", "invoices"));
    for Entry { invoice_id, client, gross, tax, currency, tenant, booked_by } in entries {
        let _ = writeln!(
            text,
            "  {invoice_id}   {client}   {gross:.2} {currency}, of which tax {tax:.2}   by {booked_by} of {tenant}"
        );
    }
    text
}

/// The sums of a run.
pub(super) fn sums(record: &Record) -> String {
    let calls = record.steps.iter().filter(|step| matches!(step, StepRecord::Tool(_))).count();
    let about = if record.usage_estimated { " (some estimated)" } else { "" };
    format!(
        "\nTotal: {}, {}, {} tokens ({} in, {} out){about}, {}\n",
        counted(record.cycles as usize, "cycle", "cycles"),
        counted(calls, "call", "calls"),
        record.usage.total(),
        record.usage.input,
        record.usage.output,
        took(record.elapsed),
    )
}

fn counted(count: usize, one: &str, many: &str) -> String {
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

/// Without characters that steer a terminal: a model can write anything.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_not_written() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n"), "a\u{fffd}[2Jb\u{fffd}\n");
    }

    #[test]
    fn times_are_short() {
        let shown = [0, 12, 1_250].map(|millis| took(Duration::from_millis(millis)));
        assert_eq!(shown, ["under 1 ms", "12 ms", "1.2 s"]);
    }
}
