//! What a file keeps through rotation, deaths, faults and other hands.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agent_core::Status;
use agent_core::audit::{AuditEvent, AuditSink};
use agent_core::telemetry::Content;
use agent_telemetry::{FileAudit, FileAuditError, Flush, Tampering, Verify, verify};

use super::{Chain, block_on, files, key, lines, record, ten};

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
