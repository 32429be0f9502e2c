//! The command line.

use std::path::PathBuf;

use agent_core::{RunErrorKind, SecurityContext};
use agent_examples::{Common, exit};
use clap::{Parser, ValueEnum};

use crate::script::Scenario;

/// Computes tax for two countries and records one invoice, with a scripted model: offline and without a key.
#[derive(Debug, Parser)]
#[command(name = "invoice", after_help = exit::help(" (with `--tamper` too: its answer says that nothing was booked)"))]
pub(crate) struct Options {
    /// Who asks: a clerk has the role `billing:write`, a viewer has not.
    #[arg(long = "as", value_enum, value_name = "WHO", default_value = "clerk")]
    pub(crate) who: Who,

    /// The model asks for the same invoice twice, under two call ids.
    #[arg(long, conflicts_with_all = ["tamper", "live"])]
    pub(crate) repeat: bool,

    /// The model changes the amount before it records the invoice.
    #[arg(long, conflicts_with = "live")]
    pub(crate) tamper: bool,

    /// Keep the ledger, the calls that were made and the run in this SQLite file. With `--run-id`, a run that was cut off
    /// is taken up, and one that has ended gives its answer again without asking the model.
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,

    /// The program crashes when the invoice is booked and before anybody is told of it.
    #[arg(long, requires = "store", conflicts_with = "live")]
    pub(crate) crash: bool,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Who {
    /// May record invoices.
    Clerk,
    /// May only look.
    Viewer,
}

impl Who {
    pub(crate) const fn roles(self) -> &'static [&'static str] {
        match self {
            Self::Clerk => &["billing:read", "billing:write"],
            Self::Viewer => &["billing:read"],
        }
    }
}

impl Options {
    /// The caller, as a host would have authenticated them.
    pub(crate) fn caller(&self) -> SecurityContext {
        let person = SecurityContext::new("usr_9918", "tenant_uk_01");
        self.who.roles().iter().fold(person, |caller, role| caller.role(*role))
    }

    /// What the scripted model does.
    pub(crate) fn scenario(&self) -> Scenario {
        match (self.repeat, self.tamper) {
            (true, _) => Scenario::Repeat,
            (_, true) => Scenario::Tamper,
            _ => Scenario::Plain,
        }
    }
}

/// What a person can do about a run that ended without an answer.
pub(crate) fn advice(kind: &RunErrorKind) -> &'static str {
    match kind {
        RunErrorKind::PermissionDenied { .. } => {
            "ask somebody with the role `billing:write`; here, leave out `--as viewer`"
        }
        RunErrorKind::Cancelled { .. } => "look at the ledger before you try again",
        RunErrorKind::OutcomeUnknown { .. } => "look into the ledger by hand before anything is tried again",
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
