//! What the tests of every store share.

pub(crate) mod booking;
mod by_hand;
pub(crate) mod migrated;
pub(crate) mod retained;

pub(crate) use by_hand::{begin, claim, fresh, fresh_of, key, run, settle};
