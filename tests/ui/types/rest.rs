//! Types that have a form on the wire, and none that a strict schema says.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::SystemTime;

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    Red,
}

/// Takes what it should not.
#[tool]
async fn take(
    /// Hours.
    hours: Range<u8>, //~ `take.hours` is a range, which is an object of `start` and `end` on the wire; use a struct with named fields
    /// When.
    when: Option<SystemTime>, //~ `take.when` is a `SystemTime`, which is an object of seconds and nanoseconds on the wire; use `chrono::DateTime<Utc>` or `jiff::Timestamp`
    /// Where.
    place: Vec<OsString>, //~ `take.place[]` is a string of the platform, which has another form on each; use `String` or `PathBuf`
    /// Nothing.
    nothing: PhantomData<u8>, //~ `take.nothing` is a `PhantomData`, which OpenAI's strict mode refuses; leave it out
    /// What came of it.
    came: Result<u8, String>, //~ `take.came` is a `Result`, which names no value that a model could mean; use an enum of your own
    /// By colour.
    by: BTreeMap<Colour, u8>, //~ `take.by` is a `BTreeMap` with open keys
) -> u8 {
    let _ = (hours, when, place, nothing, came, by);
    1
}

fn main() {}
