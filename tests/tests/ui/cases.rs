//! The cases, and what they expect.

use std::fs;
use std::path::{Path, PathBuf};

use crate::compile::{Told, write_changed};

/// One file under `tests/ui`.
pub(crate) struct Case {
    /// `category/mistake`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    expected: Vec<Expected>,
}

/// A `//~ words` comment, or `//~^ words` for the line above.
struct Expected {
    line: usize,
    words: String,
}

/// All cases in order of their names.
pub(crate) fn all() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let mut cases = Vec::new();
    for category in entries(&root) {
        for path in entries(&category) {
            if path.extension().is_some_and(|extension| extension == "rs") {
                cases.push(Case::read(&root, path));
            }
        }
    }
    cases
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

impl Case {
    fn read(root: &Path, path: PathBuf) -> Self {
        let name = path.strip_prefix(root).expect("a path under the root").with_extension("");
        let name = name.to_str().expect("a plain name").replace('\\', "/");
        let text = fs::read_to_string(&path).expect("a readable case");
        let expected = text.lines().enumerate().filter_map(|(index, line)| Expected::read(index + 1, line)).collect();
        Self { name, path, expected }
    }

    /// A snippet of the guide, written beside the packages that are compiled.
    pub(crate) fn of_guide(name: &str, code: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui").join(name).with_extension("rs");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder under the target folder");
        write_changed(&path, code);
        Self { name: name.to_owned(), path, expected: Vec::new() }
    }

    /// Whether it is a snippet of the guide.
    pub(crate) fn is_of_guide(&self) -> bool {
        self.name.starts_with("guide/")
    }

    /// Whether it must compile without a word.
    pub(crate) fn passes(&self) -> bool {
        self.name.starts_with("pass/") || self.is_renamed()
    }

    /// Whether it knows `agent-core` by the name of `agents`, and has `serde` beside it only.
    pub(crate) fn is_renamed(&self) -> bool {
        self.name.starts_with("renamed/")
    }

    /// What differs between what is expected and what was told.
    pub(crate) fn compare(&self, told: &[Told]) -> Vec<String> {
        let mut wrong = Vec::new();
        if !self.passes() && self.expected.is_empty() {
            wrong.push(format!("{}: expects nothing", self.name));
        }
        // Beside a mistake, rustc may well warn of what it leaves unused.
        let mut open: Vec<&Told> = told.iter().filter(|told| told.is_error || self.passes()).collect();
        for expected in &self.expected {
            match open.iter().position(|told| told.line == expected.line && told.text.contains(&expected.words)) {
                Some(found) => {
                    open.remove(found);
                }
                None => wrong.push(format!("{}:{}: not told: {}", self.name, expected.line, expected.words)),
            }
        }
        wrong.extend(open.iter().map(|told| format!("{}:{}: not expected: {}", self.name, told.line, told.text)));
        wrong
    }

    /// The name of its target in the scratch package.
    pub(crate) fn target(&self) -> String {
        self.name.replace('/', "-")
    }
}

impl Expected {
    fn read(line: usize, text: &str) -> Option<Self> {
        let (_, comment) = text.split_once("//~")?;
        let words = comment.trim_start_matches('^');
        let above = comment.len() - words.len();
        Some(Self { line: line - above, words: words.trim().to_owned() })
    }
}
