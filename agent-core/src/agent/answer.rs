//! How a run ends well.

use crate::run::Record;

/// What a run that the model finished by itself gives.
#[derive(Debug, Clone)]
pub struct Answer<T = ()> {
    value: T,
    text: String,
    record: Record,
}

impl<T> Answer<T> {
    pub(super) fn new(value: T, text: String, record: Record) -> Self {
        Self { value, text, record }
    }

    /// What the model says.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The typed answer.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The typed answer.
    pub fn into_value(self) -> T {
        self.value
    }

    /// All that happened.
    pub fn record(&self) -> &Record {
        &self.record
    }
}
