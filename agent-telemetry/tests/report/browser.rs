//! A report as a browser renders it.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The browser: what `AGENT_TEST_CHROMIUM` names, or a Chromium in the path.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("AGENT_TEST_CHROMIUM") {
        return Some(named.into());
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// What a look at the page in a window of this width finds; none where there is no browser.
///
/// The report has no script and lets none run, so a page around it looks into it.
pub(crate) fn look(page: &str, width: u32) -> Option<Value> {
    let Some(chromium) = chromium() else {
        // Past the harness, which shows nothing of a test that passes.
        let why = "skipped: no Chromium for a test of the rendered report; `.ci/chromium` gives one\n";
        io::stderr().write_all(why.as_bytes()).unwrap();
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("report.html"), page).unwrap();
    let around = include_str!("around.html").replace("WIDTH", &width.to_string());
    fs::write(folder.path().join("around.html"), around).unwrap();
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--no-first-run"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", folder.path().join("around.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let found = dom.split_once("<pre id=\"found\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((found, _)) = found else {
        panic!("the browser gave no page: {dom}\n{}", String::from_utf8_lossy(&output.stderr))
    };
    Some(serde_json::from_str(found).unwrap_or_else(|error| panic!("{error} in {found}")))
}
