//! A run as data: what has happened, and what comes next. No await, no clock, no randomness.
//!
//! [`Run::next`] says what is to be done, a driver does it and reports back with [`Run::apply`]. So a
//! run can be saved after any step and taken up elsewhere, and the same inputs give the same run.
//!
//! [`Agent::run`](crate::Agent::run) is such a driver. Another, one that writes each input into a journal, say, has the
//! plan from [`Agent::plan`](crate::Agent::plan), asks the gates with [`Toolbox::check`](crate::Toolbox::check), runs calls
//! with [`Toolbox::execute`](crate::Toolbox::execute), and begins with [`Run::taken_up`] where it goes on with a saved run.
//! What it holds back has a [`ToolResult`](crate::ToolResult) all the same: `not_run` or `cancelled`.

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
