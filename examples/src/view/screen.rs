//! Standard error: a live view where a person looks on, plain lines otherwise.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use agent_core::Event;
use console::Term;
use indicatif::ProgressDrawTarget;

use super::live::Live;

/// Where the steps of a run are shown.
pub(super) enum Screen {
    /// A file, a pipe, or a terminal that cannot move its cursor.
    Plain,
    /// A terminal.
    Live(Box<Live>),
}

impl Screen {
    /// What stderr is.
    pub(super) fn of_stderr() -> Self {
        let target = ProgressDrawTarget::stderr();
        // The target is hidden where the terminal says that it is dumb.
        if !io::stderr().is_terminal() || target.is_hidden() {
            return Self::Plain;
        }
        let columns = || usize::from(Term::stderr().size().1);
        let coloured = coloured(std::env::var_os("NO_COLOR").as_deref());
        Self::Live(Box::new(Live::new(target, columns, coloured)))
    }

    /// Lines that stay.
    pub(super) fn lines(&self, text: &str) {
        match self {
            Self::Plain => super::to_stderr(text),
            Self::Live(live) => live.lines(text),
        }
    }

    /// Shows what runs now.
    pub(super) fn event(&mut self, event: &Event) {
        if let Self::Live(live) = self {
            live.event(event);
        }
    }

    /// Lets the times go on.
    pub(super) fn tick(&mut self) {
        if let Self::Live(live) = self {
            live.tick();
        }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }
}

/// Whether colours are wanted, by the variable `NO_COLOR`: it counts where it is set and not empty.
fn coloured(no_color: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_counts_where_it_is_not_empty() {
        let said = [None, Some(""), Some("1"), Some("0")].map(|value| coloured(value.map(OsStr::new)));
        assert_eq!(said, [true, true, false, false]);
    }
}
