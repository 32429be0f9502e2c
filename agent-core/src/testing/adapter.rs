//! The contract of an adapter, as a test.

mod cases;
mod requests;
mod rules;
mod server;
mod wire;

pub use self::wire::{Asked, Said, ScriptedWire};

use self::rules::Desk;
use crate::model::Model;

/// Holds an adapter against the contract of [`Model`], and against what the loop relies on.
///
/// `wire` says neutral answers as the provider's servers would; `make` gives a model for the server at a base URL
/// on a loopback port, one that tries twice more at once, without a wait. The suite needs a tokio runtime with time
/// and IO.
///
/// It checks that one question is one request, what is read of an answer (text, calls in their order with their ids
/// and arguments, the reason to stop, usage), that a stream says the same as a whole answer, what is written of a
/// conversation, that what only the server understands goes back to it and to no other, the kinds of errors, what is
/// tried again, deadlines, that a dropped future closes its connection, and that nonsense is an error.
///
/// `docs/writing-an-adapter.md` in the repository runs it.
///
/// # Panics
///
/// When the adapter breaks a rule; the message says which.
pub async fn adapter<M: Model>(wire: &dyn ScriptedWire, make: impl Fn(&str) -> M + Sync) {
    let make = |base_url: &str| Box::new(make(base_url)) as Box<dyn Model + '_>;
    let desk = Desk { wire, make: &make };
    rules::one_question_is_one_request(&desk).await;
    rules::answers_are_read(&desk).await;
    rules::a_stream_says_the_same_as_a_whole_answer(&desk).await;
    rules::a_stream_that_breaks_is_interrupted(&desk).await;
    rules::errors_have_their_kind(&desk).await;
    rules::another_providers_errors_are_told(&desk).await;
    rules::what_may_pass_is_tried_again(&desk).await;
    rules::a_wait_beyond_the_deadline_is_not_begun(&desk).await;
    rules::a_deadline_ends_a_wait(&desk).await;
    rules::a_dropped_question_closes_its_connection(&desk).await;
    rules::nonsense_is_an_error(&desk).await;
    requests::a_conversation_is_written_in_its_order(&desk).await;
    requests::arguments_that_are_no_json_make_a_request_all_the_same(&desk).await;
    requests::what_only_the_server_understands_goes_back(&desk).await;
    requests::what_another_format_kept_is_left_out(&desk).await;
}
