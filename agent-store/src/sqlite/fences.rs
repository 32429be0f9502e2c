//! Fences: each is given once in a file, and is above all that were given before it.

use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

/// As many are set aside at a time, so that most claims need not write the page of the count.
const BLOCK: i64 = 64;

/// What one writer of the file has set aside.
#[derive(Debug, Default)]
pub(super) struct Fences {
    block: Mutex<Option<Block>>,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    next: i64,
    last: i64,
}

impl Fences {
    /// The next one. In a transaction that writes, whose end without a commit is to be said with [`undone`](Self::undone).
    pub(super) fn next(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        let last = connection.prepare_cached("SELECT last FROM agent_fence")?.query_row([], |row| row.get(0))?;
        let mut taken = match *block {
            // Where another has set fences aside since, those left here are below what it may have given.
            Some(block) if block.last == last && block.next <= last => block,
            _ => {
                let block = Block { next: last + 1, last: last.saturating_add(BLOCK) };
                connection.prepare_cached("UPDATE agent_fence SET last = ?1")?.execute([block.last])?;
                block
            }
        };
        let fence = taken.next;
        taken.next += 1;
        *block = Some(taken);
        Ok(fence)
    }

    /// Forgets what is set aside, since the file may not know of it.
    pub(super) fn undone(&self) {
        *self.block.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted() -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch("CREATE TABLE agent_fence (last INTEGER); INSERT INTO agent_fence VALUES (7)")?;
        Ok(connection)
    }

    #[test]
    fn a_block_of_fences_is_counted_once() -> rusqlite::Result<()> {
        let (connection, fences) = (counted()?, Fences::default());
        for fence in 8..8 + 2 * BLOCK {
            assert_eq!(fences.next(&connection)?, fence);
        }
        let changes: i64 = connection.query_row("SELECT total_changes() - 1", [], |row| row.get(0))?;
        assert_eq!(changes, 2);
        Ok(())
    }

    #[test]
    fn a_writer_that_was_overtaken_begins_above_the_other() -> rusqlite::Result<()> {
        let connection = counted()?;
        let (one, other) = (Fences::default(), Fences::default());
        assert_eq!(one.next(&connection)?, 8);
        let theirs = other.next(&connection)?;
        assert!(one.next(&connection)? > theirs);
        assert!(other.next(&connection)? > theirs + 1);
        Ok(())
    }
}
