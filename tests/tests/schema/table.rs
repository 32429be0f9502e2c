//! Each type of the type table: our text for OpenAI against the text that schemars makes of it.
//!
//! schemars' text is made with `inline_subschemas` and then brought into strict form by [`normal`], whose steps are the
//! whole of what is meant to differ:
//!
//! 1. annotations go: `$schema`, `title`, `default`, `description` (our constraints in words stand there, so that
//!    [`what_is_documented_is_told`] compares them);
//! 2. a `format` goes, unless OpenAI takes it; an integer's says its bounds, as far as they are written (32 bits);
//! 3. `minLength`, `maxLength`, `uniqueItems` and `not` go: they are said in words;
//! 4. objects are closed and require every property; what was not required may be null;
//! 5. `oneOf` is `anyOf`, also within another; `const` is a list of one, and forms that are plain strings are one list;
//! 6. null is in the list of a nullable enum, and a nullable object is one of two forms.
//!
//! What differs beyond that is named in [`the_differences_are_these`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64,
    NonZeroUsize,
};

use agent_core::ToolSchema;
use agent_core::schema::{Kind, full_text, profile, publish};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A root object: providers take no other.
#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Args<T> {
    /// A value.
    v: T,
}

fn ours<T: ToolSchema>() -> Value {
    let text = publish("", <Args<T>>::SHAPE.get(), &profile::OPENAI).parameters;
    without_descriptions(serde_json::from_str(&text).unwrap())
}

fn theirs<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    normal(settings.into_generator().into_root_schema_for::<Args<T>>().to_value())
}

fn same<T: ToolSchema + JsonSchema>() {
    assert_eq!(ours::<T>(), theirs::<T>(), "{}", std::any::type_name::<T>());
}

/// The schema of the value alone, where the two are meant to differ.
fn differs<T: ToolSchema + JsonSchema>(our: Value, their: Value, why: &str) {
    let of = |schema: Value| schema["properties"]["v"].clone();
    assert_eq!(of(ours::<T>()), our, "{why}");
    assert_eq!(of(theirs::<T>()), their, "{why}");
    assert_ne!(our, their, "no longer a difference: {why}");
}

fn without_descriptions(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.into_iter().filter(|(key, value)| key != "description" || !value.is_string());
            entries.map(|(key, value)| (key, without_descriptions(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(without_descriptions).collect(),
        other => other,
    }
}

fn normal(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    // 1, 3
    for gone in ["$schema", "title", "default", "description", "minLength", "maxLength", "uniqueItems", "not"] {
        schema.remove(gone);
    }
    // 2
    if let Some(format) = schema.get("format").and_then(Value::as_str).map(str::to_owned) {
        if !profile::OPENAI.formats.contains(&format.as_str()) {
            schema.remove("format");
        }
        let bounds: Option<(i64, Option<i64>)> = match format.as_str() {
            "int32" => Some((i32::MIN.into(), Some(i32::MAX.into()))),
            "uint32" => Some((0, Some(u32::MAX.into()))),
            "uint" | "uint64" => Some((0, None)),
            _ => None,
        };
        if let Some((min, max)) = bounds {
            schema.entry("minimum").or_insert(min.into());
            if let Some(max) = max {
                schema.entry("maximum").or_insert(max.into());
            }
        }
    }
    // 5
    if let Some(value) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([value]));
    }
    if let Some(forms) = schema.remove("oneOf").or_else(|| schema.remove("anyOf")) {
        return any_of(forms, schema);
    }
    // 6
    let is_nullable = |schema: &Map<String, Value>| {
        schema.get("type").and_then(Value::as_array).is_some_and(|types| types.iter().any(|name| name == "null"))
    };
    if is_nullable(&schema)
        && let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(items) = schema.remove("items") {
        schema.insert("items".to_owned(), normal(items));
    }
    if let Some(Value::Object(definitions)) = schema.remove("$defs") {
        let definitions: Map<_, _> = definitions.into_iter().map(|(name, value)| (name, normal(value))).collect();
        schema.insert("$defs".to_owned(), definitions.into());
    }
    // 6
    if schema.get("type") == Some(&json!(["object", "null"])) {
        schema.insert("type".to_owned(), json!("object"));
        return nullable(normal(schema.into()));
    }
    // 4
    if schema.get("type") == Some(&json!("object")) {
        let required: Vec<Value> = match schema.remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let properties = match schema.remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let properties: Map<_, _> = properties
            .into_iter()
            .map(|(name, value)| {
                let value = normal(value);
                let value = if required.contains(&json!(name)) { value } else { nullable(value) };
                (name, value)
            })
            .collect();
        schema.insert("required".to_owned(), properties.keys().cloned().collect());
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema.into()
}

/// Forms in order, with those that are plain strings as one list in front and null at the end.
fn any_of(forms: Value, mut rest: Map<String, Value>) -> Value {
    let Value::Array(forms) = forms else { panic!("{forms}") };
    let forms: Vec<Value> = forms.into_iter().map(normal).collect();
    // Forms of a form are forms.
    let inner = |form: &Value| form.as_object().filter(|form| form.len() == 1)?.get("anyOf")?.as_array().cloned();
    let forms = forms.into_iter().flat_map(|form| inner(&form).unwrap_or_else(|| vec![form]));
    let (null, forms): (Vec<_>, Vec<_>) = forms.partition(|form| form["type"] == "null");
    let (names, mut forms): (Vec<_>, Vec<_>) = forms.into_iter().partition(|form| form["type"] == "string");
    let names: Vec<Value> = names.iter().flat_map(|form| form["enum"].as_array().unwrap().clone()).collect();
    if !names.is_empty() {
        forms.insert(0, json!({"type": "string", "enum": names}));
    }
    if forms.len() == 1 && !names.is_empty() {
        let one = forms.remove(0);
        return if null.is_empty() { one } else { nullable(one) };
    }
    forms.extend(null);
    rest.insert("anyOf".to_owned(), forms.into());
    rest.into()
}

fn nullable(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    match schema.remove("type") {
        Some(Value::String(name)) if name == "object" => {
            schema.insert("type".to_owned(), name.into());
            json!({"anyOf": [schema, {"type": "null"}]})
        }
        Some(Value::String(name)) => {
            schema.insert("type".to_owned(), json!([name, "null"]));
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                values.push(Value::Null);
            }
            schema.into()
        }
        Some(types) => {
            schema.insert("type".to_owned(), types);
            schema.into()
        }
        None => {
            if let Some(Value::Array(forms)) = schema.get_mut("anyOf")
                && !forms.contains(&json!({"type": "null"}))
            {
                forms.push(json!({"type": "null"}));
            }
            schema.into()
        }
    }
}

/// The order of `required` and of enum values says nothing, and schemars turns some of it.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, sorted(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            items.sort_by_key(ToString::to_string);
            items.into()
        }
        other => other,
    }
}

fn same_sorted<T: ToolSchema + JsonSchema>() {
    assert_eq!(sorted(ours::<T>()), sorted(theirs::<T>()), "{}", std::any::type_name::<T>());
}

#[test]
fn types_of_one_value_have_the_text_of_schemars() {
    same::<String>();
    same::<std::borrow::Cow<'static, str>>();
    same::<bool>();
    same::<char>();
    same::<u8>();
    same::<i8>();
    same::<u16>();
    same::<i16>();
    same::<u32>();
    same::<i32>();
    same::<u64>();
    same::<i64>();
    same::<usize>();
    same::<isize>();
    same::<f32>();
    same::<f64>();
    same::<NonZeroI8>();
    same::<NonZeroU8>();
    same::<NonZeroI16>();
    same::<NonZeroU16>();
    same::<NonZeroI32>();
    same::<NonZeroU32>();
    same::<NonZeroI64>();
    same::<NonZeroU64>();
    same::<NonZeroIsize>();
    same::<NonZeroUsize>();
    same::<std::net::Ipv4Addr>();
    same::<std::net::Ipv6Addr>();
    same::<std::net::IpAddr>();
    same::<std::net::SocketAddr>();
    same::<std::path::PathBuf>();
    same::<Box<std::path::Path>>();
    same::<std::sync::Arc<str>>();
    same::<Box<str>>();
    same::<serde_json::Number>();
}

#[test]
fn types_of_other_crates_have_the_text_of_schemars() {
    same::<DateTime<Utc>>();
    same::<DateTime<FixedOffset>>();
    same::<NaiveDate>();
    same::<NaiveTime>();
    same::<NaiveDateTime>();
    same::<uuid::Uuid>();
    same::<url::Url>();
    // schemars knows jiff up to 0.2, and writes of its types what it writes of those of chrono; a span is a duration.
    assert_eq!(ours::<jiff::Timestamp>(), theirs::<DateTime<Utc>>());
    assert_eq!(ours::<jiff::civil::Date>(), theirs::<NaiveDate>());
    assert_eq!(ours::<jiff::civil::Time>(), theirs::<NaiveTime>());
    assert_eq!(ours::<jiff::civil::DateTime>(), theirs::<NaiveDateTime>());
    let duration = json!({"type": "string", "format": "duration"});
    assert_eq!(ours::<jiff::Span>()["properties"]["v"], duration);
    assert_eq!(ours::<jiff::SignedDuration>()["properties"]["v"], duration);
}

#[test]
fn lists_options_and_boxes_have_the_text_of_schemars() {
    same::<Vec<String>>();
    same::<VecDeque<bool>>();
    same::<[u8; 3]>();
    same::<Vec<Vec<i32>>>();
    same::<HashSet<String>>();
    same::<BTreeSet<u8>>();
    same::<Option<String>>();
    same::<Option<u8>>();
    same::<Option<Vec<bool>>>();
    same::<Vec<Option<u16>>>();
    same::<Option<Option<f64>>>();
    same::<Box<[u8]>>();
    same::<Box<[Option<String>]>>();
    same::<Box<u8>>();
    same::<Box<Option<u8>>>();
    same::<std::cell::Cell<u8>>();
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct Order {
    /// The lines.
    order_lines: Vec<Line>,
    /// The first line.
    first: Line,
    /// Another.
    other: Option<Line>,
    /// Where.
    #[serde(flatten)]
    place: Place,
    /// Not for the model.
    #[serde(skip)]
    secret: u8,
    /// How many.
    #[serde(default)]
    how_many: u8,
    #[serde(rename = "renamed", alias = "other name")]
    /// Renamed.
    given: bool,
    /// Which.
    colour: Option<Colour>,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(default)]
#[allow(dead_code)]
#[derive(Default)]
struct Line {
    /// The article.
    sku: Sku,
    /// In or out.
    inside: Option<bool>,
}

#[derive(Deserialize, ToolSchema, JsonSchema, Default)]
struct Sku(#[allow(dead_code)] String);

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(transparent)]
struct Through {
    /// What it holds.
    #[allow(dead_code)]
    place: Place,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Closed {
    /// A value.
    a: u8,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Place {
    /// The city.
    city: String,
    /// The floor.
    floor: Option<i32>,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
struct Empty {}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum Colour {
    DarkRed,
    Green,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
enum Documented {
    /// As blood.
    Red,
    Green,
    /// As the sky.
    Blue,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
enum External {
    Nothing,
    /// Held.
    Newtype(Place),
    Named {
        /// A value.
        a: Option<u8>,
    },
    Other,
    List(Vec<bool>),
    Maybe(Option<u8>),
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Internal {
    Nothing,
    /// Held.
    Newtype(Place),
    Named {
        /// A value.
        a: Option<u8>,
    },
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Page<T> {
    /// The items.
    items: Vec<T>,
}

#[test]
fn structs_have_the_text_of_schemars_once_it_is_strict() {
    same::<Empty>();
    same::<Closed>();
    same::<Sku>();
    same_sorted::<Through>();
    same_sorted::<Vec<Through>>();
    same_sorted::<Place>();
    same_sorted::<Line>();
    same_sorted::<Order>();
    same_sorted::<Page<Place>>();
    same_sorted::<Option<Page<Option<Place>>>>();
}

#[test]
fn enums_have_the_text_of_schemars_once_it_is_strict() {
    same::<Colour>();
    same::<Option<Colour>>();
    same_sorted::<Documented>();
    same_sorted::<Option<Documented>>();
    same_sorted::<External>();
    same_sorted::<Option<External>>();
    same_sorted::<Internal>();
    same_sorted::<Vec<Internal>>();
}

/// What is said of each property, by its path; of all forms and items at it together.
fn told(schema: &Value, path: &str, told: &mut BTreeMap<String, Vec<String>>) {
    for word in ["title", "description"] {
        if let Some(text) = schema[word].as_str().filter(|_| !path.is_empty()) {
            told.entry(path.to_owned()).or_default().push(text.to_owned());
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        self::told(property, &format!("{path}.{name}"), told);
    }
    for word in ["anyOf", "oneOf"] {
        schema[word].as_array().into_iter().flatten().for_each(|form| self::told(form, path, told));
    }
    if schema["items"].is_object() {
        self::told(&schema["items"], path, told);
    }
}

/// All that schemars tells of the type is told by us at the same place, for each provider.
fn documented<T: ToolSchema + JsonSchema>() {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut theirs = BTreeMap::new();
    told(&settings.into_generator().into_root_schema_for::<Args<T>>().to_value(), "", &mut theirs);
    for profile in [&profile::OPENAI, &profile::ANTHROPIC, &profile::AZURE, &profile::GEMINI, &profile::PORTABLE] {
        let text = publish("", <Args<T>>::SHAPE.get(), profile).parameters;
        let mut ours = BTreeMap::new();
        told(&serde_json::from_str(&text).unwrap(), "", &mut ours);
        for (path, texts) in &theirs {
            let said = ours.get(path).map_or_else(String::new, |texts| texts.join("\n"));
            for text in texts {
                assert!(
                    said.contains(text),
                    "{} at {path}: {text:?} is not in {said:?}\n{}",
                    profile.name,
                    self::ours::<T>()
                );
            }
        }
    }
}

#[test]
fn what_is_documented_is_told() {
    documented::<u8>();
    documented::<Option<Vec<Place>>>();
    documented::<Place>();
    documented::<Closed>();
    documented::<Order>();
    documented::<Page<Place>>();
    documented::<Colour>();
    documented::<Documented>();
    documented::<Option<Documented>>();
    documented::<External>();
    documented::<Internal>();
    documented::<Vec<Internal>>();
    documented::<Ruled>();
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Ruled {
    /// From one to ten.
    #[arg(minimum = 1, maximum = 10)]
    #[schemars(range(min = 1, max = 10))]
    count: u8,
    /// A share.
    #[arg(minimum = 0.5, maximum = 7.25)]
    #[schemars(range(min = 0.5, max = 7.25))]
    share: f64,
    /// By fives.
    #[arg(exclusive_minimum = 0, exclusive_maximum = 100, multiple_of = 5)]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "multipleOf" = 5))]
    fives: i64,
    /// Short.
    #[arg(min_length = 2, max_length = 3)]
    #[schemars(length(min = 2, max = 3))]
    short: String,
    /// A code.
    #[arg(pattern = "^[A-Z]{2}$")]
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    code: Option<String>,
    /// An address.
    #[arg(format = "email")]
    #[schemars(email)]
    mail: String,
    /// A few.
    #[arg(min_items = 1, max_items = 4)]
    #[schemars(length(min = 1, max = 4))]
    few: Vec<bool>,
}

#[test]
fn keywords_have_the_text_of_those_of_schemars() {
    same_sorted::<Ruled>();
    // Lengths, which OpenAI does not take, stand in the full text.
    let full: Value = serde_json::from_str(&full_text(<Args<Ruled>>::SHAPE.get())).unwrap();
    let full = &full["properties"]["v"]["properties"];
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let theirs = settings.into_generator().into_root_schema_for::<Ruled>().to_value();
    for word in ["minLength", "maxLength"] {
        let length = theirs["properties"]["short"][word].as_u64();
        assert!(length.is_some(), "{theirs}");
        assert_eq!(full["short"][word].as_u64(), length, "{word}");
    }
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Tree {
    /// Below it.
    kids: Vec<Tree>,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Husband {
    /// The other.
    wife: Option<Box<Wife>>,
}

#[derive(Deserialize, ToolSchema, JsonSchema)]
#[allow(dead_code)]
struct Wife {
    /// The other.
    husband: Option<Box<Husband>>,
}

#[test]
fn the_differences_are_these() {
    differs::<rust_decimal::Decimal>(
        json!({"type": "number"}),
        json!({"type": ["string", "number"], "pattern": r"^-?\d+(\.\d+)?([eE]\d+)?$"}),
        "a Decimal is a number: a union of types is what providers take least of, and `\\d` does not mean one thing",
    );
    differs::<std::time::Duration>(
        json!({"type": "number", "minimum": 0}),
        json!({
            "type": "object",
            "properties": {"secs": {"type": "integer", "minimum": 0}, "nanos": {"type": "integer", "minimum": 0, "maximum": u32::MAX}},
            "required": ["nanos", "secs"],
            "additionalProperties": false,
        }),
        "a span is a number of seconds: two numbers are one more thing for a model to add up",
    );
    // A type that contains itself is a definition wherever it stands; schemars writes its first place out.
    let (mut our, mut their) = (ours::<Tree>(), theirs::<Tree>());
    assert_eq!(our["$defs"], their["$defs"]);
    assert_eq!(our["properties"]["v"].take(), json!({"anyOf": [{"$ref": "#/$defs/Tree"}]}));
    assert_eq!(their["properties"]["v"].take(), our["$defs"]["Tree"]);
    assert_eq!(our, their);
    let (our, their) = (ours::<Husband>(), theirs::<Husband>());
    // We know one of the two by name and write the other into it; schemars makes a definition of each.
    assert_eq!(our["$defs"]["Husband"]["properties"]["wife"]["anyOf"][1], json!({"type": "null"}));
    assert_eq!(
        our["$defs"]["Husband"]["properties"]["wife"]["anyOf"][0]["properties"]["husband"]["anyOf"],
        json!([{"$ref": "#/$defs/Husband"}, {"type": "null"}])
    );
    assert_eq!(our["$defs"].as_object().unwrap().len(), 1, "{our}");
    assert_eq!(their["$defs"].as_object().unwrap().len(), 2, "{their}");
}

#[test]
fn what_no_strict_schema_can_say_has_no_shape() {
    fn refused<T: ToolSchema>() {
        let kind = &T::SHAPE.get().kind;
        assert!(matches!(kind, Kind::Refused(_)), "{}", std::any::type_name::<T>());
    }
    refused::<HashMap<String, u8>>();
    refused::<BTreeMap<String, u8>>();
    refused::<BTreeMap<u32, u8>>();
    refused::<BTreeMap<Colour, u8>>();
    refused::<HashMap<Colour, u8>>();
    refused::<Map<String, Value>>();
    refused::<Value>();
    refused::<()>();
    refused::<(u8,)>();
    refused::<(u8, String)>();
    refused::<[u8; 0]>();
    refused::<std::marker::PhantomData<u8>>();
    refused::<std::ops::Range<u8>>();
    refused::<std::ops::RangeInclusive<u8>>();
    refused::<Result<u8, String>>();
    refused::<std::time::SystemTime>();
    refused::<chrono::TimeDelta>();
    refused::<std::ffi::OsString>();
    // Those of other crates have none at all, and the compiler names the way out: `jiff::Zoned`, `semver::Version`,
    // `indexmap::IndexMap`, `bytes::Bytes` and a type of one's own are one case to it, `tests/ui/types/no_schema`.
    refused::<u128>();
    refused::<i128>();
}
