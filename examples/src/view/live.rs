//! What runs at this moment, redrawn in place: a line with a spinner and its time for the model and for each call.

use std::time::Duration;

use agent_core::Event;
use agent_core::model::CallId;
use console::measure_text_width;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::Instant;

use super::text::printable;

/// How often the spinners turn.
pub(super) const TURN: Duration = Duration::from_millis(100);

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// As much of what a model says is kept; more than a terminal is wide.
const MOST_SAID: usize = 1_024;

/// The lines of what runs, below those that stay.
pub(super) struct Live {
    screen: MultiProgress,
    columns: Box<dyn Fn() -> usize + Send>,
    style: ProgressStyle,
    running: Vec<Running>,
}

/// What runs, and since when.
struct Running {
    who: Who,
    what: String,
    /// The end of it is shown: what was said last, or what a tool reports.
    said: String,
    since: Instant,
    line: ProgressBar,
}

#[derive(PartialEq)]
enum Who {
    Model,
    Call(CallId),
}

impl Live {
    pub(super) fn new(
        target: ProgressDrawTarget,
        columns: impl Fn() -> usize + Send + 'static,
        coloured: bool,
    ) -> Self {
        let frames =
            FRAMES.map(|frame| if coloured { format!("\u{1b}[36m{frame}\u{1b}[0m") } else { frame.to_owned() });
        // Only the spinner has a colour, so that nothing is told by colour alone. The last frame is for what has ended,
        // and what has ended has no line.
        let frames: Vec<_> = frames.iter().map(String::as_str).chain([" "]).collect();
        let style = ProgressStyle::default_spinner().tick_strings(&frames);
        let style = match style.template("{spinner} {wide_msg}") {
            Ok(style) => style,
            // The template is a constant, and the tests draw it.
            Err(_) => ProgressStyle::default_spinner(),
        };
        let screen = MultiProgress::with_draw_target(target);
        Self { screen, columns: Box::new(columns), style, running: Vec::new() }
    }

    /// Lines that stay, above what runs.
    pub(super) fn lines(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Line by line, since a text that ends with an empty line would lose it. Where stderr cannot be written, the exit
        // code is all that is left.
        for line in text.lines() {
            let _ = self.screen.println(line);
        }
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::CycleStarted { .. } | Event::AnswerSentBack { .. } => self.begin(Who::Model, "model   thinks"),
            Event::Concluding { .. } => self.begin(Who::Model, "model   closes"),
            Event::ReasoningDelta { text } => self.says("model   thinks", text),
            Event::TextDelta { text } => self.says("model   says", text),
            Event::CallBuilding { name: Some(name), .. } => {
                self.says(&format!("model   asks for {name}"), "");
            }
            Event::ModelReplied { .. } | Event::ModelFailed { .. } => self.end(&Who::Model),
            Event::CallStarted { call, .. } => {
                self.begin(Who::Call(call.id.clone()), &format!("call    {} {}", call.name, call.arguments));
            }
            Event::CallProgress { call_id, report } => {
                if let Some(running) = self.find(&Who::Call(call_id.clone())) {
                    running.said = report.to_string().chars().take(MOST_SAID).collect();
                }
                self.tick();
            }
            Event::CallFinished { step, .. } => self.end(&Who::Call(step.call_id.clone())),
            Event::Suspended { .. } | Event::RunFinished { .. } => self.clear(),
            _ => {}
        }
    }

    /// Turns the spinners and lets the times go on.
    pub(super) fn tick(&mut self) {
        let columns = (self.columns)();
        for running in &self.running {
            running.line.set_message(running.message(columns));
            running.line.tick();
        }
    }

    /// Servers repeat the ids of calls within a turn; each has its line, and they end one after the other.
    fn begin(&mut self, who: Who, what: &str) {
        if who == Who::Model && self.find(&who).is_some() {
            return;
        }
        let line = self.screen.add(ProgressBar::new_spinner().with_style(self.style.clone()));
        let what = one_line(what).chars().take(MOST_SAID).collect();
        self.running.push(Running { who, what, said: String::new(), since: Instant::now(), line });
        self.tick();
    }

    fn says(&mut self, what: &str, more: &str) {
        self.begin(Who::Model, what);
        let Some(running) = self.find(&Who::Model) else { return };
        let what = one_line(what);
        if running.what != what {
            running.what = what;
            running.said.clear();
        }
        running.said += more;
        let mut from = running.said.len().saturating_sub(MOST_SAID);
        while !running.said.is_char_boundary(from) {
            from += 1;
        }
        running.said.drain(..from);
        self.tick();
    }

    fn end(&mut self, who: &Who) {
        if let Some(at) = self.running.iter().position(|running| running.who == *who) {
            let running = self.running.remove(at);
            running.line.finish_and_clear();
            self.screen.remove(&running.line);
        }
    }

    fn clear(&mut self) {
        for running in self.running.drain(..) {
            running.line.finish_and_clear();
            self.screen.remove(&running.line);
        }
    }

    fn find(&mut self, who: &Who) -> Option<&mut Running> {
        self.running.iter_mut().find(|running| running.who == *who)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Running {
    /// Its time, what it is, and the end of what was said last, in as many columns as there are.
    fn message(&self, columns: usize) -> String {
        let message = format!("{:>5.1} s  {}", self.since.elapsed().as_secs_f64(), self.what);
        // The spinner, the space behind it and the one before what is said.
        let left = columns.saturating_sub(measure_text_width(&message) + 3);
        let said = one_line(&self.said);
        let tail = tail(&said, left);
        if tail.is_empty() { message } else { format!("{message} {tail}") }
    }
}

/// On one line, and without what steers a terminal.
fn one_line(text: &str) -> String {
    printable(text).replace('\n', " ")
}

/// As much of the end of a text as fits.
fn tail(text: &str, columns: usize) -> &str {
    let text = text.trim();
    if measure_text_width(text) <= columns {
        return text;
    }
    let mut left = columns;
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        let width = measure_text_width(c.encode_utf8(&mut [0; 4]));
        if width > left {
            break;
        }
        left -= width;
        from = at;
    }
    text[from..].trim_start()
}

#[cfg(test)]
mod tests;
