//! Rendered messages, kept beside the cases.

use std::fs;
use std::path::Path;

use crate::cases::Case;
use crate::compile::Told;

/// Compares what is told of a case with its record, or records it.
pub(crate) fn compare(case: &Case, told: &[Told]) -> Option<String> {
    let file = case.path.with_extension("stderr");
    let text: Vec<String> = told.iter().map(|told| steady(&told.rendered)).collect();
    let text = text.join("\n");
    if case.passes() {
        return None;
    }
    if std::env::var_os("UI").is_some_and(|what| what == "record") {
        fs::write(&file, text).expect("a record");
        return None;
    }
    let recorded = self::text(case);
    (recorded != text).then(|| format!("{}: not as recorded; it is now\n{text}", case.name))
}

/// What is recorded of a case.
pub(crate) fn text(case: &Case) -> String {
    fs::read_to_string(case.path.with_extension("stderr")).unwrap_or_default()
}

/// Takes out what changes without being about the case: places of sources, and where lines of other files are.
fn steady(rendered: &str) -> String {
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_str().expect("a plain path");
    let mut lines = Vec::new();
    for line in rendered.trim_end().replace(&format!("{workspace}/tests/ui/"), "").lines() {
        lines.push(steady_line(&line.replace(workspace, "$WORKSPACE")));
    }
    lines.join("\n") + "\n"
}

fn steady_line(line: &str) -> String {
    let text = line.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && text[digits..].trim_start().starts_with('|') {
        return format!("LL {}", text[digits..].trim_start());
    }
    if let Some(place) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: ")) {
        let away = place.starts_with('$') || place.starts_with('/');
        let file = place.split(':').next().unwrap_or(place);
        let file = file.rsplit_once("/src/").map_or(file, |(_, file)| file);
        return if away { format!("  --> {file}") } else { format!("  --> {place}") };
    }
    if text.starts_with('|') || text.starts_with("= ") {
        return format!("   {text}");
    }
    if let Some((before, _)) = text.split_once(" others").filter(|(before, _)| before.starts_with("and ")) {
        return format!("and {} others", "N".repeat(usize::from(before.len() > 4)));
    }
    line.to_owned()
}
