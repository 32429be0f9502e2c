//! What an adapter keeps between the requests of one run.

use std::any::Any;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place where an adapter keeps between the requests of one run what it would make anew for each, such as the
/// body that it has written so far.
///
/// The loop has one for each run: nothing in it is seen by another run, it is never saved, and it ends with the run. It
/// is empty where a run begins or is taken up, and after each request it may be empty again, or hold what another
/// adapter left there; so it can make a request cheaper, and never change what is sent.
///
/// ```
/// use agent_core::model::Session;
///
/// let session = Session::new();
/// session.keep(Box::new(7_u32));
/// assert!(session.take::<String>().is_none(), "that is none of ours");
/// assert_eq!(session.take::<u32>().as_deref(), Some(&7));
/// assert!(session.take::<u32>().is_none());
/// ```
#[derive(Default)]
pub struct Session(Mutex<Option<Box<dyn Any + Send>>>);

impl Session {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes out what is kept, if it is of this type.
    pub fn take<T: Any>(&self) -> Option<Box<T>> {
        let mut kept = self.lock();
        let taken = kept.take()?;
        match taken.downcast() {
            Ok(taken) => Some(taken),
            Err(other) => {
                *kept = Some(other);
                None
            }
        }
    }

    /// Keeps this, in place of what was there.
    pub fn keep<T: Any + Send>(&self, value: Box<T>) {
        let before = self.lock().replace(value);
        // What it does in its drop is done without the lock.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}
