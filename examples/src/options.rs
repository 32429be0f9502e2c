//! The switches that every example has.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

/// Switches that every example has; the programs add their own.
#[derive(Debug, Args)]
pub struct Common {
    /// The run's id, such as the order that it is about; random otherwise.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub run_id: Option<String>,

    /// One JSON object per event on stdout; what was done goes to stderr.
    #[arg(long)]
    pub json: bool,

    /// Writes a picture of the run to this file, as HTML that stands alone.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Whose format is spoken, with the script as with a server.
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "openai")]
    pub provider: Provider,

    /// The script takes its time, as a model does, so that there is something to watch.
    #[arg(long, conflicts_with = "live")]
    pub slow: bool,

    /// Ask the server that the provider's variables name, not the script: OPENAI_BASE_URL, OPENAI_API_KEY and
    /// OPENAI_MODEL, or ANTHROPIC_..
    #[arg(long)]
    pub live: bool,
}

/// Whose format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Provider {
    /// Chat completions.
    Openai,
    /// Messages.
    Anthropic,
}
