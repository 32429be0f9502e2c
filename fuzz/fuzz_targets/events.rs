//! An event stream reads without panic, and to the same end however the network cuts it.

#![no_main]

use agent_core::model::ModelError;
use agent_http::Reading;
use agent_http::fuzz::events;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((seed, body)) = data.split_first() else { return };
    same(*seed, body, agent_openai::fuzz::reading);
    same(*seed, body, agent_anthropic::fuzz::reading);
});

fn same<R: Reading>(seed: u8, body: &[u8], reading: impl Fn() -> R) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
    let read = |pieces| match runtime.block_on(events(pieces, reading())) {
        Ok((reply, _)) => format!("{reply:?}"),
        Err(error) => shown(&error),
    };
    let whole = read(vec![Bytes::copy_from_slice(body)]);
    assert_eq!(whole, read(pieces(seed, body)));
}

/// The kind and the words; causes name places in a text that differ by how it was cut.
fn shown(error: &ModelError) -> String {
    format!("{:?} {} {:?}", error.kind(), error.message(), error.get_partial_text())
}

fn pieces(seed: u8, body: &[u8]) -> Vec<Bytes> {
    let mut state = u64::from(seed);
    let mut rest = body;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (piece, after) = rest.split_at(rest.len().min(1 + (state >> 33) as usize % 7));
        pieces.push(Bytes::copy_from_slice(piece));
        rest = after;
    }
    pieces
}
