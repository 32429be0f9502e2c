//! A case of the corpus.

use std::path::Path;
use std::{fs, str};

use serde::Deserialize;
use serde_json::Value;

use crate::normal;
use crate::server::Response;

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    kind: String,
    requested_stream: Option<bool>,
    status: u16,
    headers: serde_json::Map<String, Value>,
    #[serde(default)]
    pub(crate) split_at: Vec<usize>,
    #[serde(default)]
    abort: bool,
    expect: Value,
    #[serde(default)]
    expect_any: Vec<Value>,
    #[serde(skip)]
    body: Vec<u8>,
}

impl Case {
    /// Every case, by name.
    pub(crate) fn all(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let cases = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut cases: Vec<Self> = cases
            .map(|path| {
                let mut case: Self = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                case.body = fs::read(path.with_extension("response")).unwrap();
                case
            })
            .collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        let bodies = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let bodies = bodies.filter(|path| path.extension().is_some_and(|extension| extension == "response")).count();
        assert_eq!(bodies, cases.len(), "each answer in {} has its case", folder.display());
        cases
    }

    /// Whether it is an answer of the Messages API, and not of chat completions.
    pub(crate) fn is_anthropic(&self) -> bool {
        self.name.starts_with("anthropic-")
    }

    /// Whether the request asked for a stream.
    pub(crate) fn requested_stream(&self) -> bool {
        self.requested_stream.unwrap_or(self.kind == "sse")
    }

    pub(crate) fn len(&self) -> usize {
        self.body.len()
    }

    /// The answer, flushed at these offsets.
    pub(crate) fn response(&self, split_at: Vec<usize>) -> Response {
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
        Response {
            status: self.status,
            headers: headers.collect(),
            body: self.body.clone(),
            split_at,
            abort: self.abort,
        }
    }

    /// Whether this is one of the right values; says what differs.
    pub(crate) fn check(&self, got: &Value) -> bool {
        let right = std::iter::once(&self.expect).chain(&self.expect_any).any(|right| normal::is(right, got));
        if !right {
            println!("--- {}\n expected {}\n      got {got}", self.name, self.expect);
        }
        right
    }
}
