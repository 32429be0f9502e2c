//! The command line.

use agent_core::{Observation, RunErrorKind};
use agent_examples::{Common, exit};
use clap::{Parser, ValueEnum};

/// Opens a ticket, with a scripted model that gets the priority wrong at first: offline and without a key.
#[derive(Debug, Parser)]
#[command(name = "tickets", after_help = exit::help(""))]
pub(crate) struct Options {
    /// The model does not learn: it makes the same wrong call again.
    #[arg(long, conflicts_with = "live")]
    pub(crate) stubborn: bool,

    /// The form in which the model is shown results; each is then printed as the model reads it.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) observation: Option<Form>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// JSON, without key and latency; the default.
    Envelope,
    /// The whole result as JSON.
    Full,
    /// Status, and data or error, as JSON.
    Compact,
    /// A word and the data, such as `RESULT: {..}`.
    Text,
}

impl From<Form> for Observation {
    fn from(form: Form) -> Self {
        match form {
            Form::Envelope => Self::Envelope,
            Form::Full => Self::Full,
            Form::Compact => Self::Compact,
            Form::Text => Self::Text,
        }
    }
}

impl Options {
    /// The form in which the model is shown results.
    pub(crate) fn shown(&self) -> Observation {
        self.observation.map_or_else(Observation::default, Into::into)
    }
}

/// What a person can do about a run that ended without an answer.
pub(crate) fn advice(kind: &RunErrorKind) -> &'static str {
    match kind {
        RunErrorKind::CircuitOpen(_) => {
            "look at the last calls: the model repeats its mistake; here, leave out `--stubborn`"
        }
        kind => exit::advice(kind),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_switches_fit_together() {
        Options::command().debug_assert();
    }
}
