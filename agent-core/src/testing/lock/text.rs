//! The lock file: JSON with the keys in the order of the shapes, a line for each entry.

use std::fmt::Write as _;

use crate::arguments::{Tree, parse};
use crate::dispatch::Toolbox;

/// The form of the file. A lock of another version is written anew.
const VERSION: i64 = 1;

/// A tool as it is locked.
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) description: String,
    /// Whether a provider is asked to hold the model to the schema.
    pub(super) strict: bool,
    pub(super) parameters: Tree<'static>,
}

pub(super) fn write<S: Send + Sync + 'static>(toolbox: &Toolbox<S>) -> String {
    let tools = toolbox.names().map(|name| {
        let facts = toolbox.spec(name);
        let description = facts.map_or_else(String::new, |facts| facts.description.to_string());
        let strict = facts.is_some_and(|facts| facts.strict);
        let schema = toolbox.full_schema(name).unwrap_or_default();
        // The publisher writes JSON, and a dynamic tool's text was JSON.
        let parameters = parse(&schema).map_or(Tree::Null, Tree::into_owned);
        let entries = vec![
            ("description".into(), Tree::Str(description.into())),
            ("strict".into(), Tree::Bool(strict)),
            ("parameters".into(), parameters),
        ];
        (name.to_owned().into(), Tree::Object(entries))
    });
    let tools = Tree::Object(tools.collect());
    let lock = Tree::Object(vec![("version".into(), Tree::Int(VERSION)), ("tools".into(), tools)]);
    let mut text = String::new();
    pretty(&lock, 0, &mut text);
    text.push('\n');
    text
}

/// Each entry of an object on a line of its own; lists of plain values on one.
fn pretty(tree: &Tree<'_>, depth: usize, text: &mut String) {
    let next = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    match tree {
        Tree::Object(entries) if !entries.is_empty() => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                next(text, depth + 1);
                let _ = write!(text, "{}: ", Tree::Str(key.as_ref().into()));
                pretty(value, depth + 1, text);
            }
            next(text, depth);
            text.push('}');
        }
        Tree::Array(items) if items.iter().any(|item| matches!(item, Tree::Object(_) | Tree::Array(_))) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                next(text, depth + 1);
                pretty(item, depth + 1, text);
            }
            next(text, depth);
            text.push(']');
        }
        plain => {
            let _ = write!(text, "{plain}");
        }
    }
}

pub(super) fn read(text: &str) -> Result<Vec<Locked>, String> {
    let Tree::Object(entries) = parse(text)? else { return Err("it is no object".to_owned()) };
    let mut version = None;
    let mut tools = None;
    for (key, value) in entries {
        match (key.as_ref(), value) {
            ("version", value) => version = Some(value),
            ("tools", Tree::Object(entries)) => tools = Some(entries),
            _ => {}
        }
    }
    if version != Some(Tree::Int(VERSION)) {
        return Err(format!("it is not of version {VERSION}"));
    }
    let tools = tools.ok_or_else(|| "it lists no tools".to_owned())?;
    tools.into_iter().map(|(name, tool)| locked(name.into_owned(), tool.into_owned())).collect()
}

fn locked(name: String, tool: Tree<'static>) -> Result<Locked, String> {
    let mut description = None;
    let mut strict = None;
    let mut parameters = None;
    if let Tree::Object(entries) = tool {
        for (key, value) in entries {
            match (key.as_ref(), value) {
                ("description", Tree::Str(text)) => description = Some(text.into_owned()),
                ("strict", Tree::Bool(given)) => strict = Some(given),
                ("parameters", schema) => parameters = Some(schema),
                _ => {}
            }
        }
    }
    match (description, strict, parameters) {
        (Some(description), Some(strict), Some(parameters)) => Ok(Locked { name, description, strict, parameters }),
        _ => Err(format!("the tool `{name}` lacks its `description`, its `strict` or its `parameters`")),
    }
}
