//! Tokens and money.

use super::Run;
use crate::model::{Body, Message, Part, Reply, ToolCall, Usage};
use crate::run::end::RunErrorKind;
use crate::run::plan::{Plan, QUARTERS};

/// The tokens of so many quarters.
pub(super) fn tokens_of(size: u64) -> u64 {
    size.div_ceil(QUARTERS)
}

/// What a model reads of these messages, in quarters of a token.
pub(super) fn sizes(plan: &Plan, messages: &[Message]) -> u64 {
    messages.iter().fold(0, |sum, message| sum.saturating_add(size(plan, message.body())))
}

/// What a model reads of a message, in quarters of a token.
pub(super) fn size(plan: &Plan, body: &Body) -> u64 {
    match body {
        Body::User { content } => content
            .iter()
            .map(|part| match part {
                Part::Text { text } => plan.size(text),
                // An image costs about a thousand tokens, whatever its bytes.
                Part::Image { .. } => 4000,
            })
            .fold(0, u64::saturating_add),
        Body::Assistant { text, refusal, calls, .. } => written(plan, [text, refusal], calls),
        Body::Tool { content, .. } => plan.size(content),
    }
}

/// What a model writes, in quarters of a token.
fn written(plan: &Plan, texts: [&Option<String>; 2], calls: &[ToolCall]) -> u64 {
    let texts = texts.into_iter().flatten().map(|text| plan.size(text));
    let calls = calls.iter().map(|call| plan.size(&call.name).saturating_add(plan.size(&call.arguments)));
    texts.chain(calls).fold(0, u64::saturating_add)
}

impl Run {
    /// The tokens of a reply, and whether they are estimated since the server did not say.
    pub(super) fn usage_of(&self, plan: &Plan, reply: &Reply) -> (Usage, bool) {
        // A server that counts nothing says 0. Where no model was asked, nothing was spent.
        match reply.usage.filter(|usage| usage.total() > 0 || reply.attempts == 0) {
            Some(usage) => (usage, false),
            None => {
                let read = self.size.saturating_add(plan.fixed_size);
                let written = written(plan, [&reply.text, &reply.reasoning], &reply.calls);
                (Usage::new(tokens_of(read), tokens_of(written)), true)
            }
        }
    }

    /// Takes one of the requests beyond the model's turns; says why the run ends where none may be made:
    /// the budget is spent, or `otherwise`.
    pub(super) fn cannot_ask_again(&mut self, plan: &Plan, otherwise: RunErrorKind) -> Option<RunErrorKind> {
        match self.spent_budget(plan) {
            Some(spent) => Some(spent),
            None if self.take_extra_call(plan) => None,
            None => Some(otherwise),
        }
    }

    /// The budget that is spent, if one is.
    pub(super) fn spent_budget(&self, plan: &Plan) -> Option<RunErrorKind> {
        let used = self.record.usage.total();
        if let Some(limit) = plan.limits.max_tokens
            && used > limit
        {
            return Some(RunErrorKind::TokenBudget { limit, used });
        }
        let limit = plan.limits.max_cost?;
        let used = limit.prices.cost(&self.record.usage);
        (used > limit.most).then_some(RunErrorKind::CostBudget { limit: limit.most, used })
    }
}
