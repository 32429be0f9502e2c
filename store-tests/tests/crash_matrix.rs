//! A program is killed, or stands still, at each point of a run, and another takes it up; what was seen stands in
//! `docs/crash-matrix.md`.
//!
//! `AGENT_BLESS=1` writes the file anew; otherwise what is seen must be what it says, for each store by itself.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A way in which a tool guards its effect.
#[derive(Clone, Copy, PartialEq)]
struct Tool {
    name: &'static str,
    title: &'static str,
    /// What must hold outside of this crate.
    assumes: &'static str,
}

const PLAIN: Tool = Tool { name: "book_plain", title: "plain", assumes: "always" };
const KEYED: Tool = Tool { name: "book_keyed", title: "`keyed`", assumes: "its target takes each key once" };
const CHECKED: Tool = Tool {
    name: "book_checked",
    title: "`reconcile`",
    assumes: "its target answers truly, and no earlier caller still runs",
};
const TOGETHER: Tool = Tool { name: "book_together", title: "one transaction", assumes: "always" };
/// Plain as well, and refused once.
const REFUSED: Tool = Tool { name: "book_refused", title: "plain, refused once", assumes: "a refusal changes nothing" };
/// Plain as well, and fails after its effect.
const FAILING: Tool = Tool { name: "book_failing", title: "plain, failing", assumes: "always" };

const TOOLS: [Tool; 4] = [PLAIN, KEYED, CHECKED, TOGETHER];

const POINTS: [&str; 10] = [
    "saving the reply",
    "before claim",
    "after claim",
    "in the tool",
    "after the effect",
    "before settle",
    "after settle",
    "while saving",
    "between steps",
    "while finishing",
];

/// Before these, nothing has happened.
const BEFORE_EFFECT: [&str; 6] =
    ["saving the reply", "before claim", "after claim", "in the tool", "before release", "after release"];

/// Where nothing is in doubt: nothing is claimed, or the result is recorded.
const CERTAIN: [&str; 7] = [
    "saving the reply",
    "before claim",
    "after settle",
    "while saving",
    "between steps",
    "while finishing",
    "after release",
];

/// What happens to the program.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It is killed.
    Killed,
    /// It is killed, and so is the one that takes its run up, where that asks whether the call happened.
    KilledTwice,
    /// It stands still until another has taken its run up and ended it, and then goes on.
    StoodStill,
}

#[derive(Clone, Copy)]
struct Cell {
    tool: Tool,
    point: &'static str,
    fate: Fate,
}

impl Cell {
    fn title(&self) -> String {
        match self.fate {
            Fate::Killed => self.point.to_owned(),
            Fate::KilledTwice => format!("{}, then in the question", self.point),
            Fate::StoodStill => format!("stood still {}", self.point),
        }
    }
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for tool in TOOLS {
        cells.extend(POINTS.map(|point| Cell { tool, point, fate: Fate::Killed }));
        if tool == CHECKED {
            cells.push(Cell { tool, point: "after the effect", fate: Fate::KilledTwice });
        }
        cells.extend(["after claim", "in the tool"].map(|point| Cell { tool, point, fate: Fate::StoodStill }));
    }
    for (tool, points) in
        [(REFUSED, ["before release", "after release"]), (FAILING, ["before marking", "after marking"])]
    {
        cells.extend(points.map(|point| Cell { tool, point, fate: Fate::Killed }));
    }
    cells
}

/// What was seen in one cell.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    before: String,
    answer: String,
    at_last: String,
}

impl Seen {
    fn text(&self) -> String {
        format!("{}, {}, {}", self.before, self.answer, self.at_last)
    }
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

/// Sends a signal to the program.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success(), "kill -{name}");
}

/// Lets a program go on that has halted.
fn let_go(child: &mut Child) {
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
}

impl Cell {
    fn see(&self, store: &str) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let (folder, tool) = (folder.path(), self.tool.name);
        let count = || victim("count", store, folder, tool);
        let (before, mut answer) = match self.fate {
            Fate::Killed | Fate::KilledTwice => {
                kill_at(store, folder, tool, self.point);
                if self.fate == Fate::KilledTwice {
                    kill_at(store, folder, tool, "in the question");
                }
                (count(), victim("run", store, folder, tool))
            }
            Fate::StoodStill => self.stand_still(store, folder),
        };
        // Whether a save or an end that was cut off has landed is chance; where it has not, the call is answered again
        // from its claim. One that stood still may have had the last word. All of that is right.
        let chance = ["while saving", "while finishing"].contains(&self.point) || self.fate == Fate::StoodStill;
        if chance && answer == "success, replayed" {
            answer = "success".to_owned();
        }
        Seen { before, answer, at_last: count() }
    }

    /// One process stands still at the point, another runs the same, and the first goes on.
    fn stand_still(&self, store: &str, folder: &Path) -> (String, String) {
        let tool = self.tool.name;
        let mut first = halt_at(store, folder, tool, self.point);
        signal(&first, "STOP");
        if self.tool == TOGETHER && self.point == "in the tool" {
            // Its transaction holds a lock, for which the other one waits: in a file to begin with, on a server once it has
            // the run.
            let in_a_file = store == "sqlite";
            let mut other = match in_a_file {
                true => start("run", store, folder, tool, None),
                false => halt_at(store, folder, tool, "before claim"),
            };
            let_go(&mut first);
            signal(&first, "CONT");
            if !in_a_file {
                let_go(&mut other);
            }
            let answer = end(other);
            end(first);
            return ("0".to_owned(), answer);
        }
        let before = victim("count", store, folder, tool);
        let answer = victim("run", store, folder, tool);
        let_go(&mut first);
        signal(&first, "CONT");
        assert_eq!(end(first), "not saved", "{tool}, {}: the run is no longer its own", self.point);
        (before, answer)
    }

    /// What must hold, whatever the table says.
    fn check(&self, seen: &Seen) {
        let cell = format!("{}, {}: {seen:?}", self.tool.title, self.title());
        let before = if BEFORE_EFFECT.contains(&self.point) { "0" } else { "1" };
        assert_eq!(seen.before, before, "{cell}");
        let still_in_the_tool = self.fate == Fate::StoodStill && self.point == "in the tool";
        if self.tool == CHECKED && still_in_the_tool {
            // What it assumes does not hold.
            assert_eq!(seen.at_last, "2", "{cell}");
            return;
        }
        assert!(["0", "1"].contains(&&*seen.at_last), "an effect happened twice: {cell}");
        let unknown = [PLAIN, REFUSED, FAILING].contains(&self.tool) && !CERTAIN.contains(&self.point);
        assert_eq!(seen.answer == "OUTCOME_UNKNOWN", unknown, "{cell}");
        if !unknown {
            assert!(seen.answer.starts_with("success"), "{cell}");
            assert_eq!(seen.at_last, "1", "{cell}");
        }
        if self.fate == Fate::StoodStill {
            assert_eq!(seen.at_last, "1", "who stood still, or the other, has done it: {cell}");
        }
    }
}

/// All cells of a store, a few at a time.
fn matrix(store_of: impl Fn(usize) -> String + Sync) -> Vec<Seen> {
    let cells = cells();
    let next = AtomicUsize::new(0);
    let seen: Mutex<Vec<Option<Seen>>> = Mutex::new(vec![None; cells.len()]);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(cell) = cells.get(index) else { return };
                    let found = cell.see(&store_of(index));
                    cell.check(&found);
                    seen.lock().unwrap()[index] = Some(found);
                }
            });
        }
    });
    seen.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

fn table(sqlite: &[String], postgres: &[String]) -> String {
    let mut text = String::from(
        "# What a crash leaves\n\n\
        A program runs an agent whose model calls one tool. It is killed with SIGKILL at a point of the run, and is started \
        again, which takes the run up. Or it stands still there (SIGSTOP) for longer than its leases, another process takes \
        the run up, and then the first goes on. The cells say how often the effect had happened when it was killed or stopped, \
        how the call ended for whoever took the run up, and how often the effect had happened at last. *Holds as long as* is \
        what the row assumes of the world outside. `store-tests/tests/crash_matrix.rs` has seen and written this.\n\n\
        | tool | killed | holds as long as | SQLite | PostgreSQL |\n| --- | --- | --- | --- | --- |\n",
    );
    for ((cell, sqlite), postgres) in cells().iter().zip(sqlite).zip(postgres) {
        let Tool { title, assumes, .. } = cell.tool;
        // Writing into a string cannot fail.
        let _ = writeln!(text, "| {title} | {} | {assumes} | {sqlite} | {postgres} |", cell.title());
    }
    text.push_str(
        "\nNo effect happens twice in any cell but one, whose assumption does not hold: a `reconcile` tool that stood still \
        *in the tool*, before its effect. Whoever took the run up asked, heard truly that nothing had happened, and did it; \
        then the first went on. Where a process may be stopped for longer than a lease (30 seconds unless `Limits::lease` says \
        otherwise) and go on, by a paused virtual machine for one, let the target take each key once. A process \
        that stood still *after the claim* is safe: before the tool begins, a claim that is not young is renewed, and one that \
        somebody else has is not begun.\n\n\
        *plain*: nobody can know whether a call that was cut off took effect, so it is reported as unknown and not repeated; an \
        operator finds out, makes sure that no earlier caller still runs, and resolves it. *`keyed`* happens exactly once as \
        long as its target takes each key once, whoever still runs. *`reconcile`* happens exactly once as long as its target \
        answers truly whether the call took effect, also when that was a moment ago, and no earlier caller still runs. *One \
        transaction* (a `keyed` tool that settles its own claim with `settle_in`) happens exactly once, without any assumption \
        about another system; \"in the tool\" is there between settlement and commit, and who stands still there holds a lock \
        that others wait for, the whole file's with SQLite. *Refused once* is a business error the \
        first time: its claim is released, and the model's later call is a new one.\n\n\
        *Saving the reply*: the model's reply is being saved, before the first claim. *While saving*: the run is being saved \
        with the result of the call. *While finishing*: the end of the run is being saved. Whether any of these still lands is \
        chance, and where it does not, the call is answered again from its claim. *Between steps*: the result is saved, and the \
        model is about to be asked again. From *after settle* on the claim is settled, so nothing is done twice and nothing is \
        unknown.\n\n\
        SIGKILL is the crash of a process, not a loss of power. What a store has answered is then still there as far as the \
        disk keeps its word: SQLite writes with `synchronous=FULL`, PostgreSQL with `synchronous_commit` on and, unless the \
        server was told otherwise, `fsync`.\n",
    );
    text
}

/// What the file says of the stores, cell by cell.
fn recorded(file: &str) -> [Vec<String>; 2] {
    let rows =
        file.lines().filter(|line| line.starts_with("| ")).skip(2).map(|line| line.split(" | ").collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row.len() == 5).collect();
    [3, 4].map(|column| rows.iter().map(|row| row[column].trim_end_matches(" |").to_owned()).collect())
}

fn texts(seen: &[Seen]) -> Vec<String> {
    seen.iter().map(Seen::text).collect()
}

#[tokio::test]
async fn a_program_that_is_killed_anywhere_in_a_run_has_its_effect_at_most_once() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/crash-matrix.md");
    let bless = std::env::var_os("AGENT_BLESS").is_some();
    let file = std::fs::read_to_string(path).unwrap_or_default();
    let sqlite = texts(&matrix(|_| "sqlite".to_owned()));
    let postgres = match std::env::var("AGENT_TEST_POSTGRES") {
        Ok(server) => {
            let schema = |index: usize| format!("agent_crash_{}_{index}", std::process::id());
            let every = 0..cells().len();
            let create: String = every.clone().map(|index| format!("CREATE SCHEMA {};", schema(index))).collect();
            run(&server, &create).await;
            let and = if server.contains('?') { '&' } else { '?' };
            let seen = matrix(|index| format!("{server}{and}options=-csearch_path%3D{}", schema(index)));
            let drop: String = every.map(|index| format!("DROP SCHEMA {} CASCADE;", schema(index))).collect();
            run(&server, &format!("SET client_min_messages = warning; {drop}")).await;
            texts(&seen)
        }
        Err(_) => {
            assert!(!bless, "both columns are written at once: AGENT_TEST_POSTGRES names no server");
            eprintln!("skipped for PostgreSQL: AGENT_TEST_POSTGRES names no server");
            let [_, postgres] = recorded(&file);
            assert_eq!(postgres.len(), cells().len(), "AGENT_BLESS=1 writes what is seen");
            postgres
        }
    };
    let seen = table(&sqlite, &postgres);
    if bless {
        std::fs::write(path, &seen).unwrap();
        return;
    }
    assert_eq!(file, seen, "AGENT_BLESS=1 writes what is seen");
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
async fn a_process_that_lives_keeps_its_run_and_its_claim_for_longer_than_a_lease() {
    with_each_store("renewed", |store| {
        let folder = tempfile::tempdir().unwrap();
        let mut first = halt_at(store, folder.path(), "book_plain", "in the tool");
        // The other one has waited for twice the length of a lease, and the run is still not its own.
        let mut other = halt_at(store, folder.path(), "book_plain", "owned");
        let_go(&mut first);
        assert_eq!(end(first), "success");
        let_go(&mut other);
        assert_eq!(end(other), "success");
        assert_eq!(victim("count", store, folder.path(), "book_plain"), "1");
    })
    .await;
}

#[tokio::test]
async fn a_turn_of_several_calls_that_was_cut_off_goes_on_with_the_keys_of_their_positions() {
    let points = [
        "in the tool",
        "after the effect",
        "after settle",
        "while saving",
        "in the second call",
        "after the second effect",
    ];
    for (n, point) in points.into_iter().enumerate() {
        with_each_store(&format!("turn_{n}"), |store| {
            let folder = tempfile::tempdir().unwrap();
            kill_at(store, folder.path(), "turn", point);
            let ended = victim("run", store, folder.path(), "turn").replace(", replayed", "");
            assert_eq!(ended, "success; success; success; success", "{point}");
            // The same arguments twice: each call is an effect of its own, and each happens once.
            assert_eq!(victim("count", store, folder.path(), "turn"), "2", "{point}");
        })
        .await;
    }
}

async fn run(server: &str, sql: &str) {
    use agent_store::deadpool_postgres::tokio_postgres::{NoTls, connect};
    let (client, connection) = connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}
