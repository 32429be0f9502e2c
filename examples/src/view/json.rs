//! An event as one line of JSON, in which each duration is a number of milliseconds.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// The line of an event.
pub(super) fn line(event: &impl Serialize) -> String {
    let line = to_raw_value(event).and_then(|event| in_millis(&event));
    match line {
        Ok(line) => format!("{line}\n"),
        // Events are made of text and numbers; should one ever not be JSON, the line is.
        Err(error) => serde_json::json!({ "event": "unreadable", "error": error.to_string() }).to_string() + "\n",
    }
}

/// The same object with `"latency":{"secs":0,"nanos":1288005}` as `"latency_ms":1`.
///
/// Results and replies stay as they are, since they are the tools' and the model's; so does a saved run.
fn in_millis(object: &RawValue) -> serde_json::Result<Box<RawValue>> {
    let Entries(mut entries) = serde_json::from_str(object.get())?;
    for (key, value) in &mut entries {
        if let Ok(Time { secs, nanos }) = serde_json::from_str(value.get()) {
            key.push_str("_ms");
            *value = to_raw_value(&(secs * 1_000 + nanos / 1_000_000))?;
        } else if !matches!(key.as_str(), "result" | "reply" | "report" | "run" | "suspended")
            && value.get().starts_with('{')
        {
            *value = in_millis(value)?;
        }
    }
    to_raw_value(&Entries(entries))
}

/// A duration, as serde writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Time {
    secs: u64,
    nanos: u64,
}

/// An object in its own order, its values as they were written.
struct Entries(Vec<(String, Box<RawValue>)>);

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agent_core::{Event, RunErrorKind};

    use super::*;

    #[test]
    fn durations_are_numbers_of_milliseconds_wherever_they_stand() {
        let error = Some(RunErrorKind::Timeout { limit: Duration::from_secs(30) });
        let event = Event::RunFinished { text: None, error, elapsed: Duration::from_micros(30_001_999), stored: false };
        assert_eq!(
            line(&event),
            "{\"event\":\"run_finished\",\"text\":null,\"error\":{\"timeout\":{\"limit_ms\":30000}},\"elapsed_ms\":30001}\n"
        );
    }

    #[test]
    fn what_a_tool_gave_stays_as_it_is() {
        let gave = r#"{"event":"call_finished","result":{"data":{"wait":{"secs":1,"nanos":0},"total":1800.00}}}"#;
        let event = RawValue::from_string(gave.to_owned()).unwrap();
        assert_eq!(line(&event), format!("{gave}\n"));
    }
}
