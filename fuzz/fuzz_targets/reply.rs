//! A whole body reads without panic; what was read can be kept, and goes back as JSON; so does any error object.

#![no_main]

use agent_core::model::{Message, Reply};
use agent_http::fuzz::whole;
use agent_http::{Answered, Fault};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
    if let Ok((reply, _)) = runtime.block_on(whole(Bytes::copy_from_slice(data), agent_openai::fuzz::reading())) {
        again(reply, agent_openai::fuzz::sent);
    }
    if let Ok((reply, _)) = runtime.block_on(whole(Bytes::copy_from_slice(data), agent_anthropic::fuzz::reading())) {
        again(reply, agent_anthropic::fuzz::sent);
    }
    let fault = Fault::read(data);
    for status in [200, 400, 429, 503] {
        assert!(Answered::example(status).fault(&fault).message().len() < 4096);
    }
});

fn again(reply: Reply, sent: fn(&[Message]) -> Vec<u8>) {
    let message = Message::reply(reply.text, reply.refusal, reply.calls, reply.echo);
    let kept = serde_json::to_string(&message).expect("a message can be kept");
    let taken: Message = serde_json::from_str(&kept).expect("a kept message can be taken up");
    let (first, later) = (sent(&[message]), sent(&[taken]));
    assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&later));
    assert!(serde_json::from_slice::<Box<serde_json::value::RawValue>>(&first).is_ok());
}
