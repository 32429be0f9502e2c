//! Every message that the macros and the checks of the core can give, found in their sources.
//!
//! A message is a string literal of at least three words, in the order of its parts around `{..}`; it must be in the
//! record of a case, so that no message is written which nobody has read as a user sees it.

use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// What no compiler tells: documentation that is generated, panics that only our own mistakes reach, and what is told
/// when an agent is built.
const NOT_TOLD: &[&str] = &[
    "give the agent fewer tools",
    " is not of one or more of `a-z`, `A-Z`, `0-9`, `_` and `-`, which ",
    "The tool [`{0}()`](fn@{0}), for `tools!`.",
    "a context with mistakes in it was not looked at",
    "this tool did not compile",
    "this error did not compile",
    // What `regex` reads no pattern in is told in its words, before the grammar of patterns is asked.
    r"nothing to repeat; write `\{sign}` for the character itself",
    "write `(..)`, `(?:..)`, or `(?<name>..)` with a name of letters, digits and `_`",
    "the group is not closed",
    "the second number is less than the first",
    r"write a count as `{2}`, `{2,}` or `{2,5}`, or `\{` for the character itself",
    "the class is not closed",
    "no set operations; write the character once",
    "the range ends before it begins",
    "nothing follows the backslash",
    r"no such character; write `\xHH`, `\uHHHH` or `\u{H..}` with its number",
];

/// A string literal, and the file that it is in.
pub(crate) struct Message {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

/// All messages of the workspace.
pub(crate) fn all() -> Vec<Message> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let core = workspace.join("agent-core/src");
    let mut messages = Vec::new();
    for file in sources(&workspace.join("agent-macros/src")) {
        messages.extend(literals(&file, &tokens(&file)));
    }
    let refused = ["refused.rs", "collection.rs"].map(|file| core.join("schema/types").join(file));
    for file in sources(&core.join("schema/check")).into_iter().chain(refused) {
        messages.extend(literals(&file, &tokens(&file)));
    }
    for file in sources(&core) {
        for told in told_by_attributes(tokens(&file)) {
            messages.extend(literals(&file, &told));
        }
    }
    messages.retain(|message| message.text.split_whitespace().count() > 2);
    for text in NOT_TOLD {
        assert!(messages.iter().any(|message| message.text == *text), "no longer there: {text}");
    }
    messages.retain(|message| !NOT_TOLD.contains(&message.text.as_str()));
    messages
}

impl Message {
    /// Whether the parts of the message stand in `line`, one after the other.
    pub(crate) fn is_in(&self, line: &str) -> bool {
        let mut rest = line;
        for part in self.parts() {
            match rest.split_once(part.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }

    /// The text around `{..}`.
    fn parts(&self) -> Vec<String> {
        let text = self.text.replace("{{", "\u{1}").replace("}}", "\u{2}");
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            parts.push(before.to_owned());
            rest = after.split_once('}').map_or("", |(_, after)| after);
        }
        parts.push(rest.to_owned());
        parts.iter().map(|part| part.trim().replace('\u{1}', "{").replace('\u{2}', "}")).collect()
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found
}

fn tokens(file: &Path) -> TokenStream {
    fs::read_to_string(file).expect("a readable source").parse().expect("a source of Rust")
}

/// The string literals that are neither documentation nor in tests.
fn literals(file: &Path, tokens: &TokenStream) -> Vec<Message> {
    let mut found = Vec::new();
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => match attribute(&mut tokens) {
                Some(attribute) if attribute.to_string().replace(' ', "") == "[cfg(test)]" => {
                    // The item ends with its body, or with a semicolon where it has none.
                    for token in tokens.by_ref() {
                        match token {
                            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
                            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
                            _ => {}
                        }
                    }
                }
                Some(TokenTree::Group(group)) if !group.to_string().replace(' ', "").starts_with("[doc=") => {
                    found.extend(literals(file, &group.stream()));
                }
                _ => {}
            },
            TokenTree::Group(group) => found.extend(literals(file, &group.stream())),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(Message { file: file.to_owned(), text: text.value() });
                }
            }
            _ => {}
        }
    }
    found
}

/// What stands in the brackets of an attribute, after its `#`.
fn attribute(tokens: &mut Peekable<token_stream::IntoIter>) -> Option<TokenTree> {
    tokens.next_if(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '!'));
    tokens.next_if(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket))
}

/// The insides of `#[diagnostic::on_unimplemented(..)]` and `#[deprecated(..)]`.
fn told_by_attributes(tokens: TokenStream) -> Vec<TokenStream> {
    let mut found = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = token {
            let text = group.to_string().replace(' ', "");
            let tells = ["[diagnostic::on_unimplemented(", "[deprecated("].iter().any(|start| text.starts_with(start));
            if tells {
                found.push(group.stream());
            } else {
                found.extend(told_by_attributes(group.stream()));
            }
        }
    }
    found
}
