//! What `agent-audit` says.

use std::fs;
use std::process::Command;

use agent_telemetry::{Verify, verify};

use super::{Chain, lines, ten_of, write};

fn program(words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_agent-audit")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn the_program_says_ok_or_what_is_wrong_and_where() {
    let chain = Chain::new().await;
    let path = chain.path.to_str().unwrap();
    let (code, out, _) = program(&["verify", path, "--head", &chain.head.digest]);
    assert_eq!(code, Some(0));
    assert_eq!(out, format!("ok: 10 records, 1 to 10, head {}; 0 after the wanted head\n", chain.head.digest));

    chain.after(|lines| drop(lines.remove(4)));
    let (code, out, _) = program(&["verify", "--", path]);
    assert_eq!(code, Some(1));
    assert!(out.contains("audit.jsonl:5: record 5 is missing before this\nTAMPERED: 9 records"), "{out}");
}

/// What is done to the lines of a file of ten records.
type Tamper = fn(&mut Vec<String>);

/// Each kind of tampering that the guide tells of, with the record whose head was kept.
const KINDS: [(&str, u64, Tamper); 16] = [
    ("a record changed", 10, |all| all[4] = all[4].replace("usr_1", "usr_2")),
    ("a record written in other bytes", 10, |all| all[4] = all[4].replacen(':', ": ", 1)),
    ("a line put in that is no record", 10, |all| all.insert(3, String::new())),
    ("a record put in", 10, |all| all.insert(4, all[4].replace("run-4", "run-x"))),
    ("a record doubled", 10, |all| all.insert(4, all[3].clone())),
    ("two records swapped", 10, |all| all.swap(3, 4)),
    ("a record taken out of the middle", 10, |all| drop(all.remove(4))),
    ("the same, and those after it numbered anew", 10, |all| {
        all.remove(3);
        for (at, line) in all.iter_mut().enumerate().skip(3) {
            *line = line.replacen(&format!("\"seq\":{}", at + 2), &format!("\"seq\":{}", at + 1), 1);
        }
    }),
    ("the beginning taken off", 10, |all| drop(all.drain(..2))),
    ("the end cut within a record", 10, |all| all[9].truncate(20)),
    ("the end cut between two records", 10, |all| all.truncate(8)),
    ("the last record changed", 10, |all| all[9] = all[9].replace("usr_1", "usr_2")),
    ("all records taken out", 10, Vec::clear),
    ("all written anew from some record on, with digests that fit", 10, |all| all.truncate(4)),
    ("the end cut, after the record whose head was kept", 5, |all| all.truncate(8)),
    ("all written anew from some record on, after the one whose head was kept", 4, |all| all.truncate(4)),
];

#[tokio::test]
async fn the_program_finds_exactly_what_the_guide_says() {
    let guide = include_str!("../../../docs/telemetry.md");
    let rows: Vec<Vec<&str>> = guide
        .lines()
        .skip_while(|line| !line.starts_with("| what was done"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), KINDS.map(|(name, ..)| name));
    for ((name, kept, tamper), row) in KINDS.iter().zip(&rows) {
        let chain = Chain::new().await;
        let mut all = lines(&chain.path);
        write(&chain.path, &all[..usize::try_from(*kept).unwrap()]);
        let head = verify([&chain.path], &Verify::new()).unwrap().head.digest;
        tamper(&mut all);
        write(&chain.path, &all);
        if name.contains("within a record") {
            let text = fs::read(&chain.path).unwrap();
            fs::write(&chain.path, &text[..text.len() - 1]).unwrap();
        }
        if name.contains("written anew") {
            // The forger has the program that writes.
            ten_of("forged", &chain.path, None).await;
        }
        let path = chain.path.to_str().unwrap();
        let found = |code| match code {
            Some(0) => "no",
            Some(1) => "yes",
            other => panic!("{name}: {other:?}"),
        };
        let (alone, ..) = program(&["verify", path]);
        let (held, ..) = program(&["verify", path, "--head", &head]);
        assert_eq!([found(alone), found(held)], row[1..], "{name}");
    }
}

#[test]
fn the_program_names_a_wrong_switch_or_file() {
    for (words, named) in [
        (&["check"][..], "check"),
        (&["verify"], "no file"),
        (&["verify", "--tail", "x"], "--tail"),
        (&["verify", "--head", "12", "x"], "--head"),
        (&["verify", "/nowhere/audit.jsonl"], "cannot be read"),
    ] {
        let (code, out, err) = program(words);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{words:?}");
        assert!(err.contains(named), "{err}");
    }
    assert_eq!(program(&["--help"]).0, Some(0));
}
