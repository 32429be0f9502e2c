//! The same effect, in each way in which a tool can guard it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use agent_core::{BusinessError, CallContext, OrFatal, ToolError, tool};

use super::halt::halt;
use super::ledger::Ledger;

/// A system outside the database: a folder with a file for each effect.
#[derive(Debug)]
pub(super) struct Target {
    folder: PathBuf,
}

impl Target {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder: folder.join("effects") }
    }

    /// Whether it refuses, which it does once.
    fn refuses(&self) -> io::Result<bool> {
        match OpenOptions::new().write(true).create_new(true).open(self.folder.with_extension("refused")) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// An effect of this name; false where it has happened before, since the target takes each name once.
    fn effect(&self, name: &str) -> io::Result<bool> {
        fs::create_dir_all(&self.folder)?;
        match OpenOptions::new().write(true).create_new(true).open(self.folder.join(name)) {
            Ok(mut file) => file.write_all(b"done").map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How often the effect has happened.
    pub(super) fn count(&self) -> io::Result<usize> {
        if self.folder.exists() { Ok(fs::read_dir(&self.folder)?.count()) } else { Ok(0) }
    }
}

/// An effect that the target does not know again: another name each time.
fn unguarded(target: &Target) -> io::Result<()> {
    halt("in the tool");
    target.effect(&format!("{}-{}", std::process::id(), target.count()?))?;
    halt("after the effect");
    Ok(())
}

/// Books, and nothing guards it but its claim.
#[tool(mutating, permission = "book")]
pub(super) async fn book_plain(
    /// How much.
    amount: i64,
    target: &Target,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    unguarded(target).fatal()?;
    Ok("booked")
}

/// Books at a target that takes each key once.
#[tool(mutating, permission = "book", keyed)]
pub(super) async fn book_keyed(
    /// How much.
    amount: i64,
    target: &Target,
    call: &CallContext,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    halt("in the tool");
    target.effect(call.idempotency_key().unwrap_or_default()).fatal()?;
    halt("after the effect");
    Ok("booked")
}

/// Books, and can tell afterwards whether it did.
#[tool(mutating, permission = "book", reconcile = was_booked)]
pub(super) async fn book_checked(
    /// How much.
    amount: i64,
    target: &Target,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    unguarded(target).fatal()?;
    Ok("booked")
}

async fn was_booked(amount: i64, target: &Target) -> Result<Option<&'static str>, ToolError> {
    let _ = amount;
    halt("in the question");
    Ok((target.count().fatal()? > 0).then_some("booked"))
}

/// Books, but is refused the first time.
#[tool(mutating, permission = "book")]
pub(super) async fn book_refused(
    /// How much.
    amount: i64,
    target: &Target,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    if target.refuses().fatal()? {
        return Err(BusinessError::new("CLOSED", "the books are closed for a moment").into());
    }
    unguarded(target).fatal()?;
    Ok("booked")
}

/// Books, and fails before it can say so.
#[tool(mutating, permission = "book")]
pub(super) async fn book_failing(
    /// How much.
    amount: i64,
    target: &Target,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    unguarded(target).fatal()?;
    Err(ToolError::fatal("the line went dead"))
}

/// Books each time that it is called, at a target that takes each key once.
#[tool(mutating, permission = "book", keyed, duplicates = "allow")]
pub(super) async fn book_each(
    /// How much.
    amount: i64,
    target: &Target,
    call: &CallContext,
) -> Result<&'static str, ToolError> {
    let _ = amount;
    let key = call.idempotency_key().unwrap_or_default();
    let second = target.count().fatal()? > 0;
    halt(if second { "in the second call" } else { "in the tool" });
    target.effect(key).fatal()?;
    halt(if second { "after the second effect" } else { "after the effect" });
    Ok("booked")
}

/// Says how much is booked.
#[tool]
pub(super) async fn look(target: &Target) -> Result<usize, ToolError> {
    target.count().fatal()
}

/// Books in the database of the store, in one transaction with the record of it.
#[tool(mutating, permission = "book", keyed)]
pub(super) async fn book_together(
    /// How much.
    amount: i64,
    ledger: &Ledger,
    call: &CallContext,
) -> Result<&'static str, ToolError> {
    let claim = call.claim().ok_or_else(|| ToolError::fatal("no claim").not_done())?;
    ledger.book(amount, claim, "booked").await.map_err(ToolError::fatal)?;
    halt("after the effect");
    Ok("booked")
}
