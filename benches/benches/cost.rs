//! What is ours beside what it does more than: `benches/table.sh` runs this and prints ratios.
//!
//! Each group has what it is compared with as its first row, `a_..`; each column is a size. Allocations are counted
//! too; they cost every row about the same for each.
#![allow(missing_docs, clippy::unwrap_used)]

use agent_benches::arguments::{Folder, Invoice, folder, invoice};
use agent_benches::cases;

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

/// From the argument text into the function's types, by size: lines of an invoice.
mod arguments_by_lines {
    use super::*;

    #[divan::bench(args = cases::LINES)]
    fn a_serde(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::serde::<Invoice>(invoice(lines)));
    }

    #[divan::bench(args = cases::LINES)]
    fn b_jsonschema_and_serde(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::jsonschema::<Invoice>(invoice(lines)));
    }

    #[divan::bench(args = cases::LINES)]
    fn c_our_validator(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::validated::<Invoice>(invoice(lines)));
    }

    #[divan::bench(args = cases::LINES)]
    fn d_dispatch_of_a_read(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::dispatched("look", invoice(lines)));
    }

    #[divan::bench(args = cases::LINES)]
    fn e_dispatch_of_a_mutating_call(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::dispatched("book", invoice(lines)));
    }
}

/// The same by depth: folders in one another.
mod arguments_by_depth {
    use super::*;

    #[divan::bench(args = cases::DEPTHS)]
    fn a_serde(bencher: divan::Bencher<'_, '_>, depth: usize) {
        bencher.bench_local(cases::serde::<Folder>(folder(depth)));
    }

    #[divan::bench(args = cases::DEPTHS)]
    fn b_jsonschema_and_serde(bencher: divan::Bencher<'_, '_>, depth: usize) {
        bencher.bench_local(cases::jsonschema::<Folder>(folder(depth)));
    }

    #[divan::bench(args = cases::DEPTHS)]
    fn c_our_validator(bencher: divan::Bencher<'_, '_>, depth: usize) {
        bencher.bench_local(cases::validated::<Folder>(folder(depth)));
    }

    #[divan::bench(args = cases::DEPTHS)]
    fn d_dispatch_of_a_read(bencher: divan::Bencher<'_, '_>, depth: usize) {
        bencher.bench_local(cases::dispatched("open", folder(depth)));
    }
}

/// What tells one call from another, of arguments that are read: lines of an invoice.
mod digest_by_lines {
    use super::*;

    #[divan::bench(args = cases::LINES)]
    fn a_sha256_of_the_text(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::sha256(invoice(lines)));
    }

    #[divan::bench(args = cases::LINES)]
    fn b_digest(bencher: divan::Bencher<'_, '_>, lines: usize) {
        bencher.bench_local(cases::digest(invoice(lines)));
    }
}

/// A whole run, by its turns, without a server.
mod run_by_turns {
    use super::*;

    #[divan::bench(args = cases::TURNS)]
    fn a_its_messages_alone(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::messages(turns));
    }

    #[divan::bench(args = cases::TURNS)]
    fn b_run_apply(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::applied(turns));
    }

    #[divan::bench(args = cases::TURNS)]
    fn c_driven(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::driven(turns));
    }
}

/// All requests of a run, by its turns: two messages and about 1.3 KB more each. A server on another thread answers.
mod requests_by_turns {
    use super::*;

    #[divan::bench(args = cases::TURNS)]
    fn a_same_bytes_by_reqwest(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::replayed(turns));
    }

    #[divan::bench(args = cases::TURNS)]
    fn b_written_anew_by_serde(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::written_anew(turns));
    }

    #[divan::bench(args = cases::TURNS)]
    fn c_our_adapter(bencher: divan::Bencher<'_, '_>, turns: usize) {
        bencher.bench_local(cases::asked(turns));
    }
}

/// A streamed reply, by its events. A server on another thread sends it.
mod stream_by_events {
    use super::*;

    #[divan::bench(args = cases::EVENTS)]
    fn a_bytes_by_reqwest(bencher: divan::Bencher<'_, '_>, events: usize) {
        bencher.bench_local(cases::unread(events));
    }

    #[divan::bench(args = cases::EVENTS)]
    fn b_lines_and_serde(bencher: divan::Bencher<'_, '_>, events: usize) {
        bencher.bench_local(cases::read_by_hand(events));
    }

    #[divan::bench(args = cases::EVENTS)]
    fn c_our_adapter(bencher: divan::Bencher<'_, '_>, events: usize) {
        bencher.bench_local(cases::streamed(events));
    }
}
