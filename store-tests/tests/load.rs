//! Many processes, the same effects.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use agent_store::PostgresStore;

const PROCESSES: usize = 4;

fn line(child: &mut BufReader<std::process::ChildStdout>) -> String {
    let mut line = String::new();
    child.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

/// Ends what is left of a test that fails.
struct Racer(Child);

impl Drop for Racer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn each_of_a_thousand_effects_happens_once_for_64_tasks_in_each_of_four_processes() {
    let Ok(server) = std::env::var("AGENT_TEST_POSTGRES") else {
        eprintln!("skipped: AGENT_TEST_POSTGRES names no server; `.ci/postgres start FOLDER` gives one");
        return;
    };
    let schema = format!("agent_load_{}", std::process::id());
    let and = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{and}options=-csearch_path%3D{schema}");
    let (client, connection) = agent_store::deadpool_postgres::tokio_postgres::connect(
        &server,
        agent_store::deadpool_postgres::tokio_postgres::NoTls,
    )
    .await
    .unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.effect (n bigint)")).await.unwrap();
    PostgresStore::open(&url).await.unwrap();

    let start = || {
        let racer = Command::new(env!("CARGO_BIN_EXE_racer"))
            .arg(&url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Racer(racer)
    };
    let mut racers: Vec<_> = (0..PROCESSES).map(|_| start()).collect();
    let mut said: Vec<_> = racers.iter_mut().map(|racer| BufReader::new(racer.0.stdout.take().unwrap())).collect();
    for said in &mut said {
        assert_eq!(line(said), "ready");
    }
    for racer in &mut racers {
        racer.0.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let mine: Vec<u64> = said.iter_mut().map(|said| line(said).parse().unwrap()).collect();
    for racer in &mut racers {
        assert!(racer.0.wait().unwrap().success());
    }
    let sql = format!("SELECT count(*), count(DISTINCT n) FROM {schema}.effect");
    let effects = client.query_one(&sql, &[]).await.unwrap();
    let effects: (i64, i64) = (effects.get(0), effects.get(1));
    client.batch_execute(&format!("SET client_min_messages = warning; DROP SCHEMA {schema} CASCADE")).await.unwrap();
    assert_eq!(effects, (1_000, 1_000), "each effect once; per process: {mine:?}");
    assert_eq!(mine.iter().sum::<u64>(), 1_000);
}
