//! The audit file: what it keeps, and that no change of it goes unseen.

#![cfg(feature = "audit")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use agent_core::Status;
use agent_core::audit::{AuditCall, AuditEvent, AuditRecord, AuditSink};
use agent_core::model::CallId;
use agent_core::telemetry::Content;
use agent_telemetry::{DigestKey, FileAudit, FileAuditError, Flush, Head, Tampering, Verify, verify};
use tempfile::TempDir;

fn key() -> DigestKey {
    DigestKey::new(b"a secret key of the tests").unwrap()
}

fn record(run: &str, event: AuditEvent) -> AuditRecord {
    let call = AuditCall::new(CallId::new("call_1"), "transfer", true, r#"{"amount":100}"#);
    AuditRecord::new("tenant_1", "usr_1", run, event).about(call)
}

/// Ten records of ten runs, alike but for the run.
async fn ten(path: &Path, rotate_at: Option<u64>) -> Head {
    ten_of("run", path, rotate_at).await
}

async fn ten_of(runs: &str, path: &Path, rotate_at: Option<u64>) -> Head {
    let mut builder = FileAudit::builder(key()).flush(Flush::Never);
    if let Some(bytes) = rotate_at {
        builder = builder.rotate_at(bytes);
    }
    let audit = builder.open(path).unwrap();
    for run in 0..10 {
        audit.record(record(&format!("{runs}-{run}"), AuditEvent::Claimed)).await.unwrap();
    }
    audit.head()
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// All files of the chain, the oldest first.
fn files(folder: &TempDir) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files
}

/// Waits without a runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker: std::task::Waker = Arc::new(Unpark(std::thread::current())).into();
    let (mut future, mut context) = (Box::pin(future), std::task::Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

struct Chain {
    _folder: TempDir,
    path: PathBuf,
    head: Head,
}

impl Chain {
    async fn new() -> Self {
        Self::of("run").await
    }

    async fn of(runs: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let head = ten_of(runs, &path, None).await;
        Self { _folder: folder, path, head }
    }

    /// What is found after this was done to the lines, with the head that was kept elsewhere and without it.
    fn after(&self, tamper: impl FnOnce(&mut Vec<String>)) -> (Vec<Tampering>, Vec<Tampering>) {
        let mut all = lines(&self.path);
        tamper(&mut all);
        write(&self.path, &all);
        self.found()
    }

    fn found(&self) -> (Vec<Tampering>, Vec<Tampering>) {
        let problems = |against: &Verify| verify([&self.path], against).unwrap().problems;
        (problems(&Verify::new().head(&self.head.digest)), problems(&Verify::new()))
    }
}

#[tokio::test]
async fn an_untouched_file_is_found_whole() {
    let chain = Chain::new().await;
    assert_eq!(chain.found(), (vec![], vec![]));
    let found = verify([&chain.path], &Verify::new().head(&chain.head.digest)).unwrap();
    assert_eq!((found.records, found.first, found.after_head), (10, Some(1), Some(0)));
    assert_eq!(found.head, chain.head);
}

#[tokio::test]
async fn a_line_holds_who_what_when_and_no_arguments() {
    let chain = Chain::new().await;
    let text = fs::read_to_string(&chain.path).unwrap();
    assert!(!text.contains("amount"), "arguments are kept: {text}");
    let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(line["seq"], 1);
    assert_eq!(line["prev"], "0".repeat(64));
    assert_eq!(
        (&line["tenant"], &line["user"], &line["run_id"]),
        (&"tenant_1".into(), &"usr_1".into(), &"run-0".into())
    );
    assert_eq!(
        (&line["event"], &line["call"]["tool"], &line["call"]["mutating"]),
        (&"claimed".into(), &"transfer".into(), &true.into())
    );
    assert_eq!(line["arguments"]["hmac_sha256"], key().digest(r#"{"amount":100}"#));
    assert!(line["at"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn arguments_are_kept_only_as_the_hook_leaves_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let hook = |content: Content<'_>| content.text.replace("100", "***");
    let audit = FileAudit::builder(key()).keep_arguments(hook).open(&path).unwrap();
    audit.record(record("run", AuditEvent::Claimed)).await.unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains(r#""text":"{\"amount\":***}""#));
}

// Ten kinds of tampering, and some more.

#[tokio::test]
async fn a_changed_word_in_the_middle_is_found_where_it_is() {
    let chain = Chain::new().await;
    let (with, without) = chain.after(|lines| lines[4] = lines[4].replace("usr_1", "usr_2"));
    assert_eq!(with, without);
    assert!(matches!(&with[..], [Tampering::Changed { seq: 6, at }] if at.line == 6), "{with:?}");
}

#[tokio::test]
async fn a_line_that_says_the_same_in_other_bytes_is_found() {
    let chain = Chain::new().await;
    let (found, _) = chain.after(|lines| lines[4] = lines[4].replacen(':', ": ", 1));
    assert!(matches!(&found[..], [Tampering::Changed { seq: 6, .. }]), "{found:?}");
}

#[tokio::test]
async fn a_line_that_is_no_record_is_found() {
    let chain = Chain::new().await;
    let (found, _) = chain.after(|lines| lines.insert(3, String::new()));
    assert!(matches!(&found[..], [Tampering::NoRecord { at }] if at.line == 4), "{found:?}");
}

#[tokio::test]
async fn swapped_lines_are_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| lines.swap(3, 4));
    assert!(
        matches!(
            &found[..],
            [
                Tampering::Missing { first: 4, last: 4, .. },
                Tampering::OutOfOrder { seq: 4, expected: 6, .. },
                Tampering::Missing { first: 5, last: 5, .. }
            ]
        ),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_missing_line_in_the_middle_is_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| drop(lines.drain(3..5)));
    assert!(matches!(&found[..], [Tampering::Missing { first: 4, last: 5, .. }]), "{found:?}");
}

#[tokio::test]
async fn a_missing_line_whose_followers_were_numbered_anew_is_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| {
        lines.remove(3);
        for (at, line) in lines.iter_mut().enumerate().skip(3) {
            *line = line.replacen(&format!("\"seq\":{}", at + 2), &format!("\"seq\":{}", at + 1), 1);
        }
    });
    // Each line after it has other bytes than the next one's digest says.
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.iter().all(|problem| matches!(problem, Tampering::Changed { .. })));
}

#[tokio::test]
async fn a_missing_beginning_is_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| drop(lines.drain(..2)));
    assert!(matches!(&found[..], [Tampering::BeginningMissing { seq: 3, .. }]), "{found:?}");
}

#[tokio::test]
async fn a_doubled_line_is_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| lines.insert(4, lines[3].clone()));
    assert!(matches!(&found[..], [Tampering::OutOfOrder { seq: 4, expected: 5, .. }]), "{found:?}");
}

#[tokio::test]
async fn a_line_that_was_put_in_with_a_right_digest_is_found() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| {
        // The forger takes the digest that the next line has, and so follows the right one.
        lines.insert(4, lines[4].replace("run-4", "run-x"));
    });
    assert!(matches!(&found[..], [Tampering::OutOfOrder { seq: 5, expected: 6, .. }]), "{found:?}");
}

#[tokio::test]
async fn a_tail_that_was_cut_between_lines_is_found_by_the_head() {
    let chain = Chain::new().await;
    let (with, without) = chain.after(|lines| lines.truncate(8));
    assert!(matches!(&with[..], [Tampering::HeadMissing { .. }]), "{with:?}");
    assert_eq!(without, [], "nothing in what is left can show it");
}

#[tokio::test]
async fn a_tail_that_was_cut_within_a_line_is_found() {
    let chain = Chain::new().await;
    let text = fs::read(&chain.path).unwrap();
    fs::write(&chain.path, &text[..text.len() - 10]).unwrap();
    let (with, without) = chain.found();
    assert!(matches!(&without[..], [Tampering::Torn { at }] if at.line == 10), "{without:?}");
    assert!(matches!(&with[..], [Tampering::Torn { .. }, Tampering::HeadMissing { .. }]), "{with:?}");
}

#[tokio::test]
async fn a_change_of_the_last_record_is_found_by_the_head() {
    let chain = Chain::new().await;
    let (with, without) = chain.after(|lines| lines[9] = lines[9].replace("usr_1", "usr_2"));
    assert!(matches!(&with[..], [Tampering::HeadMissing { .. }]), "{with:?}");
    assert_eq!(without, []);
}

#[tokio::test]
async fn a_file_that_was_written_anew_is_found_by_the_head() {
    let chain = Chain::new().await;
    fs::remove_file(&chain.path).unwrap();
    let audit = FileAudit::builder(key()).open(&chain.path).unwrap();
    for _ in 0..10 {
        audit.record(record("run-0", AuditEvent::Replayed)).await.unwrap();
    }
    let (with, without) = chain.found();
    assert!(matches!(&with[..], [Tampering::HeadMissing { .. }]), "{with:?}");
    assert_eq!(without, []);
}

#[tokio::test]
async fn an_emptied_file_is_found_by_the_head() {
    let chain = Chain::new().await;
    let (with, _) = chain.after(Vec::clear);
    assert!(matches!(&with[..], [Tampering::HeadMissing { .. }]), "{with:?}");
}

#[tokio::test]
async fn records_of_another_chain_are_found() {
    // Of other runs: two chains of the same records in the same millisecond would be one.
    let (chain, other) = (Chain::new().await, Chain::of("other").await);
    let (_, found) = chain.after(|all| {
        all.truncate(5);
        all.extend(lines(&other.path).into_iter().skip(5));
    });
    assert!(matches!(&found[..], [Tampering::Changed { seq: 6, .. }]), "{found:?}");
}

#[tokio::test]
async fn records_that_were_written_anew_from_the_middle_on_are_found_by_a_head_of_theirs_and_by_no_older_one() {
    let chain = Chain::new().await;
    chain.after(|all| all.truncate(4));
    let kept = verify([&chain.path], &Verify::new()).unwrap().head;
    // The forger has the program, and so digests that fit.
    ten_of("forged", &chain.path, None).await;
    let (with, without) = chain.found();
    assert!(matches!(&with[..], [Tampering::HeadMissing { .. }]), "{with:?}");
    assert_eq!(without, []);
    let found = verify([&chain.path], &Verify::new().head(&kept.digest)).unwrap();
    assert_eq!((found.after_head, found.problems), (Some(10), vec![]), "a head vouches for nothing after it");
}

#[tokio::test]
async fn an_older_head_says_how_many_records_came_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let older = ten(&path, None).await;
    ten(&path, None).await;
    let found = verify([&path], &Verify::new().head(&older.digest)).unwrap();
    assert_eq!((found.records, found.after_head, found.problems), (20, Some(10), vec![]));
}

// Files.

#[tokio::test]
async fn a_full_file_is_put_aside_and_the_chain_goes_on_across_files_and_openings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    ten(&path, Some(1_500)).await;
    let head = ten(&path, Some(1_500)).await;
    let files = files(&folder);
    assert!(files.len() > 3, "{files:?}");
    assert!(files[0].ends_with("audit.000000000001.jsonl"), "{files:?}");
    assert_eq!(files.last().unwrap(), &path);
    let sizes: Vec<_> = files.iter().map(|file| fs::metadata(file).unwrap().len()).collect();
    assert!(sizes.iter().all(|size| *size <= 1_500), "{sizes:?}");
    let found = verify(&files, &Verify::new().head(&head.digest)).unwrap();
    assert_eq!((found.records, found.problems), (20, vec![]));

    // A file of the middle that is missing, and two in the wrong order.
    let without = files.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, file)| file);
    assert!(matches!(&verify(without, &Verify::new()).unwrap().problems[..], [Tampering::Missing { .. }]));
    let mut swapped = files.clone();
    swapped.swap(1, 2);
    assert!(!verify(&swapped, &Verify::new()).unwrap().problems.is_empty());

    // The later files alone, against the digest that they begin after.
    let begins = lines(&files[1])[0].clone();
    let begins: serde_json::Value = serde_json::from_str(&begins).unwrap();
    let against = Verify::new().from(begins["prev"].as_str().unwrap());
    assert_eq!(verify(&files[1..], &against).unwrap().problems, []);
    assert_eq!(verify(&files[1..], &Verify::new()).unwrap().problems.len(), 1);
}

#[tokio::test]
async fn a_process_that_died_between_two_files_goes_on_from_the_one_that_was_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    ten(&path, None).await;
    fs::rename(&path, folder.path().join("audit.000000000001.jsonl")).unwrap();
    ten(&path, None).await;
    assert_eq!(verify(files(&folder), &Verify::new()).unwrap().problems, []);
}

#[tokio::test]
async fn half_a_record_is_set_aside_and_the_chain_goes_on() {
    let chain = Chain::new().await;
    let mut text = fs::read(&chain.path).unwrap();
    text.extend_from_slice(br#"{"seq":11,"prev":"#);
    fs::write(&chain.path, text).unwrap();
    ten(&chain.path, None).await;
    let found = verify([&chain.path], &Verify::new().head(&chain.head.digest)).unwrap();
    assert_eq!((found.records, found.problems), (20, vec![]));
    let torn = chain.path.with_file_name("audit.jsonl.torn");
    assert_eq!(fs::read_to_string(torn).unwrap(), "{\"seq\":11,\"prev\":\n");
}

#[tokio::test]
async fn a_file_that_ends_in_no_record_is_not_written_on() {
    let chain = Chain::new().await;
    let (_, found) = chain.after(|lines| lines.push("{}".to_owned()));
    assert!(matches!(&found[..], [Tampering::NoRecord { .. }]));
    let error = FileAudit::builder(key()).open(&chain.path).unwrap_err();
    assert!(matches!(error, FileAuditError::NoRecord(_)), "{error}");
}

#[tokio::test]
async fn only_one_writes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = FileAudit::builder(key()).open(&path).unwrap();
    let error = FileAudit::builder(key()).open(&path).unwrap_err();
    assert!(matches!(error, FileAuditError::InUse(_)), "{error}");
    drop(audit);
    FileAudit::builder(key()).open(&path).unwrap();
}

#[tokio::test]
async fn a_file_that_somebody_else_writes_to_takes_no_more_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = FileAudit::builder(key()).open(&path).unwrap();
    audit.record(record("run", AuditEvent::Claimed)).await.unwrap();
    fs::write(&path, "").unwrap();
    for _ in 0..2 {
        assert!(audit.record(record("run", AuditEvent::Claimed)).await.is_err());
    }
}

/// What somebody else does to an open file.
type Meddle = fn(&Path);

#[tokio::test]
#[cfg(unix)]
async fn a_file_that_was_moved_deleted_or_replaced_while_open_takes_no_more_records() {
    let moved: Meddle = |path| fs::rename(path, path.with_extension("old")).unwrap();
    let deleted: Meddle = |path| fs::remove_file(path).unwrap();
    let replaced: Meddle = |path| {
        let copy = path.with_extension("copy");
        fs::copy(path, &copy).unwrap();
        fs::rename(&copy, path).unwrap();
    };
    for meddle in [moved, deleted, replaced] {
        for flush in [Flush::Each, Flush::Never] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("audit.jsonl");
            let audit = FileAudit::builder(key()).flush(flush).rotate_at(1_000).open(&path).unwrap();
            audit.record(record("run", AuditEvent::Claimed)).await.unwrap();
            meddle(&path);
            for _ in 0..3 {
                let error = audit.record(record("run", AuditEvent::Claimed)).await.unwrap_err();
                let why = std::error::Error::source(&error).unwrap().to_string();
                assert!(why.contains("moved or deleted"), "{why}");
            }
            assert_eq!(audit.head().seq, 1);
        }
    }
}

#[tokio::test]
async fn a_hook_that_panics_keeps_its_arguments_back_and_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let hook = |content: Content<'_>| content.text.chars().map(|_| -> char { panic!() }).collect::<String>();
    let audit = FileAudit::builder(key()).keep_arguments(hook).open(&path).unwrap();
    for _ in 0..2 {
        audit.record(record("run", AuditEvent::Claimed)).await.unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#""text":"(the redaction hook panicked)""#) && !text.contains("amount"), "{text}");
    assert_eq!(verify([&path], &Verify::new()).unwrap().problems, []);
}

#[test]
fn a_record_needs_no_runtime_and_none_of_its_threads() {
    let folder = tempfile::tempdir().unwrap();
    let audit = FileAudit::builder(key()).open(folder.path().join("audit.jsonl")).unwrap();
    block_on(audit.record(record("run", AuditEvent::Claimed))).unwrap();
    assert_eq!(audit.head().seq, 1);
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_full_disk_is_an_error_for_each_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let audit = FileAudit::builder(key()).open(&path).unwrap();
    for _ in 0..2 {
        assert!(audit.record(record("run", AuditEvent::Claimed)).await.is_err());
    }
    assert_eq!(audit.head().seq, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_of_many_runs_at_once_are_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = Arc::new(FileAudit::builder(key()).rotate_at(8_000).open(&path).unwrap());
    let runs: Vec<_> = (0..8)
        .map(|run| {
            let audit = audit.clone();
            tokio::spawn(async move {
                for attempts in 1..=20 {
                    let event = AuditEvent::Executed { status: Status::Success, code: None, attempts };
                    audit.record(record(&format!("run-{run}"), event)).await.unwrap();
                }
            })
        })
        .collect();
    for run in runs {
        run.await.unwrap();
    }
    let found = verify(files(&folder), &Verify::new().head(audit.head().digest)).unwrap();
    assert_eq!((found.records, found.after_head, found.problems), (160, Some(0), vec![]));
}

// The program.

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
    let guide = include_str!("../../docs/telemetry.md");
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
