//! A run as data: what has happened, and what comes next. No await, no clock, no randomness.
//!
//! [`Run::next`] says what is to be done, a driver does it and reports back with [`Run::apply`]. So a
//! run can be saved after any step and taken up elsewhere, and the same inputs give the same run.

mod approval;
mod batch;
mod breaker;
mod end;
mod event;
mod history;
mod input;
mod plan;
mod record;
mod state;

pub use approval::{Approver, Decision, Pending, Verdict};
pub use batch::Checked;
pub use end::{Circuit, LimitKind, ModelFailure, RunErrorKind};
pub use event::{Event, EventSink};
pub use history::repair;
pub use input::{Decided, Input, Purpose, Step};
pub use plan::{OnDenied, OnLimit, Plan, PlannedTool, TokenCounter, Window};
pub use record::{ModelStep, Record, StepRecord, ToolStep};
pub use state::{Run, RunStart};
