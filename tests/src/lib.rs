//! Tests where the crates meet; see `tests/`.

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The code of the guide to a first tool runs.
#[cfg(doctest)]
#[doc = include_str!("../../docs/first-tool.md")]
struct FirstTool;

/// The code of the guide to what a tool can take runs, and what it refuses does not compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/what-a-tool-can-take.md")]
struct WhatAToolCanTake;

/// The code of the guide to running an agent runs.
#[cfg(doctest)]
#[doc = include_str!("../../docs/running-an-agent.md")]
struct RunningAnAgent;

/// The code of the guide to servers compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/dialects.md")]
struct Dialects;
