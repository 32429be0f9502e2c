//! Says whether audit files still hang together.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use agent_telemetry::{Verify, verify};

const HELP: &str = "\
Says whether the audit files of one chain still hang together.

usage: agent-audit verify [--head DIGEST] [--from DIGEST] FILE..

  FILE..         the files of the chain, the oldest first: audit.*.jsonl audit.jsonl
  --head DIGEST  a record with this digest must be there; keep the digest apart from the files. Without it, a cut end,
                 a change of the last record and a file that was written anew from some record on are not found; with
                 it they are, up to that record. For records after it, it does not vouch: give the newest
  --from DIGEST  the digest of the record before the first FILE, where earlier files are kept elsewhere

Exit code: 0 all hangs together, 1 it does not, 2 the files or the switches cannot be read.
";

fn main() -> ExitCode {
    let words: Result<Vec<_>, _> = std::env::args_os().skip(1).map(OsString::into_string).collect();
    let not_text = |word: OsString| format!("{} is no text in UTF-8; give the file another name", word.display());
    let (code, text) = match words.map_err(not_text).and_then(|words| Ask::read(words.into_iter())) {
        Ok(Ask::Help) => (0, HELP.to_owned()),
        Ok(Ask::Verify(files, against)) => verified(&files, &against),
        Err(wrong) => (2, format!("error: {wrong}; `agent-audit --help` says how\n")),
    };
    let written =
        if code == 2 { io::stderr().write_all(text.as_bytes()) } else { io::stdout().write_all(text.as_bytes()) };
    // What could not be said must not pass for a success.
    ExitCode::from(if written.is_err() { 2 } else { code })
}

enum Ask {
    Help,
    Verify(Vec<PathBuf>, Verify),
}

impl Ask {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        match words.next().as_deref() {
            Some("verify") => {}
            Some("--help" | "-h" | "help") => return Ok(Self::Help),
            Some(other) => return Err(format!("`{other}` is no command; expected `verify`")),
            None => return Err("a command is missing; expected `verify`".to_owned()),
        }
        let (mut files, mut against) = (Vec::new(), Verify::new());
        let mut all_files = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                _ if all_files => files.push(PathBuf::from(word)),
                "--" => all_files = true,
                "--help" | "-h" => return Ok(Self::Help),
                "--head" => against = against.head(digest(&word, words.next())?),
                "--from" => against = against.from(digest(&word, words.next())?),
                switch if switch.starts_with('-') => return Err(format!("unknown switch `{switch}`")),
                _ => files.push(PathBuf::from(word)),
            }
        }
        if files.is_empty() { Err("no file is named".to_owned()) } else { Ok(Self::Verify(files, against)) }
    }
}

fn digest(switch: &str, value: Option<String>) -> Result<String, String> {
    match value {
        Some(value) if value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(value),
        _ => Err(format!("`{switch}` needs a digest of 64 hexadecimal digits")),
    }
}

fn verified(files: &[PathBuf], against: &Verify) -> (u8, String) {
    let found = match verify(files, against) {
        Ok(found) => found,
        Err(error) => return (2, format!("error: a file cannot be read: {error}\n")),
    };
    let mut text: String = found.problems.iter().map(|problem| format!("{problem}\n")).collect();
    let first = found.first.unwrap_or_default();
    let after = match found.after_head {
        None => String::new(),
        Some(0) => "; 0 after the wanted head".to_owned(),
        Some(after) => format!("; {after} after the wanted head, which does not vouch for them"),
    };
    let verdict = if found.problems.is_empty() { "ok" } else { "TAMPERED" };
    text.push_str(&format!(
        "{verdict}: {} records, {first} to {}, head {}{after}\n",
        found.records, found.head.seq, found.head.digest
    ));
    (u8::from(!found.problems.is_empty()), text)
}
