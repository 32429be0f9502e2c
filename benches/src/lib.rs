//! Benchmarks only; see `benches/` and `compile-cost.sh`.
