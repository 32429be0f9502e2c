//! Every example over both adapters: what it does, and what it says of that, is the same.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::{Ran, ran, serve_once};

/// The switches with which each example runs. With a store, the second time it is asked for the same run.
const EXAMPLES: &[(&str, &[&[&str]])] = &[
    (
        "invoice",
        &[
            &[],
            &["--repeat"],
            &["--tamper"],
            &["--as", "viewer"],
            &["--as", "viewer", "--repeat"],
            &["--as", "viewer", "--tamper"],
            &["--store", "STORE", "--run-id", "demo"],
        ],
    ),
    (
        "tickets",
        &[
            &[],
            &["--stubborn"],
            &["--observation", "envelope"],
            &["--observation", "full"],
            &["--observation", "compact"],
            &["--observation", "text"],
            &["--observation", "text", "--stubborn"],
        ],
    ),
];

const PROVIDERS: [&str; 2] = ["openai", "anthropic"];

/// An example that was built with these tests.
fn example(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Path::new(env!("CARGO_BIN_EXE_invoice")).with_file_name(file)
}

fn command(name: &str, switches: &[&str]) -> Command {
    program::command(example(name).to_str().unwrap(), switches)
}

#[test]
fn each_example_is_run_over_each_adapter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let there = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let there: BTreeSet<_> = there.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let run: BTreeSet<_> = EXAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(there, run, "an example is missing from `EXAMPLES`");
    for (name, _) in EXAMPLES {
        let help = ran(command(name, &["--help"])).out;
        for provider in PROVIDERS {
            assert!(help.contains(&format!("- {provider}")), "{name} takes no `--provider {provider}`: {help}");
        }
        assert_eq!(help.matches("format is spoken").count(), 1);
    }
}

#[test]
fn the_provider_makes_no_difference_to_what_is_done_and_what_is_said() {
    for (name, all) in EXAMPLES {
        for switches in *all {
            let told = PROVIDERS.map(|provider| {
                let folder = tempfile::tempdir().unwrap();
                let store = folder.path().join("store.db");
                let stored = switches.contains(&"STORE");
                let once = || {
                    let mut command = command(name, &["--provider", provider]);
                    command.args(
                        switches.iter().map(|word| if *word == "STORE" { store.as_os_str() } else { word.as_ref() }),
                    );
                    let ran = ran(command);
                    (ran.code, ran.conclusion())
                };
                (once(), stored.then(once))
            });
            let [openai, anthropic] = told;
            assert_eq!(openai, anthropic, "{name} {switches:?}");
        }
    }
}

#[test]
fn the_events_are_the_same_but_for_what_the_server_names_and_counts() {
    for (name, all) in EXAMPLES {
        let plain = all.iter().filter(|switches| !switches.contains(&"STORE"));
        for switches in plain {
            let [openai, anthropic] = PROVIDERS.map(|provider| {
                let ran = ran(command(name, &[*switches, &["--json", "--provider", provider]].concat()));
                let kinds: Vec<_> = ran.events().iter().map(|event| event["event"].clone()).collect();
                (ran.code, kinds, ran.err)
            });
            assert_eq!(openai, anthropic, "{name} {switches:?}");
        }
    }
}

fn live(name: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = command(name, &["--live", "--provider", "anthropic"]);
    command.envs(variables.iter().copied());
    ran(command)
}

#[test]
fn live_asks_the_other_provider_by_its_own_variables() {
    let text = r#"{"type":"message","content":[{"type":"text","text":"Good day."}],"stop_reason":"end_turn"}"#;
    let finish = r#"{"type":"message","content":[{"type":"tool_use","id":"t","name":"finalizar","input":{"respuesta_final":"Good day."}}],"stop_reason":"tool_use"}"#;
    for (name, body) in [("invoice", text), ("tickets", finish)] {
        let url = serve_once(body);
        let url = url.trim_end_matches("/v1");
        let ran = live(name, &[("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_MODEL", "tiny")]);
        ran.answers("Good day.");
        ran.says(&["tiny, the configured server"]);
    }
}

#[test]
fn without_a_key_live_says_which_variable_of_the_other_provider_to_set() {
    for (name, _) in EXAMPLES {
        let ran = live(name, &[]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{name}");
        assert!(ran.err.contains("ANTHROPIC_API_KEY"), "{}", ran.err);
    }
}

#[test]
fn a_provider_that_there_is_not_is_named_with_the_ones_that_there_are() {
    for (name, _) in EXAMPLES {
        for switches in [&["--provider", "cohere"][..], &["--provider"], &["--live", "--provider", "cohere"]] {
            let ran = ran(command(name, switches));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{name} {switches:?}");
            for word in ["--provider", "openai", "anthropic"] {
                assert!(ran.err.contains(word), "{name} {switches:?}: {}", ran.err);
            }
        }
    }
}
