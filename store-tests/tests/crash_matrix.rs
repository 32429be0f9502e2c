//! A program is killed at each point of a run and started again; what was seen stands in `docs/crash-matrix.md`.
//!
//! `AGENT_BLESS=1` writes the file anew; otherwise what is seen must be what it says.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const TOOLS: [(&str, &str); 4] = [
    ("book_plain", "plain"),
    ("book_keyed", "`keyed`"),
    ("book_checked", "`reconcile`"),
    ("book_together", "one transaction"),
];

const POINTS: [&str; 8] = [
    "before claim",
    "after claim",
    "in the tool",
    "after the effect",
    "before settle",
    "after settle",
    "while saving",
    "between steps",
];

/// Where the call's result is recorded, so that nothing of it is in doubt.
const SETTLED: [&str; 3] = ["after settle", "while saving", "between steps"];

/// What was seen in one cell.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    after_kill: String,
    answer: String,
    at_last: String,
}

fn start(command: &str, store: &str, folder: &Path, tool: &str, point: Option<&str>) -> Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_victim"));
    program.args([command, store]).arg(folder).arg(tool).args(point);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of the program, and gives what it says last.
fn end(child: Child) -> String {
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Runs the program to its end, and gives what it says.
fn victim(command: &str, store: &str, folder: &Path, tool: &str) -> String {
    end(start(command, store, folder, tool, None))
}

/// Starts the program, and waits until it has come to the point.
fn halt_at(store: &str, folder: &Path, tool: &str, point: &str) -> Child {
    let mut child = start("run", store, folder, tool, Some(point));
    let mut said = Vec::new();
    let stdout = child.stdout.as_mut().unwrap();
    // Byte by byte: what comes later is for others to read.
    while said.last() != Some(&b'\n') {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    assert_eq!(String::from_utf8(said).unwrap().trim(), format!("at {point}"), "{tool}");
    child
}

/// Starts the program, and kills it when it has come to the point.
fn kill_at(store: &str, folder: &Path, tool: &str, point: &str) {
    let mut child = halt_at(store, folder, tool, point);
    // SIGKILL: nothing of the program runs after it.
    child.kill().unwrap();
    child.wait().unwrap();
}

fn cell(store: &str, tool: &str, point: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    kill_at(store, folder.path(), tool, point);
    let after_kill = victim("count", store, folder.path(), tool);
    let mut answer = victim("run", store, folder.path(), tool);
    if point == "while saving" && answer == "success, replayed" {
        // The save landed or it did not; then the call is answered again from its claim. Both are right.
        answer = "success".to_owned();
    }
    let at_last = victim("count", store, folder.path(), tool);
    Seen { after_kill, answer, at_last }
}

/// What must hold, whatever the table says.
fn check(tool: &str, point: &str, seen: &Seen) {
    let once = ["0", "1"].contains(&&*seen.after_kill) && ["0", "1"].contains(&&*seen.at_last);
    assert!(once, "{tool}, {point}: an effect happened twice: {seen:?}");
    if tool == "book_plain" {
        let unknown = point != "before claim" && !SETTLED.contains(&point);
        assert_eq!(seen.answer == "OUTCOME_UNKNOWN", unknown, "{tool}, {point}: {seen:?}");
        assert!(unknown || seen.at_last == "1", "{tool}, {point}: {seen:?}");
    } else {
        assert!(seen.answer.starts_with("success"), "{tool}, {point}: {seen:?}");
        assert_eq!(seen.at_last, "1", "{tool}, {point}: {seen:?}");
    }
}

/// All cells of a store, a few at a time.
fn matrix(store_of: impl Fn(usize) -> String + Sync) -> Vec<Seen> {
    let cells: Vec<_> = TOOLS.iter().flat_map(|(tool, _)| POINTS.map(|point| (*tool, point))).collect();
    let indexed: Vec<_> = cells.iter().enumerate().collect();
    let mut seen = Vec::new();
    for some in indexed.chunks(8) {
        std::thread::scope(|scope| {
            let started: Vec<_> = some
                .iter()
                .map(|(index, (tool, point))| {
                    let store = store_of(*index);
                    scope.spawn(move || cell(&store, tool, point))
                })
                .collect();
            seen.extend(started.into_iter().map(|cell| cell.join().unwrap()));
        });
    }
    for ((tool, point), seen) in cells.iter().zip(&seen) {
        check(tool, point, seen);
    }
    seen
}

fn table(sqlite: &[Seen], postgres: &[Seen]) -> String {
    let mut text = String::from(
        "# What a crash leaves\n\n\
        A program runs an agent whose model calls one tool. It is killed with SIGKILL at a point of the run, and is started \
        again, which takes the run up. The cells say how often the effect had happened when it was killed, how the call \
        ended in the end, and how often the effect had happened at last. `store-tests/tests/crash_matrix.rs` has seen and written this.\n\n\
        | tool | killed | SQLite | PostgreSQL |\n| --- | --- | --- | --- |\n",
    );
    let rows = TOOLS.iter().flat_map(|(_, name)| POINTS.map(|point| (name, point)));
    for (((name, point), sqlite), postgres) in rows.zip(sqlite).zip(postgres) {
        let show = |seen: &Seen| format!("{}, {}, {}", seen.after_kill, seen.answer, seen.at_last);
        // Writing into a string cannot fail.
        let _ = writeln!(text, "| {name} | {point} | {} | {} |", show(sqlite), show(postgres));
    }
    text.push_str(
        "\nNo effect happens twice, in any cell. *plain*: nobody can know whether a call that was cut off took effect, so it \
        is reported as unknown and not repeated; an operator finds out and resolves it. *`keyed`* happens exactly once as long \
        as its target takes each key once. *`reconcile`* happens exactly once as long as its target answers truly whether the \
        call took effect, also when that was a moment ago. *One transaction* (a `keyed` tool that settles its own claim with \
        `settle_in`) happens exactly once, without any assumption about another system; \"in the tool\" is there between \
        settlement and commit.\n\n\
        *While saving*: the run is being saved with the result of the call; whether that still lands is chance, and where \
        it does not, the call is answered again from its claim. *Between steps*: it is saved, and the model is \
        about to be asked again. Either way the claim is settled, so nothing is done twice and nothing is unknown.\n\n\
        SIGKILL is the crash of a process, not a loss of power. What a store has answered is then still there as far as the \
        disk keeps its word: SQLite writes with `synchronous=FULL`, PostgreSQL with `synchronous_commit` on and, unless the \
        server was told otherwise, `fsync`.\n",
    );
    text
}

#[tokio::test]
async fn a_program_that_is_killed_anywhere_in_a_run_has_its_effect_at_most_once() {
    let sqlite = matrix(|_| "sqlite".to_owned());
    let Ok(server) = std::env::var("AGENT_TEST_POSTGRES") else {
        eprintln!("skipped for PostgreSQL: AGENT_TEST_POSTGRES names no server");
        return;
    };
    let schema = |index: usize| format!("agent_crash_{}_{index}", std::process::id());
    let every = 0..TOOLS.len() * POINTS.len();
    let create: String = every.clone().map(|index| format!("CREATE SCHEMA {};", schema(index))).collect();
    run(&server, &create).await;
    let and = if server.contains('?') { '&' } else { '?' };
    let postgres = matrix(|index| format!("{server}{and}options=-csearch_path%3D{}", schema(index)));
    let drop: String = every.map(|index| format!("DROP SCHEMA {} CASCADE;", schema(index))).collect();
    run(&server, &format!("SET client_min_messages = warning; {drop}")).await;

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/crash-matrix.md");
    let seen = table(&sqlite, &postgres);
    if std::env::var_os("AGENT_BLESS").is_some() {
        std::fs::write(path, &seen).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), seen, "AGENT_BLESS=1 writes what is seen");
}

/// Does something with a store of each kind.
async fn with_each_store(name: &str, work: impl Fn(&str)) {
    work("sqlite");
    let Ok(server) = std::env::var("AGENT_TEST_POSTGRES") else {
        eprintln!("skipped for PostgreSQL: AGENT_TEST_POSTGRES names no server");
        return;
    };
    let schema = format!("agent_{name}_{}", std::process::id());
    let and = if server.contains('?') { '&' } else { '?' };
    run(&server, &format!("CREATE SCHEMA {schema}")).await;
    work(&format!("{server}{and}options=-csearch_path%3D{schema}"));
    run(&server, &format!("SET client_min_messages = warning; DROP SCHEMA {schema} CASCADE")).await;
}

#[tokio::test]
async fn of_processes_that_take_the_same_run_up_at_once_one_has_it_and_the_others_its_answer() {
    with_each_store("take_up", |store| {
        let folder = tempfile::tempdir().unwrap();
        kill_at(store, folder.path(), "book_together", "in the tool");
        let started: Vec<_> = (0..3).map(|_| start("run", store, folder.path(), "book_together", None)).collect();
        for child in started {
            assert_eq!(end(child), "success");
        }
        assert_eq!(victim("count", store, folder.path(), "book_together"), "1");
    })
    .await;
}

#[tokio::test]
async fn a_process_that_stood_still_while_its_run_was_taken_up_does_nothing_a_second_time() {
    with_each_store("still", |store| {
        let folder = tempfile::tempdir().unwrap();
        let mut first = halt_at(store, folder.path(), "book_together", "after claim");
        // Its leases are over, and another process takes run and claim.
        assert_eq!(victim("run", store, folder.path(), "book_together"), "success");
        first.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        // Its transaction is refused with its fence, and so is all that it would save.
        assert_eq!(end(first), "not saved");
        assert_eq!(victim("count", store, folder.path(), "book_together"), "1");
    })
    .await;
}

async fn run(server: &str, sql: &str) {
    use agent_store::deadpool_postgres::tokio_postgres::{NoTls, connect};
    let (client, connection) = connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}
