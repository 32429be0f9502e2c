//! A program as a person runs it.

#![allow(dead_code, reason = "each test takes what it needs")]

#[path = "../../../tests/tests/wire/request_schema.rs"]
mod request_schema;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

/// A program with these switches, and nothing configured.
pub(crate) fn command(program: &str, switches: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(switches);
    for provider in ["OPENAI", "ANTHROPIC"] {
        for what in ["API_KEY", "BASE_URL", "MODEL"] {
            command.env_remove(format!("{provider}_{what}"));
        }
    }
    command
}

/// What it did.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn ran(mut command: Command) -> Ran {
    Ran::of(command.output().unwrap())
}

impl Ran {
    fn of(Output { status, stdout, stderr }: Output) -> Self {
        Self { code: status.code(), out: String::from_utf8(stdout).unwrap(), err: String::from_utf8(stderr).unwrap() }
    }

    /// In this order, on stderr.
    pub(crate) fn says(&self, texts: &[&str]) {
        let mut rest = self.err.as_str();
        for text in texts {
            let Some(at) = rest.find(text) else { panic!("`{text}` is missing or out of order in:\n{}", self.err) };
            rest = &rest[at + text.len()..];
        }
    }

    /// It ended well: with this in its answer, which alone is on stdout, and with nothing to complain of.
    pub(crate) fn answers(&self, text: &str) {
        assert_eq!((self.code, self.out.contains(text)), (Some(0), true), "{text}: {}{}", self.out, self.err);
        assert!(!self.err.contains("error: "), "{}", self.err);
    }

    /// The answer, or why there is none, and what was done; without the sums, which are the provider's own.
    pub(crate) fn conclusion(&self) -> String {
        let start = ["\nAnswer", "\nNo answer"].iter().find_map(|word| self.err.find(word));
        let end = ["\nTotal: ", "\nThen: "].iter().find_map(|word| self.err.rfind(word));
        let start = start.unwrap_or_else(|| panic!("no answer in:\n{}", self.err));
        let end = end.unwrap_or_else(|| panic!("no sums in:\n{}", self.err));
        let after = self.err[end..].split_once("tokens").map_or("", |(_, after)| after);
        let complaints = after.split_once('\n').map_or("", |(_, complaints)| complaints);
        format!("{}{}\n{complaints}", self.out, &self.err[start..end])
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A server that gives one answer; its base URL.
pub(crate) fn serve_once(body: &'static str) -> String {
    let (listener, url) = listen();
    thread::spawn(move || {
        let mut stream = requested(&listener);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).unwrap();
    });
    url
}

/// A server that gives these answers, one to a connection, and then takes one more request and keeps it waiting. Its base
/// URL, and what tells that the request has come.
pub(crate) fn serve_and_hold(bodies: Vec<String>) -> (String, mpsc::Receiver<TcpStream>) {
    let (listener, url) = listen();
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for body in bodies {
            let mut stream = requested(&listener);
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
        // Nobody waits for it where the test has ended before.
        let _ = tell.send(requested(&listener));
    });
    (url, told)
}

/// The program, sent what Ctrl-C sends while it waits for a model that does not answer.
#[cfg(unix)]
pub(crate) fn interrupted(mut command: Command) -> Ran {
    let (listener, url) = listen();
    command.env("OPENAI_BASE_URL", url).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let _waits = requested(&listener);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    Ran::of(child.wait_with_output().unwrap())
}

fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, url)
}

/// The connection on which a whole request has come, which is as OpenAI's own schema has it where it is one of theirs.
fn requested(listener: &TcpListener) -> TcpStream {
    let mut stream = BufReader::new(listener.accept().unwrap().0);
    let mut length = 0;
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let is_chat = line.contains("/chat/completions ");
    line.clear();
    while stream.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    if is_chat {
        let body = serde_json::from_slice(&body).unwrap();
        let problems = request_schema::problems(&body);
        assert!(problems.is_empty(), "{problems:?} in {body}");
    }
    stream.into_inner()
}
