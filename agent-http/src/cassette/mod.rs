//! Exchanges with a server, kept in a file for tests.

mod difference;
mod exchange;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, fs, io};

use agent_core::model::{ModelError, ModelErrorKind};
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Request, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use crate::client::Incoming;
use crate::secrets::Secrets;
use exchange::{Asked, Exchange, File, Told};

/// Exchanges with a server, kept in a file, so that a test needs neither the server nor a key a second time.
///
/// A test records once and replays from then on. What is replayed never touches the network. Each request gets the
/// answer of the first recorded request that is the same, address and body, and was not asked for yet; one that is
/// none of them is an error that shows the difference to the next.
///
/// Before anything is written, the key, the values of the builder's headers and of the base URL's query are taken out
/// of it, wherever they stand, and so is what [`scrub`](Self::scrub) and [`scrub_header`](Self::scrub_header) name.
/// All else is kept, prompts and answers included.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir();
/// # let path = folder.join(format!("agent-http-{}.json", std::process::id()));
/// use agent_http::Cassette;
///
/// let cassette = Cassette::record(&path).scrub_header("openai-organization");
/// // .. builder.cassette(cassette.clone()).build()?, and whatever the test does ..
/// cassette.save()?;
///
/// let cassette = Cassette::replay(&path)?;
/// assert_eq!(cassette.unused(), 0);
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Cassette {
    path: Arc<Path>,
    is_replayed: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    exchanges: Vec<Exchange>,
    /// Which were asked for, in a replay.
    used: Vec<bool>,
    secrets: Secrets,
    /// Headers that are not written, in lower case.
    hidden: Vec<String>,
}

/// Headers of an answer that say who asked.
const HIDDEN_HEADERS: [&str; 3] = ["set-cookie", "openai-organization", "anthropic-organization-id"];

/// Why a cassette cannot be read or written.
///
/// ```
/// let error = agent_http::Cassette::replay("no/such/file.json").unwrap_err();
/// assert!(error.to_string().contains("no/such/file.json"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file cannot be read or written.
    #[error("the cassette `{}` cannot be {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The file is none of a cassette.
    #[error("the cassette `{}` is not one of this version", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

impl Cassette {
    fn new(path: PathBuf, is_replayed: bool, exchanges: Vec<Exchange>) -> Self {
        let state = State {
            used: vec![false; exchanges.len()],
            exchanges,
            hidden: HIDDEN_HEADERS.map(str::to_owned).into(),
            ..State::default()
        };
        Self { path: path.into(), is_replayed, state: Arc::new(Mutex::new(state)) }
    }

    /// Sends requests and keeps what is said; [`save`](Self::save) writes it to this file.
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path.into(), false, Vec::new())
    }

    /// Answers requests from this file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no cassette.
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {
        let path = path.into();
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(source) => return Err(CassetteError::File { path, what: "read", source }),
        };
        match serde_json::from_slice::<File>(&text) {
            Ok(file) if file.version == exchange::VERSION => Ok(Self::new(path, true, file.exchanges)),
            Ok(file) => {
                let source = serde::de::Error::custom(format_args!("it is of version {}", file.version));
                Err(CassetteError::Format { path, source })
            }
            Err(source) => Err(CassetteError::Format { path, source }),
        }
    }

    /// Replays the file where there is one, and records it otherwise.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no cassette.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {
        let path = path.into();
        if path.exists() { Self::replay(path) } else { Ok(Self::record(path)) }
    }

    /// Leaves the value of a header out of what is written, of requests and of answers.
    pub fn scrub_header(self, name: &str) -> Self {
        self.state().hidden.push(name.to_ascii_lowercase());
        self
    }

    /// Leaves a text out of what is written, wherever it stands.
    pub fn scrub(self, secret: impl Into<SecretString>) -> Self {
        self.state().secrets.add(secret.into().expose_secret());
        self
    }

    /// Writes what was recorded; does nothing in a replay.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn save(&self) -> Result<(), CassetteError> {
        if self.is_replayed {
            return Ok(());
        }
        let text = {
            let state = self.state();
            let exchanges = state.exchanges.iter().map(|exchange| exchange.scrubbed(&state.secrets, &state.hidden));
            serde_json::to_string_pretty(&File { version: exchange::VERSION, exchanges: exchanges.collect() })
        };
        let text = text.map_err(|source| CassetteError::Format { path: self.path.to_path_buf(), source })?;
        fs::write(&self.path, text + "\n").map_err(|source| CassetteError::File {
            path: self.path.to_path_buf(),
            what: "written",
            source,
        })
    }

    /// How many of the recorded requests a replay was not asked for.
    pub fn unused(&self) -> usize {
        self.state().used.iter().filter(|used| !**used).count()
    }

    pub(crate) fn is_replayed(&self) -> bool {
        self.is_replayed
    }

    /// Takes these out of what is written as well.
    pub(crate) fn hide(&self, secrets: &Secrets) {
        self.state().secrets.add_all(secrets);
    }

    /// The request as it is kept.
    pub(crate) fn asked(&self, request: &Request, body: &Bytes) -> Asked {
        Asked::new(request, body)
    }

    /// Begins to record an answer.
    pub(crate) fn answered(&self, asked: Asked, response: &Response) -> Tape {
        let mut state = self.state();
        state.exchanges.push(Exchange { request: asked, response: Told::new(response.status(), response.headers()) });
        Tape { cassette: self.clone(), at: state.exchanges.len() - 1 }
    }

    /// The recorded answer to a request.
    pub(crate) fn play(
        &self,
        request: &Request,
        body: &Bytes,
    ) -> Result<(StatusCode, HeaderMap, Incoming), ModelError> {
        let mut state = self.state();
        let asked = Asked::new(request, body).scrubbed(&state.secrets, &state.hidden);
        let State { exchanges, used, .. } = &mut *state;
        let mut left = (0..exchanges.len()).filter(|at| !used[*at]);
        let next = left.clone().next();
        match left.find(|at| exchanges[*at].request.is_same(&asked)) {
            Some(at) => {
                used[at] = true;
                Ok(exchanges[at].response.played())
            }
            None => Err(self.unknown(&asked, next.map(|at| (at, &exchanges[at].request)), exchanges.len())),
        }
    }

    fn unknown(&self, asked: &Asked, next: Option<(usize, &Asked)>, all: usize) -> ModelError {
        let path = self.path.display();
        let message = match next {
            Some((at, kept)) => {
                let differences = kept.differences(asked).join("; ");
                format!(
                    "the cassette `{path}` holds no such request; request {} of it differs: {differences}; record it again",
                    at + 1
                )
            }
            None => {
                format!("the cassette `{path}` holds {all} requests, and each was asked for already; record it again")
            }
        };
        ModelError::new(ModelErrorKind::InvalidRequest, message).retryable(false)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment or push, so a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cassette")
            .field("path", &self.path)
            .field("is_replayed", &self.is_replayed)
            .finish_non_exhaustive()
    }
}

/// An answer that is being recorded.
pub(crate) struct Tape {
    cassette: Cassette,
    at: usize,
}

impl Tape {
    /// Takes a piece, the end, or that the connection broke.
    pub(crate) fn heard(&self, piece: Result<Option<&[u8]>, ()>) {
        if let Some(exchange) = self.cassette.state().exchanges.get_mut(self.at) {
            exchange.response.heard(piece);
        }
    }
}
