//! Does one scenario a number of times, for `benches/count.sh` to count its instructions: `count list`, `count NAME TIMES`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is spoken to by a script")]

use std::process::ExitCode;

use agent_benches::cases::SCENARIOS;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    if name == "list" {
        for scenario in SCENARIOS {
            let network = if scenario.network { "network" } else { "-" };
            println!("{} {} {network}", scenario.name, scenario.beside);
        }
        return ExitCode::SUCCESS;
    }
    let times = arguments.next().and_then(|times| times.parse().ok());
    let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name);
    let (Some(scenario), Some(times)) = (scenario, times) else {
        eprintln!("usage: count list | count NAME TIMES");
        return ExitCode::FAILURE;
    };
    let mut work = (scenario.make)();
    for _ in 0..times {
        work();
    }
    ExitCode::SUCCESS
}
