//! Many runs at once, many tools, long histories: prints markdown. `docs/performance.md` says what it means.
//!
//! `scale` does all; `scale future | waiting [RUNS] | saturated | tools | history` one part.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_benches::cases::{fetch, limits, replayed, runtime};
use agent_benches::fit::fit;
use agent_benches::meter::{marked, most_files, process_time, resident, thread_time};
use agent_benches::server::{Server, url};
use agent_core::model::{Model, ModelError, Reply, Request};
use agent_core::schema::Profile;
use agent_core::{Agent, SecurityContext, profile, tools};
use agent_openai::OpenAi;
use async_trait::async_trait;
use tokio::time::{Instant, sleep, sleep_until};

mod many;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => {
            for (index, part) in [future as fn(), waiting_all, saturated, tools_offered, history].iter().enumerate() {
                if index > 0 {
                    println!();
                }
                part();
            }
        }
        ["future"] => future(),
        ["waiting"] => waiting_all(),
        ["waiting", runs] => waiting(runs),
        ["saturated"] => saturated(),
        ["tools"] => tools_offered(),
        ["history"] => history(),
        // Each in a process of its own, started by this program.
        ["server"] => serve(),
        ["waiting-bare", runs] => wait_bare(runs.parse().unwrap()),
        ["waiting-scripted", runs] => wait_scripted(runs.parse().unwrap()),
        ["waiting-request", runs, address] => wait_request(runs.parse().unwrap(), address.parse().unwrap()),
        ["waiting-http", runs, address] => wait_http(runs.parse().unwrap(), address.parse().unwrap()),
        _ => panic!("usage: scale [future | waiting [RUNS] | saturated | tools | history]"),
    }
}

fn caller() -> SecurityContext {
    SecurityContext::new("usr_1", "tenant_1")
}

fn openai(address: SocketAddr, script: &str) -> OpenAi {
    OpenAi::builder().base_url(url(address, script)).api_key("sk-bench").model("mock-1").build().unwrap()
}

fn agent(model: impl Model + 'static, turns: usize) -> Agent {
    Agent::builder(model).system("Be short.").tools(tools![fetch]).limits(limits(turns)).build().unwrap()
}

// ---- the future ----

fn future() {
    let run = || agent(openai(SocketAddr::from(([127, 0, 0, 1], 1)), "turns/0"), 1).run("Say it.").caller(caller());
    println!("| future | bytes |\n| --- | ---: |");
    println!("| of a run, `size_of_val` of what is awaited | {} |", size_of_val(&*run().into_future()));
}

// ---- many runs that wait ----

/// Answers at a moment that all share.
struct Thinks(Instant);

#[async_trait]
impl Model for Thinks {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "thinks"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        sleep_until(self.0).await;
        Ok(Reply::text("Done."))
    }
}

fn waiting_all() {
    waiting("10000");
}

fn waiting(runs: &str) {
    println!(
        "| {runs} at once, then all wake | KB each | CPU to wake and end, µs each | all ended after, ms | CPU to begin, µs each |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    for part in ["waiting-bare", "waiting-scripted"] {
        print_part(&[part, runs]);
    }
    if runs.parse::<u64>().unwrap() + 100 > most_files() {
        println!("| over HTTP: not measured, {} files may be open | | | | |", most_files());
        return;
    }
    let server = ServerProcess::start();
    for part in ["waiting-request", "waiting-http"] {
        print_part(&[part, runs, &server.address.to_string()]);
    }
}

/// Prints what this program prints in a process of its own.
fn print_part(words: &[&str]) {
    std::io::stdout().flush().unwrap();
    assert!(Command::new(std::env::current_exe().unwrap()).args(words).status().unwrap().success());
}

/// Tasks that only sleep.
fn wait_bare(runs: u64) {
    all_wait("a task that sleeps", runs, |until| {
        move || async move { sleep_until(until.unwrap_or_else(Instant::now)).await }
    });
}

/// Runs whose model sleeps.
fn wait_scripted(runs: u64) {
    all_wait("a run, its model in the process", runs, |until| {
        let agent = agent(Thinks(until.unwrap_or_else(Instant::now)), 1);
        move || ask(agent.clone())
    });
}

/// Requests by a bare reqwest, to the same server as the runs.
fn wait_request(runs: u64, address: SocketAddr) {
    all_wait("a request by reqwest, no run", runs, |until| {
        let script = if until.is_some() { format!("gate/{runs}") } else { "turns/0".to_owned() };
        let (client, url) = (reqwest::Client::new(), format!("{}/chat/completions", url(address, &script)));
        move || {
            let request = client.post(&url).header("content-type", "application/json").body(r#"{"messages":[]}"#);
            async move {
                request.send().await.unwrap().bytes().await.unwrap();
            }
        }
    });
}

/// Runs that wait for a server in another process, which answers all a second after the last has asked.
fn wait_http(runs: u64, address: SocketAddr) {
    all_wait("a run over HTTP/1.1", runs, |until| {
        let script = if until.is_some() { format!("gate/{runs}") } else { "turns/0".to_owned() };
        let agent = agent(openai(address, &script), 1);
        move || ask(agent.clone())
    });
}

async fn ask(agent: Agent) {
    agent.run("Say it.").caller(caller()).await.unwrap();
}

/// Runs before those that are measured.
const WARM: u64 = 100;

/// Begins so many, waits until all wait, and until all have ended. `prepare` is told when they wake, or nothing for those
/// that come before.
fn all_wait<M, F>(what: &str, runs: u64, prepare: impl Fn(Option<Instant>) -> M)
where
    M: FnMut() -> F,
    F: Future<Output = ()> + Send + 'static,
{
    runtime().block_on(async {
        let mut warm = prepare(None);
        for _ in 0..WARM {
            warm().await;
        }
        let ended = Arc::new(AtomicU64::new(0));
        let (memory, begin) = (resident(), process_time());
        // Long enough to begin all of them, and a second more.
        let mut make = prepare(Some(Instant::now() + Duration::from_micros(100 * runs) + Duration::from_secs(1)));
        for index in 0..runs {
            let run = make();
            let ended = ended.clone();
            tokio::spawn(async move {
                run.await;
                ended.fetch_add(1, Ordering::Relaxed);
            });
            // As a server takes requests: a few, then what they ask for.
            if index % 64 == 63 {
                tokio::task::yield_now().await;
            }
        }
        // All wait once nothing happens any more.
        loop {
            let before = process_time();
            sleep(Duration::from_millis(100)).await;
            if process_time() - before < Duration::from_millis(2) {
                break;
            }
        }
        assert_eq!(ended.load(Ordering::Relaxed), 0, "a run ended before all waited");
        let (full, waiting) = (resident(), process_time());
        // The first to end says when they began to wake.
        while ended.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        let woken = Instant::now();
        while ended.load(Ordering::Relaxed) < runs {
            sleep(Duration::from_millis(1)).await;
        }
        let (took, end) = (woken.elapsed(), process_time());
        println!(
            "| {what} | {:.1} | {:.1} | {:.0} | {:.1} |",
            full.saturating_sub(memory) as f64 / 1024.0 / runs as f64,
            each(end - waiting, runs),
            took.as_secs_f64() * 1e3,
            each(waiting - begin, runs),
        );
    });
}

/// Microseconds of each.
fn each(all: Duration, count: u64) -> f64 {
    all.as_secs_f64() * 1e6 / count as f64
}

// ---- until one side has no more ----

/// The scripted server in a process of its own, which tells its CPU time when it is asked.
struct ServerProcess {
    child: Child,
    said: BufReader<std::process::ChildStdout>,
    address: SocketAddr,
}

impl ServerProcess {
    fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        Self { child, said, address: line.trim().parse().unwrap() }
    }

    fn time(&mut self) -> Duration {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        Duration::from_nanos(line.trim().parse().unwrap())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It ends with its input; it was started here, so that it may be ended too.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn serve() {
    println!("{}", Server::start().address());
    for _ in std::io::stdin().lines() {
        println!("{}", process_time().as_nanos());
    }
}

fn saturated() {
    let mut server = ServerProcess::start();
    let agent = agent(openai(server.address, "turns/3"), 3);
    let runtime = runtime();
    println!(
        "| runs of 4 requests, at once | runs a second | CPU µs a run, ours | CPU µs a run, server | ours busy | server busy | at its end |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    for at_once in [1, 8, 64, 256] {
        let runs = 4000;
        // Once to open the connections.
        runtime.block_on(burst(&agent, at_once, at_once));
        let (ours, theirs, begin) = (process_time(), server.time(), std::time::Instant::now());
        runtime.block_on(burst(&agent, at_once, runs));
        let (wall, ours, theirs) = (begin.elapsed(), process_time() - ours, server.time() - theirs);
        let busy = |cpu: Duration| cpu.as_secs_f64() / wall.as_secs_f64();
        let named = match (busy(ours) > 0.9, busy(theirs) > 0.9) {
            (true, true) => "both",
            (true, false) => "ours",
            (false, true) => "the server",
            (false, false) => "neither",
        };
        println!(
            "| {at_once} | {:.0} | {:.0} | {:.0} | {:.0} % | {:.0} % | {named} |",
            runs as f64 / wall.as_secs_f64(),
            each(ours, runs),
            each(theirs, runs),
            busy(ours) * 100.0,
            busy(theirs) * 100.0,
        );
    }
}

/// So many runs, so many of them at once.
async fn burst(agent: &Agent, at_once: u64, runs: u64) {
    let left = Arc::new(AtomicU64::new(runs));
    let workers: Vec<_> = (0..at_once)
        .map(|_| {
            let (agent, left) = (agent.clone(), left.clone());
            tokio::spawn(async move {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                    agent.run("Fetch the records one by one.").caller(caller()).await.unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
}

// ---- how the cost grows ----

/// The least CPU time of this thread in microseconds that each work takes, over many rounds in turn.
fn least(works: &mut [Box<dyn FnMut() + '_>], rounds: usize) -> Vec<f64> {
    let mut best = vec![f64::MAX; works.len()];
    for _ in 0..=rounds {
        for (work, best) in works.iter_mut().zip(&mut best) {
            let begin = thread_time();
            work();
            *best = best.min((thread_time() - begin).as_secs_f64() * 1e6);
        }
    }
    best
}

fn print_fit(what: &str, unit: &str, points: &[(f64, f64)]) {
    let fit = fit(points);
    println!(
        "| {what} | {:.1} + {:.3} a {unit} | {:.4} | {:+.1} % |",
        fit.base,
        fit.slope,
        fit.explained,
        fit.square_share * 100.0
    );
}

const FITTED: &str = "fitted µs | explained by the line | square term at the largest |\n| --- | --- | ---: | ---: |";

fn tools_offered() {
    const RUNS: usize = 10;
    let (server, runtime) = (Server::start(), runtime());
    let (counts, runtime) = (many::COUNTS, &runtime);
    let mut works: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    let mut bytes = Vec::new();
    for count in counts {
        let model = openai(server.address(), "turns/3");
        let agent = many::agent(Agent::builder(model).system("Be short.").limits(limits(3)), count);
        let run =
            move || drop(runtime.block_on(agent.run("Fetch the records.").caller(caller()).into_future()).unwrap());
        bytes.push(server.sent(&run)[0].len());
        works.push(Box::new(move || (0..RUNS).for_each(|_| run())));
    }
    // Four requests a run.
    let points: Vec<(f64, f64)> =
        counts.iter().zip(least(&mut works, 20)).map(|(count, cpu)| (*count as f64, cpu / (4 * RUNS) as f64)).collect();
    println!("| tools offered | {} |", counts.map(|count| count.to_string()).join(" | "));
    println!("| --- |{}", " ---: |".repeat(counts.len()));
    println!("| first request, bytes | {} |", bytes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | "));
    println!(
        "| CPU µs a turn | {} |",
        points.iter().map(|(_, cpu)| format!("{cpu:.1}")).collect::<Vec<_>>().join(" | ")
    );
    println!("\n| CPU of a turn by tools offered | {FITTED}");
    print_fit("ours", "tool", &points);
}

/// Turns of the run whose turns are measured.
const TURNS: usize = 200;

/// What each turn of one long run costs, by the size of its request.
fn history() {
    let (server, runtime) = (Server::start(), runtime());
    let agent = agent(openai(server.address(), &format!("turns/{TURNS}")), TURNS);
    let run = || drop(runtime.block_on(agent.run("Fetch the records.").caller(caller()).into_future()).unwrap());
    let sizes: Vec<f64> = server.sent(run).iter().map(|body| body.len() as f64 / 1024.0).collect();
    let mut replay = replayed(TURNS);
    // The least of each turn, of rounds in turn.
    let (mut ours, mut floor) = (vec![f64::MAX; TURNS - 1], vec![f64::MAX; TURNS - 1]);
    for _ in 0..40 {
        let both = [(&mut ours, marked(run)), (&mut floor, marked(&mut replay))];
        for (best, turns) in both {
            best.iter_mut().zip(turns).for_each(|(best, turn)| *best = best.min(turn));
        }
    }
    // From the call of a turn to that of the next: the request between them holds its result.
    let points = |cpu: &[f64]| -> Vec<(f64, f64)> { sizes[1..].iter().copied().zip(cpu.iter().copied()).collect() };
    let (ours, floor) = (points(&ours), points(&floor));
    let shown: Vec<usize> = (0..TURNS - 1).step_by((TURNS - 1) / 8).collect();
    let row = |of: &dyn Fn(usize) -> String| shown.iter().map(|at| of(*at)).collect::<Vec<_>>().join(" | ");
    println!("| KB of the request | {} |", row(&|at| format!("{:.0}", ours[at].0)));
    println!("| --- |{}", " ---: |".repeat(shown.len()));
    println!("| CPU µs of that turn, ours | {} |", row(&|at| format!("{:.0}", ours[at].1)));
    println!("| same bytes by reqwest | {} |", row(&|at| format!("{:.0}", floor[at].1)));
    println!("\n| CPU of a turn by KB of the request | {FITTED}");
    print_fit("ours", "KB", &ours);
    print_fit("same bytes by reqwest", "KB", &floor);
}
