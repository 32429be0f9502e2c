//! The arguments of a tool, from text to values that may be used.

use std::collections::HashSet;

use thiserror::Error;

use super::format;
use super::parse::{parse, parse_arguments};
use super::pattern::Patterns;
use super::problem::{Place, Problem};
use super::read::Reader;
use super::values::Arguments;
use crate::schema::check::endless;
use crate::schema::{DefaultValue, Field, Kind, Link, Object, Shape, Tagging, Union, resolve};

/// Reads the arguments of one tool: checks them against its shape and brings them into one form.
///
/// ```
/// use agent_core::arguments::{Invalid, Validator};
/// use agent_core::schema::{Field, Kind, Object, Rules, Shape, ToolSchema};
///
/// static FIELDS: [Field; 1] = [Field {
///     name: "qty",
///     aliases: &[],
///     doc: "How many.",
///     shape: u8::SHAPE,
///     rules: Rules::NONE,
///     default: None,
///     example: None,
///     identity: false,
///     flatten: false,
/// }];
/// static ORDER: Shape = Shape::new(Kind::Object(Object { id: 1, name: "Order", doc: "", fields: &FIELDS, generic: false }));
///
/// let validator = Validator::new(&ORDER)?;
/// let order = validator.read(r#"{"qty": 3.0}"#).unwrap();
/// assert_eq!(order.field::<u8>(0).unwrap(), 3);
///
/// let Err(Invalid::Problems(problems)) = validator.read(r#"{"qty": 300}"#) else { panic!() };
/// assert_eq!(problems[0].to_string(), "/qty: expected at most 255, got 300");
/// # Ok::<(), agent_core::arguments::SchemaError>(())
/// ```
#[derive(Debug)]
pub struct Validator {
    object: &'static Object,
    patterns: Patterns,
}

/// Why arguments cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// They are not JSON; a sentence that says where.
    Malformed(String),
    /// They are not as the shape says: every problem, up to 32, then one of the rule `more` that counts the rest.
    Problems(Vec<Problem>),
}

/// Why a shape cannot be that of a tool's arguments. For derived types the compiler has said it before.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}`: {reason}")]
pub struct SchemaError {
    /// The place in the shape: `Order.lines[].qty`.
    pub path: String,
    /// What is wrong there.
    pub reason: String,
}

impl Validator {
    /// A validator of arguments of this shape.
    ///
    /// # Errors
    ///
    /// The first part of the shape that cannot be used: a shape that is no object, a refused type, a pattern
    /// that does not compile, an unknown format, two fields of one name, a type without a value that ends, a default or
    /// example that is not valid itself.
    pub fn new(shape: &'static Shape) -> Result<Self, SchemaError> {
        let shape = resolve(shape, true)?;
        let Kind::Object(object) = &shape.kind else {
            return Err(SchemaError { path: "arguments".to_owned(), reason: "arguments are an object".to_owned() });
        };
        let mut survey = Survey::default();
        survey.object(object, object.name)?;
        if endless(shape) {
            let reason = "it contains itself in every value, so that none can be written to its end".to_owned();
            return Err(SchemaError { path: object.name.to_owned(), reason });
        }
        let Survey { patterns, given, .. } = survey;
        for Given { path, field, word, text } in given {
            check_given(&patterns, field, word, text).map_err(|reason| SchemaError { path, reason })?;
        }
        Ok(Self { object, patterns })
    }

    /// Reads the arguments of a call.
    ///
    /// # Errors
    ///
    /// What is wrong with them, all at once.
    pub fn read<'a>(&self, text: &'a str) -> Result<Arguments<'a>, Invalid> {
        let tree = parse_arguments(text).map_err(Invalid::Malformed)?;
        let mut reader = Reader::new(&self.patterns);
        let fields = reader.arguments(tree, self.object);
        match reader.finish() {
            None => Ok(Arguments { object: self.object, fields }),
            Some(problems) => Err(Invalid::Problems(problems)),
        }
    }
}

fn check_given(patterns: &Patterns, field: &'static Field, word: &str, text: &'static str) -> Result<(), String> {
    let tree = parse(text).map_err(|sentence| format!("the {word} {text}: {sentence}"))?;
    let mut reader = Reader::new(patterns);
    reader.value(tree, field.shape, &field.rules, &Place::ROOT);
    match reader.finish().unwrap_or_default().first() {
        None => Ok(()),
        Some(Problem { pointer, expected, .. }) if pointer.is_empty() => {
            Err(format!("the {word} {text} is not {expected}"))
        }
        Some(problem) => Err(format!("the {word} {text} is not valid at {problem}")),
    }
}

/// The walk over a shape before its first use.
#[derive(Default)]
struct Survey {
    seen: HashSet<u64>,
    patterns: Patterns,
    given: Vec<Given>,
}

/// A value of an attribute, which must itself be one that the field takes.
struct Given {
    path: String,
    field: &'static Field,
    word: &'static str,
    text: &'static str,
}

impl Survey {
    fn object(&mut self, object: &'static Object, path: &str) -> Result<(), SchemaError> {
        if !self.seen.insert(object.id) {
            return Ok(());
        }
        check_names(object, path)?;
        for field in object.fields {
            let path = format!("{path}.{}", field.name);
            let fail = |reason| SchemaError { path: path.clone(), reason };
            if field.flatten {
                match &field.shape.get().kind {
                    Kind::Object(inner) if flattens(inner, object.id, 0) => {
                        return Err(fail("a struct cannot be flattened into itself".to_owned()));
                    }
                    Kind::Object(_) => {}
                    _ => return Err(fail("only a struct can be flattened".to_owned())),
                }
            }
            if let Some(pattern) = field.rules.pattern {
                self.patterns.add(pattern).map_err(fail)?;
            }
            if let Some(format) = field.rules.format.filter(|format| format::check(format).is_none()) {
                return Err(fail(format!("the format `{format}` is not known")));
            }
            self.shape(field.shape, &path)?;
            let default = match field.default {
                Some(DefaultValue::Json(text)) => Some(("default", text)),
                _ => None,
            };
            for (word, text) in default.into_iter().chain(field.example.map(|text| ("example", text))) {
                self.given.push(Given { path: path.clone(), field, word, text });
            }
        }
        Ok(())
    }

    fn shape(&mut self, link: Link, path: &str) -> Result<(), SchemaError> {
        let fail = |reason: String| Err(SchemaError { path: path.to_owned(), reason });
        match &link.get().kind {
            Kind::Array(array) => self.shape(array.item, &format!("{path}[]")),
            Kind::Nullable(inner) => self.shape(*inner, path),
            Kind::Object(object) => self.object(object, path),
            Kind::Union(union) => self.union(union, path),
            Kind::Text(text) => match text.format {
                Some(format) if text.reads.is_none() && format::check(format).is_none() => {
                    fail(format!("the format `{format}` is not known"))
                }
                _ => Ok(()),
            },
            Kind::Refused(refused) => fail(format!("this is {}; {}", refused.what, refused.help)),
            // Resolved above.
            Kind::Foreign(foreign) => fail(format!("the schema of `{}` has not been read", foreign.name)),
            Kind::Bool | Kind::Integer(_) | Kind::Number(_) | Kind::Enum(_) | Kind::Json(_) => Ok(()),
        }
    }

    fn union(&mut self, union: &'static Union, path: &str) -> Result<(), SchemaError> {
        if !self.seen.insert(union.id) {
            return Ok(());
        }
        for variant in union.variants {
            let path = format!("{path}.{}", variant.name);
            let Some(content) = variant.content else { continue };
            if let Tagging::Internal(tag) = union.tagging {
                let fail = |reason: String| Err(SchemaError { path: path.clone(), reason });
                match &content.get().kind {
                    Kind::Object(object) if has_name(object, tag) => {
                        return fail(format!("the field `{tag}` has the name of the tag"));
                    }
                    Kind::Object(_) => {}
                    _ => return fail("beside a tag only a struct can stand".to_owned()),
                }
            }
            self.shape(content, &path)?;
        }
        Ok(())
    }
}

fn check_names(object: &'static Object, path: &str) -> Result<(), SchemaError> {
    let mut names = HashSet::new();
    let mut doubled = None;
    each_name(object, 0, &mut |name| {
        if !names.insert(name) {
            doubled = Some(name);
        }
    });
    match doubled {
        None => Ok(()),
        Some(name) => Err(SchemaError { path: path.to_owned(), reason: format!("two fields have the name `{name}`") }),
    }
}

fn has_name(object: &'static Object, name: &str) -> bool {
    let mut found = false;
    each_name(object, 0, &mut |other| found |= other == name);
    found
}

/// Structs flattened into one another deeper than this are taken for one that flattens itself.
const DEEPEST_FLATTEN: usize = 32;

/// Whether `object` is, or flattens, the type of this id.
fn flattens(object: &Object, id: u64, depth: usize) -> bool {
    let mut inner = object.fields.iter().filter(|field| field.flatten).map(|field| &field.shape.get().kind);
    object.id == id
        || depth == DEEPEST_FLATTEN
        || inner.any(|kind| matches!(kind, Kind::Object(inner) if flattens(inner, id, depth + 1)))
}

fn each_name(object: &'static Object, depth: usize, see: &mut dyn FnMut(&'static str)) {
    for field in object.fields {
        match &field.shape.get().kind {
            Kind::Object(inner) if field.flatten && depth < DEEPEST_FLATTEN => each_name(inner, depth + 1, see),
            _ => {
                see(field.name);
                field.aliases.iter().for_each(|alias| see(alias));
            }
        }
    }
}
