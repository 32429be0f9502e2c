//! The snippets of the guide that do not compile, and the reason that stands below each.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cases::Case;
use crate::compile::Told;

/// A snippet, as a case that is told what the guide says below it.
pub(crate) struct Snippet {
    pub(crate) case: Case,
    /// What stands in the `text` below it.
    said: String,
}

/// All snippets of `docs` that do not compile, written to where they are compiled.
pub(crate) fn all() -> Vec<Snippet> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("docs");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(docs).expect("the guide").map(|entry| entry.expect("an entry").path()).collect();
    pages.sort();
    pages.iter().flat_map(|page| snippets(page)).collect()
}

fn snippets(page: &Path) -> Vec<Snippet> {
    let name = page.file_stem().and_then(|name| name.to_str()).expect("a plain name");
    let text = fs::read_to_string(page).expect("a readable page");
    let mut snippets = Vec::new();
    for (index, part) in text.split("```rust,compile_fail").skip(1).enumerate() {
        let (_, after) = part.split_once('\n').expect("a snippet");
        let (code, after) = after.split_once("\n```\n").expect("the end of a snippet");
        let said = after.trim_start().strip_prefix("```text\n").and_then(|said| said.split_once("\n```"));
        let said = said.map_or_else(String::new, |(said, _)| said.to_owned());
        snippets.push(Snippet { case: Case::of_guide(&format!("guide/{name}-{index}"), code), said });
    }
    snippets
}

impl Snippet {
    /// What differs between what the guide says and what was told.
    pub(crate) fn compare(&self, told: &[Told]) -> Option<String> {
        let told: Vec<&str> =
            told.iter().filter(|told| told.is_error).filter_map(|told| told.rendered.lines().next()).collect();
        let told = told.join("\n");
        (told != self.said).then(|| format!("{}: the guide says\n{}\nand rustc\n{told}", self.case.name, self.said))
    }
}
