//! The README names only what there is.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Text and target of each link.
fn links(markdown: &str) -> Vec<(&str, &str)> {
    let link = |(at, _): (usize, _)| {
        let text = &markdown[markdown[..at].rfind('[')? + 1..at];
        let rest = &markdown[at + 2..];
        Some((text, &rest[..rest.find(')')?]))
    };
    markdown.match_indices("](").filter_map(link).collect()
}

#[test]
fn each_link_of_the_readme_leads_somewhere_and_each_test_that_it_names_is_there() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut tests = 0;
    for (text, target) in links(&readme) {
        let path = root().join(target);
        assert!(path.exists(), "{target} is linked and does not exist");
        if let Some(name) = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).filter(|_| path.is_file()) {
            let source = fs::read_to_string(&path).unwrap();
            assert!(source.contains(&format!("fn {name}()")), "{target} has no test `{name}`");
            tests += 1;
        }
    }
    assert!(tests >= 15, "only {tests} tests were found");
}

#[test]
fn the_readme_and_the_manifest_agree_on_the_oldest_rust() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
    assert!(readme.contains(&format!("minimum supported Rust version is {}.", line.trim_matches('"'))));
}
