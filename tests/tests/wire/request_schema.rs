//! OpenAI's own schema of a request. It lies outside the repository; `OPENAPI_SCHEMAS` names its folder,
//! `../shared/openapi` otherwise.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// What is wrong with a request; nothing where the schema is not there.
pub(crate) fn problems(body: &Value) -> Vec<String> {
    static SCHEMA: LazyLock<Option<Validator>> = LazyLock::new(|| {
        let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/openapi");
        let folder = std::env::var_os("OPENAPI_SCHEMAS").map_or_else(default, PathBuf::from);
        // The one that takes fields of other servers too.
        let Ok(text) = std::fs::read(folder.join("create-chat-completion-request.schema.json")) else {
            // Not by `println!`, of which a test that passes shows nothing. Who does not listen is no reason to fail.
            let _ = writeln!(
                std::io::stderr(),
                "skipped: requests are held against no schema, as there is none in {}; set OPENAPI_SCHEMAS",
                folder.display()
            );
            return None;
        };
        Some(jsonschema::validator_for(&serde_json::from_slice(&text).unwrap()).unwrap())
    });
    let errors = SCHEMA.iter().flat_map(|schema| schema.iter_errors(body));
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}
