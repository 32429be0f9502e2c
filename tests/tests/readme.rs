//! The README and the guides name only what there is.

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

/// The README and the guides, each with its folder.
fn pages() -> Vec<(PathBuf, String)> {
    let guides = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = guides.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain([root().join("README.md")]).map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// What a link to a heading is called.
fn anchors(markdown: &str) -> Vec<String> {
    let headings = markdown.lines().filter_map(|line| line.strip_prefix("## "));
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn each_link_of_a_guide_leads_somewhere_and_each_guide_is_linked_from_the_readme() {
    let pages = pages();
    let (_, readme) = pages.last().unwrap();
    assert!(pages.len() >= 3);
    for (page, text) in &pages {
        let folder = page.parent().unwrap();
        for (_, target) in links(text) {
            match target.strip_prefix('#') {
                Some(anchor) => {
                    assert!(anchors(text).iter().any(|known| known == anchor), "{} has no {target}", page.display());
                }
                None => assert!(folder.join(target).exists(), "{} links {target}", page.display()),
            }
        }
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || readme.contains(&format!("(docs/{name})")), "{name} is not linked");
    }
}

#[test]
fn each_guide_is_compiled() {
    let sources = ["src/lib.rs", "tests/adapters/guide.rs", "../agent-telemetry/src/lib.rs"];
    let read = |source| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(source)).unwrap();
    let compiled: String = sources.map(read).concat();
    for (page, text) in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let shows_code = text.contains("```rust");
        assert!(!shows_code || compiled.contains(name), "{name} shows code and is not among the doctests");
        assert!(!text.contains("```rust,ignore"), "{name} has a snippet that is not compiled");
    }
}

/// The lines of each rendered error that a page shows, but for those below a snippet that does not compile: the test
/// `ui` compiles these and holds them to their words.
fn errors(markdown: &str) -> Vec<Vec<&str>> {
    let mut errors = Vec::new();
    for (at, _) in markdown.match_indices("```text\n") {
        let (before, rest) = markdown.split_at(at);
        let block = rest.split("```").nth(1).unwrap().trim_start_matches("text\n");
        let above = before.trim_end().strip_suffix("```").and_then(|snippet| snippet.rsplit_once("```"));
        let is_of_snippet = above.is_some_and(|(_, snippet)| snippet.starts_with("rust,compile_fail"));
        if block.starts_with("error") && !is_of_snippet {
            errors.push(block.lines().collect());
        }
    }
    errors
}

/// What the compiler was recorded to say, without the comments of the cases.
fn recorded() -> Vec<Vec<String>> {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let folders = fs::read_dir(ui).unwrap().flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let files = folders.map(|entry| entry.unwrap().path());
    let recorded = files.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
    let without_comment = |line: &str| line.split("//~").next().unwrap_or_default().trim_end().to_owned();
    recorded.map(|path| fs::read_to_string(path).unwrap().lines().map(without_comment).collect()).collect()
}

#[test]
fn each_error_that_is_shown_is_one_that_the_compiler_was_recorded_to_give() {
    let recorded = recorded();
    let mut shown = 0;
    for (page, text) in pages() {
        for error in errors(&text) {
            let known = recorded.iter().any(|lines| error.iter().all(|line| lines.iter().any(|known| known == line)));
            assert!(known, "{}: no compiler says\n{}", page.display(), error.join("\n"));
            shown += 1;
        }
    }
    assert!(shown > 0, "no error was found");
}

#[test]
fn the_readme_and_the_manifest_agree_on_the_oldest_rust() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
    assert!(readme.contains(&format!("minimum supported Rust version is {}.", line.trim_matches('"'))));
}
