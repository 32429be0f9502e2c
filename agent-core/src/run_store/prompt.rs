//! What tells one request from another under the same run id.

use sha2::{Digest as _, Sha256};

use crate::arguments::Digest;
use crate::run::Run;

/// The digest of what a run was asked: its history and its prompt.
///
/// Of a run that has not begun; one that has, holds more.
///
/// ```
/// use agent_core::run::{Run, RunStart};
/// use agent_core::run_store::prompt_digest;
///
/// let digest = |prompt| prompt_digest(&Run::new(RunStart::new("order-4711", prompt)));
/// assert_eq!(digest("Book it.")?, digest("Book it.")?);
/// assert_ne!(digest("Book it.")?, digest("Cancel it.")?);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// When a message cannot be written as JSON.
pub fn prompt_digest(run: &Run) -> Result<Digest, serde_json::Error> {
    let mut hash = Sha256::new();
    hash.update(b"agent/prompt/1");
    for message in run.messages() {
        let text = serde_json::to_vec(message)?;
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(&text);
    }
    Ok(Digest::from_bytes(hash.finalize().into()))
}
