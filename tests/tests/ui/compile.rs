//! Compiles all cases as targets of one scratch package, and reads what the compiler tells.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::cases::Case;

/// What was told of each target.
pub(crate) struct Telling {
    by_target: HashMap<String, Vec<Told>>,
}

/// One error or warning.
pub(crate) struct Told {
    pub(crate) line: usize,
    pub(crate) is_error: bool,
    pub(crate) text: String,
    /// As the compiler would print it.
    pub(crate) rendered: String,
}

impl Telling {
    pub(crate) fn of(&self, target: &str) -> &[Told] {
        self.by_target.get(target).map_or(&[], Vec::as_slice)
    }
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    target: Option<Target>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    rendered: Option<String>,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Message>,
}

#[derive(Deserialize)]
struct Span {
    is_primary: bool,
    file_name: String,
    line_start: usize,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Span {
    /// The line in the case itself: a panic is in a macro of the standard library.
    fn line(&self) -> usize {
        let own = self.file_name.contains("/tests/ui/");
        let expansion = self.expansion.as_ref().filter(|_| !own);
        expansion.map_or(self.line_start, |expansion| expansion.span.line())
    }
}

/// Checks all cases in one go; each goes on where another fails.
pub(crate) fn all(cases: &[&Case]) -> Telling {
    let package = scratch_package(cases);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(&package)
        // The lock file is the workspace's, whose packages were fetched to build this test.
        .args(["check", "--workspace", "--bins", "--keep-going", "--offline", "--quiet", "--message-format=json"])
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let mut telling = Telling { by_target: HashMap::new() };
    let mut lines = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
        lines += 1;
        if let ("compiler-message", Some(target), Some(message)) = (line.reason.as_str(), line.target, line.message)
            && let Some(told) = told(&message)
        {
            telling.by_target.entry(target.name).or_default().push(told);
        }
    }
    assert!(lines > cases.len(), "cargo did not get to the cases:\n{}", String::from_utf8_lossy(&output.stderr));
    telling
}

/// An error or warning about a line; none for the sum at the end.
fn told(message: &Message) -> Option<Told> {
    if !["error", "warning"].contains(&message.level.as_str()) {
        return None;
    }
    let line = message.spans.iter().find(|span| span.is_primary)?.line();
    let mut text = message.message.clone();
    // Until Rust 1.89, what a constant panics with is said there.
    for label in message.spans.iter().filter_map(|span| span.label.as_ref()) {
        let _ = write!(text, "\n    label: {label}");
    }
    for child in &message.children {
        let _ = write!(text, "\n    {}: {}", child.level, child.message);
    }
    Some(Told {
        line,
        is_error: message.level == "error",
        text,
        rendered: message.rendered.clone().unwrap_or_default(),
    })
}

/// A package for the cases, and one below it for those that know `agent-core` by another name.
fn scratch_package(cases: &[&Case]) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = tests.parent().expect("the workspace");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    let core = workspace.join("agent-core");
    let shapes = tests.join("shapes");
    let dependencies = format!(
        "agent-core = {{ path = {core:?}, features = [\"chrono\", \"rust_decimal\"] }}\n\
         agent-tests-shapes = {{ path = {shapes:?} }}\n\
         chrono = {{ version = \"0.4\", default-features = false, features = [\"serde\"] }}\n\
         rust_decimal = {{ version = \"1\", default-features = false }}\n{SERDE}serde_json = \"1\"\n"
    );
    let top = format!(
        "\n[workspace]\nmembers = [\"guide\", \"renamed\"]\n{}",
        bins(cases.iter().copied().filter(|case| !case.is_renamed() && !case.is_of_guide()))
    );
    write_manifest(&package, "ui", &dependencies, &top);
    let dependencies =
        format!("agents = {{ package = \"agent-core\", path = {core:?}, features = [\"rust_decimal\"] }}\n{SERDE}");
    let renamed = bins(cases.iter().copied().filter(|case| case.is_renamed()));
    write_manifest(&package.join("renamed"), "ui-renamed", &dependencies, &renamed);
    // What the guide's own examples have.
    let dependencies = format!(
        "agent-core = {{ path = {core:?}, features = [\"test-util\"] }}\n\
         jsonschema = {{ version = \"*\", default-features = false }}\n{SERDE}\
         tokio = {{ version = \"1\", default-features = false, features = [\"rt\"] }}\n"
    );
    let guide = bins(cases.iter().copied().filter(|case| case.is_of_guide()));
    write_manifest(&package.join("guide"), "ui-guide", &dependencies, &guide);
    let lock = fs::read_to_string(workspace.join("Cargo.lock")).expect("the lock file");
    fs::write(package.join("Cargo.lock"), lock).expect("a lock file");
    package
}

const SERDE: &str = "serde = { version = \"1\", features = [\"derive\"] }\n";

fn bins<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let mut bins = String::new();
    for case in cases {
        let _ = write!(bins, "\n[[bin]]\nname = {:?}\npath = {:?}\n", case.target(), case.path);
    }
    bins
}

fn write_manifest(package: &Path, name: &str, dependencies: &str, rest: &str) {
    fs::create_dir_all(package).expect("a folder under the target folder");
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n\
         [features]\non = []\ndefault = [\"on\"]\noff = []\n\n[dependencies]\n{dependencies}{rest}"
    );
    write_changed(&package.join("Cargo.toml"), &manifest);
}

/// Keeps the time of a file that stays as it is, so that cargo finds it fresh.
pub(crate) fn write_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).expect("a manifest");
    }
}
