//! What to do when the server goes away in the middle of a question.

use std::time::Duration;

use agent_core::idempotency::StoreError;
use deadpool_postgres::{Object, Pool};
use tokio::time::Instant;

use super::error::{failure, unavailable};

/// How long a question whose answer was lost is asked again: long enough for a server to come back from a crash.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks on a connection of the pool, and asks again where the answer may have been lost.
///
/// Only for questions that may be asked twice. A macro, since a closure that borrows and is async cannot yet be said to
/// be `Send`.
macro_rules! ask {
    ($pool:expr, $what:literal, |$client:ident| $question:expr) => {{
        let mut patience = $crate::postgres::patience::Patience::new($what);
        loop {
            let $client = patience.client($pool).await?;
            let answer: Result<_, $crate::postgres::patience::Wrong> = async { $question }.await;
            match answer {
                Ok(answer) => break Ok(answer),
                Err(wrong) => patience.after(wrong).await?,
            }
        }
    }};
}
pub(super) use ask;

/// How long one question has been asked.
pub(super) struct Patience {
    what: &'static str,
    /// When an answer was lost first.
    lost: Option<Instant>,
    wait: Duration,
}

impl Patience {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, lost: None, wait: Duration::from_millis(20) }
    }

    /// A connection. Where nothing was sent yet, it fails at once: nothing has happened, and the caller may take another
    /// way.
    pub(super) async fn client(&mut self, pool: &Pool) -> Result<Object, StoreError> {
        loop {
            match pool.get().await {
                Ok(client) => return Ok(client),
                Err(error) => self.pause(unavailable(error)).await?,
            }
        }
    }

    /// Waits for the next try, unless what is wrong would be so again.
    pub(super) async fn after(&mut self, wrong: Wrong) -> Result<(), StoreError> {
        match wrong {
            Wrong::Store(error) => Err(error),
            Wrong::Server(error) => {
                self.lost.get_or_insert_with(Instant::now);
                self.pause(failure(self.what, error)).await
            }
        }
    }

    async fn pause(&mut self, error: StoreError) -> Result<(), StoreError> {
        let again = self.lost.is_some_and(|at| at.elapsed() < PATIENCE);
        if !again || !matches!(error, StoreError::Unreachable(_)) {
            return Err(error);
        }
        tracing::warn!(%error, "the server went away; asking again");
        tokio::time::sleep(self.wait).await;
        self.wait = (self.wait * 2).min(Duration::from_secs(1));
        Ok(())
    }
}

/// Why a question has no answer.
pub(super) enum Wrong {
    Server(tokio_postgres::Error),
    Store(StoreError),
}

impl From<tokio_postgres::Error> for Wrong {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<StoreError> for Wrong {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
