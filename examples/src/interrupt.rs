//! Ctrl-C: once it cancels the run, a second time it ends the wait for what has begun.

use agent_core::Cancellation;

use crate::view;

/// Listens for Ctrl-C.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    once: Cancellation,
    again: Cancellation,
}

impl Interrupt {
    /// Listens from now on, in place of the signal's default, which would end the program halfway through a booking.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let told = interrupt.clone();
        tokio::spawn(async move {
            for cancellation in [told.once, told.again] {
                if let Err(error) = tokio::signal::ctrl_c().await {
                    return view::complain(&format!("Ctrl-C cannot be heard: {error}"));
                }
                cancellation.cancel("Ctrl-C was pressed");
            }
        });
        interrupt
    }

    /// What the first Ctrl-C cancels; for `.cancel(..)` of a run.
    pub fn cancellation(&self) -> Cancellation {
        self.once.clone()
    }

    /// Ends with the first Ctrl-C.
    pub async fn once(&self) {
        self.once.token().cancelled().await;
    }

    /// Ends with the second Ctrl-C.
    pub async fn again(&self) {
        self.again.token().cancelled().await;
    }
}
