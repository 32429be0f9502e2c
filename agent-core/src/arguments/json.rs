//! Values held to a JSON Schema as it stands, by the `jsonschema` crate.

use jsonschema::PatternOptions;
use serde_json::Value;

use super::problem::{LISTED, Problem, shown};
use super::tree::Tree;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct JsonValidator(jsonschema::Validator);

impl JsonValidator {
    /// A schema of draft 2020-12, unless it names another. It refers to nothing outside itself: nothing is fetched.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        jsonschema::options()
            // Linear in the value, which a model writes.
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .build(schema)
            .map(Self)
            .map_err(|error| format!("its schema cannot be used: {error}"))
    }

    /// What is wrong with a value, up to a bound; the rest is counted.
    pub(crate) fn problems(&self, value: &Value) -> Vec<Problem> {
        let mut errors = self.0.iter_errors(value);
        let mut problems: Vec<_> = errors.by_ref().take(LISTED).map(|error| problem(&error)).collect();
        match errors.count() {
            0 => {}
            left_out => problems.push(Problem::more(left_out)),
        }
        problems
    }
}

fn problem(error: &jsonschema::ValidationError<'_>) -> Problem {
    let got = super::parse(&error.instance().to_string()).map_or_else(|_| String::new(), |tree: Tree<'_>| shown(&tree));
    Problem {
        pointer: error.instance_path().to_string(),
        rule: error.kind().keyword().to_owned(),
        expected: "a value of the schema".to_owned(),
        got,
        hint: Some(error.masked().to_string()),
    }
    .cut()
}
