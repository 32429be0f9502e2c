//! A collector between a run and the receiver, where there is one.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Rotel, stopped when it is dropped.
pub(crate) struct Collector {
    process: Child,
    url: String,
}

impl Collector {
    /// The program that `AGENT_TEST_COLLECTOR` names, sending on what it gets; none where the variable is not set.
    pub(crate) fn start(to: &str) -> Option<Self> {
        let program = std::env::var_os("AGENT_TEST_COLLECTOR")?;
        let [http, grpc] = free_addresses();
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command
            .args(["start", "--exporter", "otlp", "--otlp-exporter-protocol", "http"])
            .args(["--otlp-exporter-endpoint", to])
            .args(["--otlp-http-endpoint", &http, "--otlp-grpc-endpoint", &grpc])
            .arg("--pid-file")
            .arg(folder.path().join("pid"));
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let collector = Self { process, url: format!("http://{http}") };
        // It is read to its end, so that the collector is never held up.
        thread::spawn(move || output.lines().for_each(|line| println!("collector: {}", line.unwrap_or_default())));
        collector.await_port(&http);
        Some(collector)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Another program says only by its port that it is there.
    fn await_port(&self, address: &str) {
        for _ in 0..200 {
            if TcpStream::connect(address).is_ok() {
                return;
            }
            thread::park_timeout(Duration::from_millis(50));
        }
        panic!("the collector does not listen on {address}");
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Taken together and given back, so that they are two.
fn free_addresses() -> [String; 2] {
    let taken = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    taken.map(|listener| listener.local_addr().unwrap().to_string())
}
