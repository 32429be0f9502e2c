//! Tests where the crates meet; see `tests/`.
