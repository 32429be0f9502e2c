//! What the harness asks for, from the environment.

use std::str::FromStr;

/// One conversation of the scripted server.
#[derive(Clone, Copy)]
pub(crate) enum Scenario {
    Invoice,
    Long(u32),
    Fan(u32),
}

#[derive(Clone)]
pub(crate) struct Settings {
    /// Ends in `/v1`.
    pub(crate) base_url: String,
    pub(crate) scenario: Scenario,
    pub(crate) runs: u64,
    pub(crate) warmup: u64,
    pub(crate) concurrency: u64,
    pub(crate) stream: bool,
    pub(crate) dispatch: bool,
    pub(crate) multi_thread: bool,
}

fn var(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn number<T: FromStr>(name: &str, default: &str) -> Result<T, String> {
    var(name, default).parse().map_err(|_| format!("{name} is not a number"))
}

impl Settings {
    pub(crate) fn from_env() -> Result<Self, String> {
        Ok(Self {
            base_url: var("BENCH_BASE_URL", "http://127.0.0.1:8099/v1"),
            scenario: Scenario::of(&var("BENCH_SCENARIO", "invoice"))?,
            runs: number("BENCH_RUNS", "1")?,
            warmup: number("BENCH_WARMUP", "0")?,
            concurrency: number("BENCH_CONCURRENCY", "1")?,
            stream: var("BENCH_STREAM", "0") == "1",
            dispatch: var("BENCH_MODE", "run") == "dispatch",
            multi_thread: var("BENCH_RT", "current") == "multi",
        })
    }
}

impl Scenario {
    fn of(text: &str) -> Result<Self, String> {
        let many = |many: &str| many.parse().map_err(|_| format!("BENCH_SCENARIO: {many} is no number of calls"));
        match text.split_once(':') {
            None if text == "invoice" => Ok(Self::Invoice),
            Some(("long", steps)) => Ok(Self::Long(many(steps)?)),
            Some(("fan", calls)) => Ok(Self::Fan(many(calls)?)),
            _ => Err(format!("BENCH_SCENARIO is `invoice`, `long:N` or `fan:K`, not `{text}`")),
        }
    }

    pub(crate) fn prompt(self) -> String {
        match self {
            Self::Invoice => "[bench:invoice] Acme Ltd sent two invoices: one in the UK over 1500 and one in Germany \
                 (DE) over 500. Compute the tax of both and record the UK one."
                .to_owned(),
            Self::Long(steps) => format!("[bench:long:{steps}] Look up the ledger records one by one."),
            Self::Fan(calls) => format!("[bench:fan:{calls}] Compute the tax of all the UK invoices."),
        }
    }

    /// What the server says at the end.
    pub(crate) fn answer(self) -> String {
        match self {
            Self::Invoice => "UK: tax 300 GBP, total 1800 GBP. DE: tax 95 EUR, total 595 EUR. The UK invoice for Acme \
                 Ltd is recorded as INV-0001."
                .to_owned(),
            Self::Long(steps) => format!("Completed {steps} lookups in order."),
            Self::Fan(calls) => format!("Computed {calls} taxes."),
        }
    }

    pub(crate) fn calls(self) -> u32 {
        match self {
            Self::Invoice => 3,
            Self::Long(calls) | Self::Fan(calls) => calls,
        }
    }

    pub(crate) fn turns(self) -> u32 {
        match self {
            Self::Invoice => 3,
            Self::Long(steps) => steps + 1,
            Self::Fan(_) => 2,
        }
    }
}
