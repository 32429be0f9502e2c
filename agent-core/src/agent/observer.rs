//! Who is told what happens in runs.

use crate::run::Event;

/// Is told what happens in every run of an agent, while it happens.
///
/// It is called on the run's own task, and for the progress of a tool on the tool's: it must not
/// block. A panic in it is logged, and the run goes on. Once a run has ended it is told nothing more of it: of a mutating
/// call that runs on, the store of claims knows the end.
pub trait Observer: Send + Sync {
    /// Something happened in the run with this id.
    fn event(&self, run_id: &str, event: &Event);

    /// Whether replies are asked for piece by piece, so that there are [`Event::TextDelta`]s and their like.
    fn wants_deltas(&self) -> bool {
        false
    }
}

impl<F: Fn(&str, &Event) + Send + Sync> Observer for F {
    fn event(&self, run_id: &str, event: &Event) {
        self(run_id, event);
    }
}

impl<O: Observer + ?Sized> Observer for std::sync::Arc<O> {
    fn event(&self, run_id: &str, event: &Event) {
        (**self).event(run_id, event);
    }

    fn wants_deltas(&self) -> bool {
        (**self).wants_deltas()
    }
}
