//! Schemas as hosts and providers meet them: foreign types, tools known only at run time, sums of a request, and each
//! type and keyword against texts that others make.
// Helpers of tests; clippy knows only the test functions themselves as such.
#![allow(missing_docs, clippy::unwrap_used)]

mod accepted;
mod dynamic;
mod foreign;
mod generics;
mod keywords;
mod lock;
mod loose;
mod once;
mod profiles;
mod table;
