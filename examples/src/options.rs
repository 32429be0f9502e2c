//! The switches that every example has.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// Switches that every example has; the programs add their own.
#[derive(Debug, Args)]
pub struct Common {
    /// The run's id, such as the order that it is about; random otherwise.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub run_id: Option<String>,

    /// One JSON object per event on stdout; what was done goes to stderr.
    #[arg(long)]
    pub json: bool,

    /// Ask the server that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name, not the script.
    #[arg(long)]
    pub live: bool,
}
