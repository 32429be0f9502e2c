//! A lock on what models are told of tools, kept beside the code: [`assert_tools_locked!`](crate::assert_tools_locked).

mod compare;
mod schema;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::dispatch::Toolbox;

/// One difference between a lock and the tools as they are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The tool.
    pub tool: String,
    /// The place in its arguments: `lines[].qty`; empty for the tool itself.
    pub place: String,
    /// What is different.
    pub what: String,
    /// Whether arguments that were valid may no longer be.
    pub breaks: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.breaks { "breaks: " } else { "fine:   " })?;
        if !self.place.is_empty() {
            write!(f, "`{}`: ", self.place)?;
        }
        f.write_str(&self.what)
    }
}

/// The text of the lock: each tool's name, description and full schema, in the order of the toolbox.
pub fn tools_lock<S: Send + Sync + 'static>(toolbox: &Toolbox<S>) -> String {
    text::write(toolbox)
}

/// What is different between two locks.
///
/// # Errors
///
/// A sentence, where one of them is no lock.
pub fn tools_lock_changes(old: &str, new: &str) -> Result<Vec<Change>, String> {
    let (old, new) = (text::read(old)?, text::read(new)?);
    Ok(compare::tools(&old, &new))
}

/// Compares with the lock at `path`, or writes it where `update` is set. An error is what the test says.
fn check(path: &Path, now: &str, update: bool) -> Result<(), String> {
    const ANEW: &str = "write it with UPDATE_TOOLS_LOCK=1";
    let name = path.display();
    if update {
        return fs::write(path, now).map_err(|error| format!("{name} cannot be written: {error}"));
    }
    let old = match fs::read_to_string(path) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(format!("there is no {name}; {ANEW}")),
        Err(error) => return Err(format!("{name} cannot be read: {error}")),
    };
    let changes = tools_lock_changes(&old, now).map_err(|reason| format!("{name} is no lock: {reason}; {ANEW}"))?;
    if changes.is_empty() {
        return Ok(());
    }
    let breaking = changes.iter().filter(|change| change.breaks).count();
    let mut message = format!("the tools differ from {name}; {breaking} of {} changes break callers:", changes.len());
    let mut tool = "";
    for change in &changes {
        if tool != change.tool {
            tool = &change.tool;
            let _ = write!(message, "\n  {tool}");
        }
        let _ = write!(message, "\n    {change}");
    }
    Err(format!("{message}\nif that is meant, {ANEW}"))
}

#[doc(hidden)]
#[track_caller]
pub fn assert_locked<S: Send + Sync + 'static>(toolbox: &Toolbox<S>, path: &Path) {
    let update = std::env::var_os("UPDATE_TOOLS_LOCK").is_some_and(|value| value != "0" && !value.is_empty());
    if let Err(message) = check(path, &tools_lock(toolbox), update) {
        panic!("{message}");
    }
}

/// Fails a test when what models are told of the tools is not what the lock file says: a parameter that is renamed by
/// a refactoring is seen where it happens, and by whoever reads the change.
///
/// The path is relative to the folder of your `Cargo.toml`. Each change says whether it breaks callers, which are
/// saved runs, recorded calls and clients that know the old schema: a parameter that is removed, of another type or
/// newly required, a tighter bound, an enum value that is gone. `UPDATE_TOOLS_LOCK=1 cargo test` writes the lock anew.
///
/// ```
/// # use agent_core::testing::ScriptedModel;
/// use agent_core::{Agent, assert_tools_locked, tool, tools};
///
/// /// Looks up an order.
/// #[tool]
/// async fn look_up(
///     /// Its number.
///     number: u32,
/// ) -> String {
///     format!("order {number}")
/// }
///
/// let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look_up]).build().unwrap();
/// assert_tools_locked!(agent.toolbox(), "src/testing/lock/doc.lock.json");
/// ```
///
/// # Panics
///
/// With a list of the changes, when there are any; when the file cannot be read or written.
#[macro_export]
macro_rules! assert_tools_locked {
    ($toolbox:expr, $path:expr $(,)?) => {
        $crate::testing::assert_locked(
            $toolbox,
            &::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR")).join($path),
        )
    };
}
