//! Token counts.

use agent_core::model::Usage;

use crate::wire::message;

/// The counts so far. Each one that comes replaces the last: they are sums already.
#[derive(Debug, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    cache_written: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
}

impl Counts {
    pub(super) fn add(&mut self, wire: &message::Usage) {
        self.input = wire.input_tokens.0.or(self.input);
        self.cache_written = wire.cache_creation_input_tokens.0.or(self.cache_written);
        self.cache_read = wire.cache_read_input_tokens.0.or(self.cache_read);
        self.output = wire.output_tokens.0.or(self.output);
    }

    /// The usage, if it is complete. The server counts what it read and wrote of its cache beside the input.
    pub(super) fn usage(&self) -> Option<Usage> {
        let (read, written) = (self.cache_read.unwrap_or(0), self.cache_written.unwrap_or(0));
        let input = self.input?.saturating_add(read).saturating_add(written);
        Some(Usage::new(input, self.output?).cached_input(read).cache_write(written))
    }
}
