//! The one description of a type that compile-time checks, published text and validator all read.

/// A reference to a [`Shape`] that a constant may hold even where the shape contains itself.
///
/// A plain `&'static Shape` in the constant of a recursive type makes the compiler follow the
/// reference into the static that needs the constant again (E0391); it does not follow a pointer.
#[derive(Clone, Copy)]
pub struct Link {
    shape: *const Shape,
}

// SAFETY: `shape` always comes from a `&'static Shape` (`Link::to` is the only way to make a link), and `Shape` is `Sync`.
#[allow(unsafe_code)]
unsafe impl Sync for Link {}
// SAFETY: as above; a shared reference to a `Sync` value may be sent.
#[allow(unsafe_code)]
unsafe impl Send for Link {}

impl Link {
    /// Links to `shape`.
    pub const fn to(shape: &'static Shape) -> Self {
        Self { shape }
    }

    /// The shape linked to.
    pub const fn get(self) -> &'static Shape {
        // SAFETY: `shape` was made from a `&'static Shape` in `Link::to`, the only constructor.
        #[allow(unsafe_code)]
        unsafe {
            &*self.shape
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Only the name: a recursive shape would never end.
        f.write_str(self.get().kind.name())
    }
}

/// What is known of a type that a model may fill in.
#[derive(Debug)]
pub struct Shape {
    /// What values it has.
    pub kind: Kind,
}

impl Shape {
    /// A shape of this kind.
    pub const fn new(kind: Kind) -> Self {
        Self { kind }
    }
}

/// The kinds of shape.
#[derive(Debug)]
#[non_exhaustive]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer(Integer),
    /// Any number.
    Number(Number),
    /// A string.
    Text(Text),
    /// A list.
    Array(Array),
    /// A value or null.
    Nullable(Link),
    /// One of a fixed list of strings.
    Enum(Enum),
    /// Named fields, no others.
    Object(Object),
    /// One of several shapes.
    Union(Union),
    /// A type that no strict schema can describe; using it is a compile error with these words.
    Refused(Refused),
    /// A type that gives its schema at run time (`#[arg(schemars)]`). [`Builder::build`](crate::Builder::build) puts the
    /// shape that it reads from the schema in its place.
    Foreign(Foreign),
    /// Any JSON that a schema of its own takes: what a foreign type is in a tool that is not strict, where no shape
    /// can say it.
    Json(Json),
}

impl Kind {
    /// The kind in a word, for messages: "a string", "an array".
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Number(Number::Seconds) => "a number of seconds",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Nullable(_) => "a nullable value",
            Self::Enum(_) => "one of a list of strings",
            Self::Object(_) => "an object",
            Self::Union(_) => "one of several forms",
            Self::Refused(refused) => refused.what,
            Self::Foreign(_) => "a value of a foreign type",
            Self::Json(_) => "a value of a schema of its own",
        }
    }
}

/// Whole numbers from `min` to `max`, both included.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    /// The least value of the Rust type.
    pub min: i128,
    /// The greatest value of the Rust type.
    pub max: i128,
    /// False for the `NonZero` types that also have negative values.
    pub zero: bool,
}

/// How a number is read and told apart from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Number {
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// A decimal of at most 15 significant digits, read from the shortest text that gives the number back.
    Decimal,
    /// Any number that JSON can write; a whole one keeps every digit.
    Any,
    /// A time span in seconds, exact to the nanosecond.
    Seconds,
}

/// Reads a string as its type does.
///
/// Gives the one form in which the type writes the value, where the string is another form of it. That is what the
/// tool reads and what the digest is made of, so that one value is one call. The error says why it cannot be read.
pub type Reads = fn(&str) -> Result<Option<String>, String>;

/// A string, and the grammar of its type where it has one.
#[derive(Clone, Copy)]
pub struct Text {
    /// A JSON Schema `format` that means exactly the type's grammar, such as `date-time`.
    pub format: Option<&'static str>,
    /// The grammar in words for the description, where no standard format says it.
    pub words: Option<&'static str>,
    /// Least length in Unicode scalar values.
    pub min_length: Option<u64>,
    /// Greatest length in Unicode scalar values.
    pub max_length: Option<u64>,
    /// How the type reads the string; the error is shown to the model.
    pub reads: Option<Reads>,
}

impl Text {
    /// Any string.
    pub const ANY: Self = Self { format: None, words: None, min_length: None, max_length: None, reads: None };
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text")
            .field("format", &self.format)
            .field("min_length", &self.min_length)
            .field("max_length", &self.max_length)
            .field("reads", &self.reads.is_some())
            .finish_non_exhaustive()
    }
}

/// A list of items of one shape.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// The shape of each item.
    pub item: Link,
    /// Least number of items.
    pub min_items: Option<u64>,
    /// Greatest number of items.
    pub max_items: Option<u64>,
    /// Whether no two items may be the same (sets).
    pub unique: bool,
}

/// A C-like enum.
#[derive(Debug, Clone, Copy)]
pub struct Enum {
    /// The Rust name, for messages.
    pub name: &'static str,
    /// The type's documentation.
    pub doc: &'static str,
    /// The values in order of declaration.
    pub values: &'static [EnumValue],
}

/// One value of an [`Enum`].
#[derive(Debug, Clone, Copy)]
pub struct EnumValue {
    /// The string on the wire.
    pub name: &'static str,
    /// Further strings that serde reads as this value; never published.
    pub aliases: &'static [&'static str],
    /// The variant's documentation, empty where it has none.
    pub doc: &'static str,
}

/// Named fields.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// Tells types apart: a hash of module path and name. Used to stop at recursion.
    pub id: u64,
    /// The Rust name, for messages and `$defs`.
    pub name: &'static str,
    /// The type's documentation.
    pub doc: &'static str,
    /// The fields in order of declaration; flattened structs stand as one field with `flatten`.
    pub fields: &'static [Field],
    /// Whether a field's type names a type parameter, so that it could not be checked where it is written.
    pub generic: bool,
}

/// One field of an [`Object`], or one parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name on the wire.
    pub name: &'static str,
    /// Further names that are read as this field; never published.
    pub aliases: &'static [&'static str],
    /// The documentation, which becomes the description.
    pub doc: &'static str,
    /// The shape of its values.
    pub shape: Link,
    /// What the value must satisfy beyond its shape.
    pub rules: Rules,
    /// What stands in for an absent value. A field whose shape is [`Kind::Nullable`] may be absent without one.
    pub default: Option<DefaultValue>,
    /// An example for the description, as JSON text.
    pub example: Option<&'static str>,
    /// Whether the field is part of the call's identity (`#[arg(identity)]`).
    pub identity: bool,
    /// Whether the fields of its object stand in place of it.
    pub flatten: bool,
}

/// What stands in for a value that is absent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum DefaultValue {
    /// This JSON text.
    Json(&'static str),
    /// What serde fills in, which is this JSON text. Where the rules of the field refuse it, it cannot be written out, and
    /// it stays absent.
    Natural(&'static str),
    /// What serde fills in; its text is not known here.
    Serde,
}

/// One of several shapes, told apart by a tag or by the one key of an object.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    /// Tells types apart, as [`Object::id`].
    pub id: u64,
    /// The Rust name, for messages.
    pub name: &'static str,
    /// The type's documentation.
    pub doc: &'static str,
    /// How the forms are told apart.
    pub tagging: Tagging,
    /// The forms in order of declaration.
    pub variants: &'static [Variant],
    /// As [`Object::generic`].
    pub generic: bool,
}

/// How the forms of a [`Union`] are told apart.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Tagging {
    /// `{"Variant": {..}}`; a variant without content is the string `"Variant"`.
    External,
    /// The variant's name is the value of this key, beside the variant's own fields.
    Internal(&'static str),
}

/// One form of a [`Union`].
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The name on the wire.
    pub name: &'static str,
    /// Further names that are read as this variant; never published.
    pub aliases: &'static [&'static str],
    /// The variant's documentation, empty where it has none.
    pub doc: &'static str,
    /// What it holds; none for a unit variant.
    pub content: Option<Link>,
}

/// A type that no strict schema can describe.
#[derive(Debug, Clone, Copy)]
pub struct Refused {
    /// What it is, with its article: "a `HashMap` with open keys".
    pub what: &'static str,
    /// The way out.
    pub help: &'static str,
}

/// A type that gives its schema at run time.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The Rust name, for messages.
    pub name: &'static str,
    /// Makes the JSON Schema of the type.
    pub schema: fn() -> serde_json::Value,
}

/// Any JSON that a schema of its own takes.
#[derive(Clone, Copy)]
pub struct Json {
    /// The schema, as JSON text.
    pub schema: &'static str,
    /// What is wrong with a value, with pointers from the value itself.
    pub judge: &'static Judge,
}

/// Says what is wrong with a value.
pub type Judge = dyn Fn(&serde_json::Value) -> Vec<crate::arguments::Problem> + Send + Sync;

impl std::fmt::Debug for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Json").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// What `#[arg(..)]` asks of a value, in JSON Schema's keywords.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The value is at least this.
    pub minimum: Option<Bound>,
    /// The value is more than this.
    pub exclusive_minimum: Option<Bound>,
    /// The value is at most this.
    pub maximum: Option<Bound>,
    /// The value is less than this.
    pub exclusive_maximum: Option<Bound>,
    /// The value is a whole multiple of this.
    pub multiple_of: Option<Bound>,
    /// Least length in Unicode scalar values.
    pub min_length: Option<u64>,
    /// Greatest length in Unicode scalar values.
    pub max_length: Option<u64>,
    /// A pattern that matches somewhere in the string, in the subset that ECMA-262 and `regex` read alike.
    pub pattern: Option<&'static str>,
    /// A JSON Schema `format` that the value must have.
    pub format: Option<&'static str>,
    /// Least number of items.
    pub min_items: Option<u64>,
    /// Greatest number of items.
    pub max_items: Option<u64>,
}

impl Rules {
    /// No rule.
    pub const NONE: Self = Self {
        minimum: None,
        exclusive_minimum: None,
        maximum: None,
        exclusive_maximum: None,
        multiple_of: None,
        min_length: None,
        max_length: None,
        pattern: None,
        format: None,
        min_items: None,
        max_items: None,
    };
}

/// A number written in an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The number as JSON text.
    pub text: &'static str,
    /// Its exact value where it is whole.
    pub whole: Option<i128>,
    /// Its nearest float. Two decimals of at most 15 digits are ordered as their nearest floats are.
    pub float: f64,
}
