//! A model that says what it is told to say.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::model::{Message, Model, ModelError, ModelErrorKind, Reply, Request};
use crate::schema::{Profile, profile};

/// A model that gives prepared replies in order, and an error when it is asked once too often.
///
/// [`finish`](Self::finish) fails for replies that nobody asked for.
#[derive(Debug)]
pub struct ScriptedModel {
    replies: Mutex<VecDeque<Result<Reply, ModelError>>>,
    seen: Mutex<Vec<Vec<Message>>>,
    profile: &'static Profile,
}

impl ScriptedModel {
    /// A model that gives these replies.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_errors(replies.into_iter().map(Ok))
    }

    /// A model that gives these replies and errors.
    pub fn with_errors(replies: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), seen: Mutex::default(), profile: &profile::OPENAI }
    }

    /// The conversations that it was asked with, in order.
    pub fn seen(&self) -> Vec<Vec<Message>> {
        lock(&self.seen).clone()
    }

    /// Says whether every reply was asked for.
    ///
    /// # Errors
    ///
    /// How many were not.
    pub fn finish(&self) -> Result<(), String> {
        match lock(&self.replies).len() {
            0 => Ok(()),
            left => Err(format!("{left} scripted replies were not asked for")),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Model for ScriptedModel {
    fn profiles(&self) -> &[&'static Profile] {
        std::slice::from_ref(&self.profile)
    }

    fn name(&self) -> &str {
        "scripted"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        lock(&self.seen).push(request.messages.to_vec());
        lock(&self.replies).pop_front().unwrap_or_else(|| {
            Err(ModelError::new(ModelErrorKind::InvalidRequest, "the script has no reply left for this request"))
        })
    }
}
