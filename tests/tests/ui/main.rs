//! What the compiler tells a user who makes a mistake; the mistakes are in `tests/ui/<category>/<mistake>.rs`.
//!
//! On any compiler, each case must give exactly the errors that its `//~ words` comments name, each on its line.
//! On the compiler of [`RECORDED`], the whole rendered text is compared too, with the `.stderr` beside the case;
//! `UI=record cargo test -p agent-tests --test ui` records it anew.

mod cases;
mod compile;
mod guide;
mod messages;
mod record;
mod rules;

use std::process::Command;
use std::sync::LazyLock;

use self::cases::Case;
use self::compile::Telling;
use self::guide::Snippet;

/// The compiler whose rendered messages are recorded beside the cases.
const RECORDED: &str = "1.95.0";

/// Everything that is compiled, in one go for all tests.
static COMPILED: LazyLock<(Vec<Case>, Vec<Snippet>, Telling)> = LazyLock::new(|| {
    let (cases, snippets) = (cases::all(), guide::all());
    let all: Vec<&Case> = cases.iter().chain(snippets.iter().map(|snippet| &snippet.case)).collect();
    let told = compile::all(&all);
    (cases, snippets, told)
});

#[test]
fn each_snippet_of_the_guide_that_does_not_compile_says_why() {
    let (_, snippets, told) = &*COMPILED;
    if is_recorded_compiler() {
        let wrong = snippets.iter().filter_map(|snippet| snippet.compare(told.of(&snippet.case.target())));
        let wrong: Vec<String> = wrong.collect();
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

#[test]
fn each_mistake_is_told_once_on_its_line() {
    let (cases, _, told) = &*COMPILED;
    let mut wrong: Vec<String> = cases.iter().flat_map(|case| case.compare(told.of(&case.target()))).collect();
    if is_recorded_compiler() {
        wrong.extend(cases.iter().filter_map(|case| record::compare(case, told.of(&case.target()))));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn each_rule_has_a_case_and_each_case_a_rule() {
    let names: Vec<String> = cases::all().iter().filter(|case| !case.passes()).map(|case| case.name.clone()).collect();
    let listed: Vec<&str> = rules::ALL.iter().flat_map(|(_, cases)| cases.iter().copied()).collect();
    let without: Vec<&&str> = listed.iter().filter(|listed| names.iter().all(|name| name != **listed)).collect();
    assert!(without.is_empty(), "rules without a case: {without:?}");
    let unlisted: Vec<&String> = names.iter().filter(|name| !listed.contains(&name.as_str())).collect();
    assert!(unlisted.is_empty(), "cases without a rule: {unlisted:?}");
    let bare: Vec<&str> = rules::ALL.iter().filter(|(_, cases)| cases.is_empty()).map(|(rule, _)| *rule).collect();
    assert!(bare.is_empty(), "rules without a case: {bare:?}");
}

#[test]
fn each_message_is_in_the_record_of_a_case() {
    let records: Vec<String> = cases::all().iter().map(record::text).collect();
    let lines: Vec<&str> = records.iter().flat_map(|record| record.lines()).collect();
    let mut unread = Vec::new();
    for message in messages::all() {
        // A case quotes its own words, which is no record.
        if !lines.iter().any(|line| !line.starts_with("LL ") && message.is_in(line)) {
            unread.push(format!("{}: {}", message.file.display(), message.text));
        }
    }
    assert!(unread.is_empty(), "messages without a case:\n{}", unread.join("\n"));
}

#[test]
fn no_record_shows_a_frame_of_ours() {
    for case in cases::all() {
        // How a constant came to be evaluated is ours to know; the user is shown their own line.
        let record = record::text(&case);
        let shown: Vec<&str> = record.lines().filter(|line| line.contains("note: inside")).collect();
        assert!(shown.is_empty(), "{}: {shown:?}", case.name);
    }
}

fn is_recorded_compiler() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-V").output().expect("rustc runs").stdout;
    String::from_utf8_lossy(&version).split_whitespace().nth(1) == Some(RECORDED)
}
