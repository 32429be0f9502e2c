//! Tokens and money.

use super::Run;
use crate::model::{Body, Part, Reply, Usage};
use crate::run::end::RunErrorKind;
use crate::run::plan::Plan;

/// Bytes to a token, for texts whose tokens nobody counted.
const BYTES_PER_TOKEN: u64 = 4;

/// The tokens of so many bytes, about.
pub(super) fn tokens_of(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The bytes of a message that a model reads, about.
pub(super) fn bytes(body: &Body) -> u64 {
    let sum: usize = match body {
        Body::User { content } => content
            .iter()
            .map(|part| match part {
                Part::Text { text } => text.len(),
                // An image costs about a thousand tokens, whatever its bytes.
                Part::Image { .. } => 4000,
            })
            .sum(),
        Body::Assistant { text, refusal, calls, .. } => {
            text.as_ref().map_or(0, String::len)
                + refusal.as_ref().map_or(0, String::len)
                + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
        Body::Tool { content, .. } => content.len(),
    };
    sum as u64
}

impl Run {
    /// The tokens of a reply, and whether they are estimated since the server did not say.
    pub(super) fn usage_of(&self, plan: &Plan, reply: &Reply) -> (Usage, bool) {
        // A server that counts nothing says 0. Where no model was asked, nothing was spent.
        match reply.usage.filter(|usage| usage.total() > 0 || reply.attempts == 0) {
            Some(usage) => (usage, false),
            None => {
                let written = reply.text.as_ref().map_or(0, String::len)
                    + reply.reasoning.as_ref().map_or(0, String::len)
                    + reply.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
                let read = self.bytes.saturating_add(plan.fixed_bytes);
                (Usage::new(tokens_of(read), tokens_of(written as u64)), true)
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
