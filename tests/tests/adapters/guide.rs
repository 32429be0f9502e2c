//! `docs/writing-an-adapter.md` shows what is tested here.

use std::fs;
use std::path::Path;

/// An adapter for a plain format is shorter than this.
const LONGEST: usize = 200;

#[test]
fn the_guide_shows_the_adapter_and_its_test_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("../docs/writing-an-adapter.md")).unwrap();
    for file in ["parrot.rs", "contract.rs"] {
        let source = fs::read_to_string(root.join("tests/adapters").join(file)).unwrap();
        let shown = format!("```rust\n{source}```");
        assert!(guide.contains(&shown), "the guide shows another `{file}`; copy the file into its block");
        assert!(source.lines().count() < LONGEST, "`{file}` is no longer short");
    }
}
