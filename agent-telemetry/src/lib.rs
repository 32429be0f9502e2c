//! A run of [`agent_core`] seen and accounted for.
//!
//! | for | see | feature, on by default but for `otel` |
//! | --- | --- | --- |
//! | one HTML file to look at a run, its timeline, tokens, messages and calls | `RunReport` | `report` |
//! | one record per step, as JSON lines or as events of `tracing` | `StepLog` | `steps` |
//! | metrics through OpenTelemetry | `RunMetrics` | `otel` |
//! | an audit that shows if somebody changed it | `FileAudit`, `verify`, the program `agent-audit` | `audit` |
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_core::Agent;
//! use agent_core::model::Reply;
//! use agent_core::testing::ScriptedModel;
//! # #[cfg(all(feature = "report", feature = "steps"))]
//! use agent_telemetry::{DigestKey, Observers, RunReport, StepLog};
//!
//! # #[cfg(all(feature = "report", feature = "steps"))]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = Arc::new(RunReport::new());
//! let steps = Arc::new(StepLog::json_lines(DigestKey::random()?, std::io::sink()));
//! let agent = Agent::builder(ScriptedModel::new([Reply::text("Good morning.")]))
//!     .observer(Observers::new().and(report.clone()).and(steps))
//!     .build()?;
//! let answer = agent.run("Say hello.").id("greeting-1").await?;
//! report.record(answer.record());
//! assert!(report.html().contains("Good morning."));
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "report", feature = "steps")))]
//! # fn main() {}
//! ```
//!
//! Messages, arguments and results leave a run only where they are asked for: always in a report, which is made to be
//! read by a person; in the log and the audit only with a [`Redact`](agent_core::telemetry::Redact), and otherwise as
//! sizes and as digests under a secret key, since small arguments can be guessed.

#[cfg(feature = "audit")]
mod audit;
#[cfg(any(feature = "audit", feature = "steps"))]
mod clock;
mod guest;
#[cfg(any(feature = "audit", feature = "steps"))]
mod key;
#[cfg(feature = "otel")]
mod metrics;
mod observers;
#[cfg(feature = "report")]
mod report;
#[cfg(feature = "steps")]
mod steps;

#[cfg(feature = "audit")]
pub use audit::{FileAudit, FileAuditBuilder, FileAuditError, Flush, Head, Place, Tampering, Verified, Verify, verify};
#[cfg(any(feature = "audit", feature = "steps"))]
pub use key::{DigestKey, WeakKey};
#[cfg(feature = "otel")]
pub use metrics::{Conventions, RunMetrics};
pub use observers::Observers;
#[cfg(feature = "report")]
pub use report::RunReport;
#[cfg(feature = "steps")]
pub use steps::StepLog;

#[cfg(all(doctest, feature = "audit", feature = "otel", feature = "report"))]
#[doc = include_str!("../../docs/telemetry.md")]
struct Guide;
