//! The bounds of a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::dispatch::CallLimits;
use crate::lease::LEAST;
use crate::model::Usage;

/// The bounds of a run. Set for an agent, overridable for each run; a zero is an error.
///
/// ```
/// use std::time::Duration;
/// use agent_core::Limits;
/// let limits = Limits::default().max_cycles(10).timeout(Duration::from_secs(120));
/// assert_eq!(limits.max_tool_calls, 50);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// Turns of the model. Default 5.
    pub max_cycles: u32,
    /// Requests to the model beyond its turns: a closing turn, an empty reply asked for again. Default 4.
    pub max_extra_calls: u32,
    /// The whole run, each of its waits included. Default 30 s.
    pub timeout: Duration,
    /// Calls of tools in the run. Default 50.
    pub max_tool_calls: u32,
    /// Calls of tools in one turn. Default 16.
    pub max_tool_calls_per_turn: u32,
    /// Reads that run at once. Default 8.
    pub max_parallel_calls: u32,
    /// One call of a tool. Default 10 s.
    pub tool_timeout: Duration,
    /// A mutating call is not started with less of the run left. Default 1 s.
    pub min_effect_time: Duration,
    /// How long the store is tried again to record how a mutating call ended. Default 30 s.
    pub grace: Duration,
    /// How long a claim, or a run in a store, stays its owner's without being renewed; it is renewed four times in that
    /// time. What a process leaves that dies is unknown, or may be taken up, after it. Default 30 s; at least 100 ms, of
    /// which a store has a quarter for each renewal.
    #[serde(default = "lease")]
    pub lease: Duration,
    /// Tokens read and written, over all replies; estimated where a server sends no usage. Default none.
    pub max_tokens: Option<u64>,
    /// What the tokens may cost. Default none.
    pub max_cost: Option<CostLimit>,
    /// Bytes of a result's data that the model is shown. Default 64 KiB.
    pub max_result_bytes: usize,
    /// Turns with the same mistake that open the circuit. Default 2.
    pub repeat_errors: u32,
    /// Turns with the same successful read that open the circuit. Default 3.
    pub repeat_reads: u32,
    /// Turns in a row with an invalid call that open the circuit. Default 4.
    pub invalid_turns: u32,
}

/// What tokens may cost, at the host's prices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CostLimit {
    /// The most that a run may cost, in the prices' currency.
    pub most: f64,
    /// The prices.
    pub prices: Prices,
}

/// Prices of a million tokens, in one currency.
///
/// ```
/// use agent_core::Prices;
/// let prices = Prices::new(3.0, 15.0).cached_input(0.3).cache_write(3.75);
/// assert_eq!(prices.output, 15.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prices {
    /// Tokens read.
    pub input: f64,
    /// Tokens read from a cache.
    pub cached_input: f64,
    /// Tokens read that are written to a cache.
    pub cache_write: f64,
    /// Tokens written.
    pub output: f64,
}

impl CostLimit {
    /// An amount that is no finite number would be saved as none.
    fn are_amounts(&self) -> bool {
        let Prices { input, cached_input, cache_write, output } = self.prices;
        [self.most, input, cached_input, cache_write, output].iter().all(|amount| amount.is_finite() && *amount >= 0.0)
    }
}

impl Prices {
    /// Tokens read and written, with no other price for those of a cache.
    pub const fn new(input: f64, output: f64) -> Self {
        Self { input, cached_input: input, cache_write: input, output }
    }

    /// Tokens read from a cache.
    #[must_use]
    pub const fn cached_input(mut self, price: f64) -> Self {
        self.cached_input = price;
        self
    }

    /// Tokens read that are written to a cache.
    #[must_use]
    pub const fn cache_write(mut self, price: f64) -> Self {
        self.cache_write = price;
        self
    }

    /// What this usage costs; at most [`f64::MAX`], so that it can be saved.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_input.min(usage.input);
        let written = usage.cache_write.min(usage.input - cached);
        let fresh = usage.input - cached - written;
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let sum = fresh as f64 * self.input
            + cached as f64 * self.cached_input
            + written as f64 * self.cache_write
            + usage.output as f64 * self.output;
        (sum / 1_000_000.0).min(f64::MAX)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_cycles: 5,
            max_extra_calls: 4,
            timeout: Duration::from_secs(30),
            max_tool_calls: 50,
            max_tool_calls_per_turn: 16,
            max_parallel_calls: 8,
            tool_timeout: Duration::from_secs(10),
            min_effect_time: Duration::from_secs(1),
            grace: Duration::from_secs(30),
            lease: lease(),
            max_tokens: None,
            max_cost: None,
            max_result_bytes: 64 * 1024,
            repeat_errors: 2,
            repeat_reads: 3,
            invalid_turns: 4,
        }
    }
}

/// Also of limits that were saved before there was one.
fn lease() -> Duration {
    Duration::from_secs(30)
}

macro_rules! setters {
    ($($name:ident: $type:ty,)*) => {
        $(
            #[doc = concat!("Sets [`", stringify!($name), "`](field@Self::", stringify!($name), ").")]
            #[must_use]
            pub fn $name(mut self, $name: $type) -> Self {
                self.$name = $name;
                self
            }
        )*
    };
}

impl Limits {
    setters! {
        max_cycles: u32,
        max_extra_calls: u32,
        timeout: Duration,
        max_tool_calls: u32,
        max_tool_calls_per_turn: u32,
        max_parallel_calls: u32,
        tool_timeout: Duration,
        min_effect_time: Duration,
        grace: Duration,
        lease: Duration,
        max_tokens: Option<u64>,
        max_cost: Option<CostLimit>,
        max_result_bytes: usize,
        repeat_errors: u32,
        repeat_reads: u32,
        invalid_turns: u32,
    }

    /// The limits of one call.
    pub fn call_limits(&self) -> CallLimits {
        let Self { tool_timeout, min_effect_time, grace, lease, .. } = *self;
        CallLimits { tool_timeout, min_effect_time, grace, lease }
    }

    /// Whether every limit means something.
    ///
    /// # Errors
    ///
    /// [`InvalidLimit`] names the first that is zero, a lease of less than 100 ms, or a cost or price that is no amount.
    pub fn check(&self) -> Result<(), InvalidLimit> {
        let zero = [
            ("max_cycles", self.max_cycles == 0),
            ("max_extra_calls", self.max_extra_calls == 0),
            ("timeout", self.timeout.is_zero()),
            ("max_tool_calls", self.max_tool_calls == 0),
            ("max_tool_calls_per_turn", self.max_tool_calls_per_turn == 0),
            ("max_parallel_calls", self.max_parallel_calls == 0),
            ("tool_timeout", self.tool_timeout.is_zero()),
            ("min_effect_time", self.min_effect_time.is_zero()),
            ("grace", self.grace.is_zero()),
            ("lease", self.lease.is_zero()),
            ("max_tokens", self.max_tokens == Some(0)),
            ("max_cost", self.max_cost.is_some_and(|cost| cost.most == 0.0)),
            ("max_result_bytes", self.max_result_bytes == 0),
            ("repeat_errors", self.repeat_errors == 0),
            ("repeat_reads", self.repeat_reads == 0),
            ("invalid_turns", self.invalid_turns == 0),
        ];
        match zero.into_iter().find(|(_, is_zero)| *is_zero) {
            Some((name, _)) => Err(InvalidLimit { name, why: "must be more than zero; leave it out for its default" }),
            None if self.lease < LEAST => {
                let why = "must be at least 100 ms: a store has a quarter of it for each renewal";
                Err(InvalidLimit { name: "lease", why })
            }
            None if self.max_cost.is_some_and(|cost| !cost.are_amounts()) => {
                let why = "needs amounts that are finite numbers and not negative; leave it out for no bound";
                Err(InvalidLimit { name: "max_cost", why })
            }
            None => Ok(()),
        }
    }

    /// Whether a mutating call can ever begin.
    pub(crate) fn check_effects(&self) -> Result<(), InvalidLimit> {
        let why = "must be less than `timeout`, or no mutating call ever begins";
        (self.min_effect_time < self.timeout).then_some(()).ok_or(InvalidLimit { name: "min_effect_time", why })
    }
}

/// A limit that limits nothing, or everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the limit `{name}` {why}")]
pub struct InvalidLimit {
    name: &'static str,
    why: &'static str,
}

impl InvalidLimit {
    /// The limit's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_zero_is_refused_by_name() {
        assert_eq!(Limits::default().check(), Ok(()));
        assert_eq!(Limits::default().max_cycles(0).check().unwrap_err().name(), "max_cycles");
        assert_eq!(Limits::default().grace(Duration::ZERO).check().unwrap_err().name(), "grace");
        let cost = CostLimit { most: f64::NAN, prices: Prices::new(1.0, 1.0).cached_input(1.0) };
        assert_eq!(Limits::default().max_cost(Some(cost)).check().unwrap_err().name(), "max_cost");
    }

    #[test]
    fn cached_tokens_are_charged_at_their_own_price() {
        let prices = Prices::new(2.0, 10.0).cached_input(1.0);
        let usage = Usage::new(3_000_000, 1_000_000).cached_input(1_000_000);
        assert_eq!(prices.cost(&usage), 15.0);
        assert_eq!(prices.cache_write(2.5).cost(&usage.cache_write(1_000_000)), 15.5);
    }
}
