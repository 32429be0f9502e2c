//! What stderr is where nobody looks on: plain lines, to the letter.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod program;

use program::ran;

/// Times differ from run to run: each is `N ms`.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        let unit = words.iter().rposition(|word| ["ms", "s"].contains(word));
        if let Some(at) = unit.filter(|at| *at > 0 && words[at - 1].parse::<f64>().is_ok()) {
            (words[at - 1], words[at]) = ("N", "ms");
            if at > 1 && words[at - 2] == "under" {
                words.remove(at - 2);
            }
        }
        words.join(" ") + "\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn where_stderr_is_no_terminal_it_has_plain_lines_and_stdout_the_answer_alone() {
    let switches = ["--as", "clerk", "--run-id", "order-4711"];
    for no_color in [None, Some("1")] {
        let mut command = program::command(env!("CARGO_BIN_EXE_invoice"), &switches);
        command.envs(no_color.map(|value| ("NO_COLOR", value)));
        let ran = ran(command);
        assert_eq!(ran.code, Some(0));
        assert_eq!(
            ran.out,
            "UK: the tax is 300.00, the gross total 1800.00. DE: no tax, since there is a rule only for UK and BD. \
             The UK invoice is recorded as inv_000001.\n"
        );
        assert_eq!(without_times(&ran.err), include_str!("plain.txt"));
    }
}
