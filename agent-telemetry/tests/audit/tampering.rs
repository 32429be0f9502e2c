//! No change of a file goes unseen, as far as that can be seen from it or from a head that is kept elsewhere.

use std::fs;

use agent_core::audit::{AuditEvent, AuditSink};
use agent_telemetry::{FileAudit, Tampering, Verify, verify};

use super::{Chain, key, lines, record, ten, ten_of};

#[tokio::test]
async fn an_untouched_file_is_found_whole() {
    let chain = Chain::new().await;
    assert_eq!(chain.found(), (vec![], vec![]));
    let found = verify([&chain.path], &Verify::new().head(&chain.head.digest)).unwrap();
    assert_eq!((found.records, found.first, found.after_head), (10, Some(1), Some(0)));
    assert_eq!(found.head, chain.head);
}

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
