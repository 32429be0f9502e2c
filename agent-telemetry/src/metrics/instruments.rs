//! The instruments, by their names.

use std::time::Duration;

use agent_core::model::Usage;
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};

use super::Conventions;

/// The buckets that the conventions give, in seconds.
const SECONDS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Of a whole run, in seconds.
const RUN_SECONDS: [f64; 13] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];

/// Of tokens.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// Of calls within a run.
const CALLS: [f64; 9] = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

pub(super) struct Instruments {
    duration: Histogram<f64>,
    tokens: Tokens,
    pub(super) invoke_agent: Histogram<f64>,
    pub(super) inference_calls: Histogram<u64>,
    pub(super) tool_calls: Histogram<u64>,
    pub(super) execute_tool: Histogram<f64>,
    pub(super) runs: Counter<u64>,
    pub(super) retries: Counter<u64>,
    pub(super) denials: Counter<u64>,
    pub(super) replays: Counter<u64>,
    pub(super) circuits: Counter<u64>,
}

/// Tokens, as each of the conventions has them.
enum Tokens {
    V1_41(Histogram<u64>),
    Latest { inference: Histogram<f64>, sums: Box<[Counter<u64>; 4]>, each: Box<[Histogram<u64>; 2]> },
}

impl Instruments {
    pub(super) fn new(meter: &Meter, conventions: Conventions) -> Self {
        let seconds = |name: &'static str, buckets: &[f64], description: &'static str| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_boundaries(buckets.to_vec());
            histogram.with_description(description).build()
        };
        let numbers = |name: &'static str, unit: &'static str, buckets: &[f64], description: &'static str| {
            let histogram = meter.u64_histogram(name).with_unit(unit).with_boundaries(buckets.to_vec());
            histogram.with_description(description).build()
        };
        let counter = |name: &'static str, unit: &'static str, description: &'static str| {
            meter.u64_counter(name).with_unit(unit).with_description(description).build()
        };
        let tokens = match conventions {
            Conventions::V1_41 => Tokens::V1_41(numbers(
                "gen_ai.client.token.usage",
                "{token}",
                &TOKENS,
                "Tokens read and written by one reply.",
            )),
            Conventions::Latest => Tokens::Latest {
                inference: seconds("gen_ai.client.inference.duration", &SECONDS, "How long one reply took."),
                sums: Box::new([
                    counter("gen_ai.client.inference.usage.input_tokens", "{token}", "Tokens read."),
                    counter("gen_ai.client.inference.usage.output_tokens", "{token}", "Tokens written."),
                    counter(
                        "gen_ai.client.inference.usage.cache_read.input_tokens",
                        "{token}",
                        "Of those read, cached.",
                    ),
                    counter(
                        "gen_ai.client.inference.usage.reasoning.output_tokens",
                        "{token}",
                        "Of those written, reasoning.",
                    ),
                ]),
                each: Box::new([
                    numbers(
                        "gen_ai.client.inference.operation.input_tokens",
                        "{token}",
                        &TOKENS,
                        "Tokens read by one reply.",
                    ),
                    numbers(
                        "gen_ai.client.inference.operation.output_tokens",
                        "{token}",
                        &TOKENS,
                        "Tokens written by one reply.",
                    ),
                ]),
            },
        };
        Self {
            duration: seconds(
                "gen_ai.client.operation.duration",
                &SECONDS,
                "How long one reply took, retries included.",
            ),
            tokens,
            invoke_agent: seconds("gen_ai.invoke_agent.duration", &RUN_SECONDS, "How long a run took."),
            inference_calls: numbers(
                "gen_ai.invoke_agent.inference_calls",
                "{inference_call}",
                &CALLS,
                "Replies asked for in a run.",
            ),
            tool_calls: numbers("gen_ai.invoke_agent.tool_calls", "{tool_call}", &CALLS, "Calls that a run executed."),
            execute_tool: seconds("gen_ai.execute_tool.duration", &SECONDS, "How long a call took, retries included."),
            runs: counter("agent.runs", "{run}", "Runs that ended, by how."),
            retries: counter("agent.tool.retries", "{retry}", "Calls made again, by the framework or by the model."),
            denials: counter("agent.tool.denials", "{call}", "Calls that were not allowed."),
            replays: counter("agent.tool.replays", "{call}", "Calls that were given an earlier result."),
            circuits: counter("agent.circuits", "{circuit}", "Models that went in circles."),
        }
    }

    pub(super) fn replied(&self, latency: Duration, usage: &Usage, attributes: &[KeyValue]) {
        self.duration.record(latency.as_secs_f64(), attributes);
        let with = |name: &'static str, value: &'static str| {
            let mut attributes = attributes.to_vec();
            attributes.push(KeyValue::new(name, value));
            attributes
        };
        match &self.tokens {
            Tokens::V1_41(tokens) => {
                tokens.record(usage.input, &with("gen_ai.token.type", "input"));
                tokens.record(usage.output, &with("gen_ai.token.type", "output"));
            }
            Tokens::Latest { inference, sums, each } => {
                inference.record(latency.as_secs_f64(), attributes);
                let attributes = &with("gen_ai.token.modality", "text");
                let counts = [usage.input, usage.output, usage.cached_input, usage.reasoning];
                sums.iter().zip(counts).for_each(|(counter, count)| counter.add(count, attributes));
                each.iter()
                    .zip(counts)
                    .for_each(|(tokens, count)| tokens.record(count, &attributes[..attributes.len() - 1]));
            }
        }
    }

    pub(super) fn failed(&self, after: Duration, attributes: &[KeyValue]) {
        self.duration.record(after.as_secs_f64(), attributes);
        if let Tokens::Latest { inference, .. } = &self.tokens {
            inference.record(after.as_secs_f64(), attributes);
        }
    }
}
