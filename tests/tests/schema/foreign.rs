//! Types that give their schema at run time: `#[arg(schemars)]`.
//!
//! `Imported` is written as the macro writes a tool, with `Described` for the shapes of its foreign parameters.

use std::sync::Arc;

use agent_core::__private::{
    Arguments, Callable, Described, Effect, Field, Kind, Link, Object, Outcome, Prepared, Problem, Rules, Shape, Tool,
    ToolSpec,
};
use agent_core::arguments::{Invalid, Validator};
use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::schema::{full_text, to_schemars};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolSchema, profile, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// # A way to go
///
/// How it is sent.
#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Way {
    /// By road.
    Road {
        /// How many.
        #[schemars(range(min = 1))]
        wheels: u8,
    },
    Sea,
    Air(Flight),
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Flight {
    /// Its number.
    #[schemars(length(max = 6), regex(pattern = "^[A-Z]{2}[0-9]+$"))]
    number: String,
    #[serde(default)]
    night: bool,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
enum Load {
    Nothing,
    Weight(f64),
    Boxes { count: std::num::NonZeroI16, of: Option<String> },
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
enum Colour {
    /// As blood.
    Red,
    Green,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Parcel {
    way: Way,
    load: Load,
    colour: Option<Colour>,
    #[schemars(length(min = 1), inner(length(max = 3)))]
    notes: Vec<Note>,
    when: Option<std::collections::BTreeSet<u32>>,
    #[serde(flatten)]
    place: Place,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Note {
    text: String,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Place {
    city: String,
}

fn field(name: &'static str, shape: Link) -> Field {
    Field {
        name,
        aliases: &[],
        doc: "A value.",
        shape,
        rules: Rules::NONE,
        default: None,
        example: None,
        identity: false,
        flatten: false,
    }
}

/// The arguments `{"v": T}`. Leaked: a shape is a constant of a program.
fn arguments<T: JsonSchema>() -> &'static Shape {
    let fields = vec![field("v", T::DEFERRED)].leak();
    Box::leak(Box::new(Shape::new(Kind::Object(Object { id: 1, name: "Args", doc: "", fields, generic: false }))))
}

fn said<T: JsonSchema>() -> String {
    Validator::new(arguments::<T>()).unwrap_err().to_string()
}

#[test]
fn a_foreign_type_is_read_as_serde_reads_it() {
    let validator = Validator::new(arguments::<Parcel>()).unwrap();
    let parcels = [
        json!({"way": {"kind": "road", "wheels": 4}, "load": "Nothing", "colour": null, "notes": [{"text": "a"}], "when": [1, 2], "city": "Oslo"}),
        json!({"way": {"kind": "sea"}, "load": {"Weight": 2.5}, "colour": "Red", "notes": [{"text": "a"}], "city": "Oslo"}),
        json!({"way": {"kind": "air", "number": "AB12"}, "load": {"Boxes": {"count": -2}}, "notes": [{"text": "a"}], "city": "Oslo"}),
    ];
    for parcel in parcels {
        let text = json!({"v": parcel}).to_string();
        let read = validator.read(&text).unwrap_or_else(|invalid| panic!("{text}: {invalid:?}"));
        let by_serde: Parcel = serde_json::from_value(parcel).unwrap();
        assert_eq!(read.field::<Parcel>(0).unwrap(), by_serde);
    }
}

#[test]
fn every_constraint_of_the_foreign_schema_holds() {
    let validator = Validator::new(arguments::<Parcel>()).unwrap();
    let good = json!({"way": {"kind": "sea"}, "load": "Nothing", "notes": [{"text": "a"}], "city": "Oslo"});
    let cases = [
        ("/way", json!({"kind": "road", "wheels": 0}), "/v/way/wheels", "minimum"),
        ("/way", json!({"kind": "road", "wheels": 256}), "/v/way/wheels", "maximum"),
        ("/way", json!({"kind": "air", "number": "ab"}), "/v/way/number", "pattern"),
        ("/way", json!({"kind": "air", "number": "AB123456"}), "/v/way/number", "maxLength"),
        ("/way", json!({"kind": "sea", "wheels": 2}), "/v/way/wheels", "additionalProperties"),
        ("/way", json!({"kind": "foot"}), "/v/way/kind", "enum"),
        ("/load", json!({"Boxes": {"count": 0}}), "/v/load/Boxes/count", "not"),
        ("/notes", json!([]), "/v/notes", "minItems"),
        ("/city", json!(3), "/v/city", "type"),
    ];
    for (pointer, value, at, rule) in cases {
        let mut parcel = good.clone();
        *parcel.pointer_mut(pointer).unwrap() = value.clone();
        let text = json!({"v": parcel}).to_string();
        match validator.read(&text) {
            Err(Invalid::Problems(problems)) => {
                assert_eq!((problems[0].pointer.as_str(), problems[0].rule.as_str()), (at, rule), "{value}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(validator.read(&json!({"v": good}).to_string()).is_ok());
}

#[test]
fn a_foreign_type_is_published_as_a_strict_provider_takes_it() {
    let schema: Value =
        serde_json::from_str(&agent_core::schema::publish("", arguments::<Parcel>(), &profile::OPENAI).parameters)
            .unwrap();
    let parcel = &schema["properties"]["v"];
    assert_eq!(parcel["additionalProperties"], false);
    assert_eq!(parcel["required"].as_array().unwrap().len(), 6);
    assert_eq!(parcel["properties"]["way"]["anyOf"].as_array().unwrap().len(), 3);
    let way = parcel["properties"]["way"]["description"].as_str().unwrap();
    assert!(way.contains("A way to go") && way.contains("How it is sent."), "{way}");
    let colour = &parcel["properties"]["colour"];
    // schemars writes undocumented variants first.
    assert_eq!(colour["enum"], json!(["Green", "Red", null]), "{colour}");
}

#[test]
fn bounds_of_integers_hold_in_lists_and_beside_those_of_a_field() {
    let validator = Validator::new(arguments::<Vec<std::num::NonZeroU8>>()).unwrap();
    assert!(validator.read(r#"{"v":[1,255]}"#).is_ok());
    assert!(validator.read(r#"{"v":[0]}"#).is_err() && validator.read(r#"{"v":[256]}"#).is_err());
    let most = agent_core::schema::Bound { text: "10", whole: Some(10), float: 10.0 };
    let rules = Rules { maximum: Some(most), ..Rules::NONE };
    let fields = vec![Field { rules, ..field("v", <std::num::NonZeroU8 as Described>::DEFERRED) }].leak();
    let object = Object { id: 2, name: "Args", doc: "", fields, generic: false };
    let validator = Validator::new(Box::leak(Box::new(Shape::new(Kind::Object(object))))).unwrap();
    assert!(validator.read(r#"{"v":10}"#).is_ok());
    assert!(validator.read(r#"{"v":11}"#).is_err() && validator.read(r#"{"v":0}"#).is_err());
}

#[test]
fn what_no_shape_can_say_is_told_with_its_path() {
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Tree {
        kids: Vec<Tree>,
    }
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Holder<T> {
        lines: Vec<Line<T>>,
    }
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Line<T> {
        tag: T,
    }
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Untagged {
        A(u8),
        B(String),
    }
    let map = said::<Holder<std::collections::HashMap<String, u8>>>();
    assert_eq!(
        map,
        "`Args.v.lines[].tag`: it has open keys; use `Vec<Entry>`, or `strict = false` and the feature `jsonschema`"
    );
    assert_eq!(said::<Holder<Value>>(), "`Args.v.lines[].tag`: its schema takes any value");
    assert!(said::<Holder<(u8, u8)>>().starts_with("`Args.v.lines[].tag`: no shape can say `prefixItems`"));
    assert!(said::<Holder<Tree>>().contains("a type that contains itself is not read"), "{}", said::<Holder<Tree>>());
    assert!(said::<Tree>().contains("a type that contains itself is not read"), "{}", said::<Tree>());
    assert!(said::<Holder<()>>().contains("nothing to fill in"), "{}", said::<Holder<()>>());
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Named {
        #[schemars(regex(pattern = "^a"))]
        name: String,
    }
    fn both() -> String {
        let rules = Rules { pattern: Some("^b"), ..Rules::NONE };
        let schema: Link = Link::to(Box::leak(Box::new(Shape::new(Kind::Foreign(agent_core::schema::Foreign {
            name: "foreign",
            schema: || schemars::schema_for!(Named).pointer("/properties/name").cloned().unwrap(),
        })))));
        let fields = vec![Field { rules, ..field("v", schema) }].leak();
        let object = Object { id: 2, name: "Args", doc: "", fields, generic: false };
        Validator::new(Box::leak(Box::new(Shape::new(Kind::Object(object))))).unwrap_err().to_string()
    }
    assert_eq!(both(), "`Args.v`: the type has a `pattern` of its own; leave it out of the attribute");
    assert!(said::<Holder<u128>>().contains("JSON numbers cannot hold its format"), "{}", said::<Holder<u128>>());
    assert!(said::<Untagged>().contains("told apart neither by a tag nor by one key"), "{}", said::<Untagged>());
}

/// Any JSON, and a map: what needs `strict = false`.
#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Open {
    extra: std::collections::BTreeMap<String, u8>,
}

struct State;

macro_rules! by_hand {
    ($name:ident, $ty:ty, $strict:literal) => {
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        struct $name {}

        const _: () = {
            static SHAPE: Shape = Shape::new(Kind::Object(Object {
                id: 9,
                name: stringify!($name),
                doc: "",
                fields: &[Field {
                    name: "v",
                    aliases: &[],
                    doc: "A value.",
                    shape: <$ty as Described>::DEFERRED,
                    rules: Rules::NONE,
                    default: None,
                    example: None,
                    identity: false,
                    flatten: false,
                }],
                generic: false,
            }));
            static SPEC: ToolSpec = ToolSpec {
                name: stringify!($name),
                description: "Takes what is foreign.",
                arguments: Link::to(&SHAPE),
                effect: Effect::Read,
                permission: None,
                timeout: None,
                approval: false,
                max_calls: None,
                retries: 0,
                strict: $strict,
                profiles: &[&profile::OPENAI],
            };
            impl Tool for $name {
                const SPEC: &'static ToolSpec = &SPEC;
            }
            impl Callable<State> for $name {
                fn prepare(arguments: &Arguments<'_>) -> Result<Prepared<State>, Problem> {
                    let value = arguments.field::<$ty>(0)?;
                    Ok(Box::new(move |_: Arc<State>, _| {
                        Box::pin(async move {
                            let shown = format!("{value:?}");
                            Outcome::Value(serde_json::value::to_raw_value(&shown).unwrap())
                        })
                    }))
                }
            }
        };
    };
}

by_hand!(imported, Parcel, true);
by_hand!(open, Open, false);
by_hand!(open_and_strict, Open, true);

async fn call(agent: &Agent<State>, tool: &str, arguments: &str) -> Value {
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    serde_json::to_value(agent.toolbox().dispatch(&ToolCall::new("c", tool, arguments), &at).await).unwrap()
}

#[tokio::test]
async fn a_tool_with_a_foreign_parameter_is_built_and_called() {
    let agent = Agent::builder(ScriptedModel::new([])).state(State).tools(tools![imported]).build().unwrap();
    let parcel = r#"{"v":{"way":{"kind":"sea"},"load":"Nothing","notes":[{"text":"a"}],"city":"Oslo"}}"#;
    let result = call(&agent, "imported", parcel).await;
    assert!(result["data"].as_str().unwrap().contains("city: \"Oslo\""), "{result}");
    // Built once more: the same shape, which is kept.
    Agent::builder(ScriptedModel::new([])).state(State).tools(tools![imported]).build().unwrap();
}

#[tokio::test]
async fn what_no_shape_can_say_is_held_to_its_own_schema_in_a_tool_that_is_not_strict() {
    let agent = Agent::builder(ScriptedModel::new([])).state(State).tools(tools![open]).build().unwrap();
    let published = agent.toolbox().definitions()[0].published(&profile::OPENAI).unwrap();
    let schema: Value = serde_json::from_str(&published.parameters).unwrap();
    assert_eq!(schema["properties"]["v"]["properties"]["extra"]["additionalProperties"]["maximum"], 255);
    assert_eq!(schema["properties"]["v"]["description"], "A value.");
    let result = call(&agent, "open", r#"{"v":{"extra":{"b":1,"a":2}}}"#).await;
    assert_eq!(result["data"], r#"Open { extra: {"a": 2, "b": 1} }"#);
    let wrong = call(&agent, "open", r#"{"v":{"extra":{"a":300}}}"#).await;
    let problem = &wrong["error"]["details"]["problems"][0];
    assert_eq!((&problem["pointer"], &problem["rule"]), (&json!("/v/extra/a"), &json!("maximum")), "{wrong}");
    let doubled = call(&agent, "open", r#"{"v":{"extra":{"a":1,"a":2}}}"#).await;
    assert_eq!(doubled["error"]["details"]["problems"][0]["rule"], "doubled");
}

#[test]
fn a_strict_tool_with_what_no_shape_can_say_is_not_built() {
    let built = Agent::builder(ScriptedModel::new([])).state(State).tools(tools![open_and_strict]).build();
    let error = built.map(drop).unwrap_err();
    assert!(error.to_string().contains("open_and_strict"), "{error}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("`open_and_strict.v.extra`: it has open keys"), "{source}");
}

#[test]
fn our_types_give_their_schema_back() {
    #[derive(Deserialize, ToolSchema)]
    #[allow(dead_code)]
    struct Order {
        /// The lines.
        #[arg(max_items = 3)]
        lines: Vec<String>,
        /// A note.
        note: Option<String>,
    }
    let schema = to_schemars::<Order>();
    let text: Value = serde_json::from_str(&full_text(Order::SHAPE.get())).unwrap();
    assert_eq!(schema.as_value(), &text);
    // And schemars' own types may hold it.
    assert_eq!(to_schemars::<Vec<Order>>().pointer("/items/properties/lines/maxItems"), Some(&json!(3)));
    assert_eq!(to_schemars::<str>().as_value(), &json!({"type": "string"}));
}

/// Sends by a way that another crate describes.
#[agent_core::tool]
async fn by_way(
    /// The way.
    #[arg(schemars)]
    way: Way,
    /// What.
    note: String,
) -> String {
    format!("{way:?} {note}")
}

#[tokio::test]
async fn the_word_schemars_takes_a_type_by_the_schema_that_it_gives() {
    let agent = Agent::builder(ScriptedModel::new([])).state(State).tools(tools![by_way]).build().unwrap();
    let result = call(&agent, "by_way", r#"{"way":{"kind":"road","wheels":4},"note":"x"}"#).await;
    assert_eq!(result["data"], "Road { wheels: 4 } x");
    let wrong = call(&agent, "by_way", r#"{"way":{"kind":"road","wheels":0},"note":"x"}"#).await;
    assert_eq!(wrong["error"]["details"]["problems"][0]["pointer"], "/way/wheels", "{wrong}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Dated {
    #[schemars(regex(pattern = r"^\d{2}$"))]
    day: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Looking {
    #[schemars(regex(pattern = r"^(?=x)x$"))]
    sign: String,
}

/// Takes a date.
#[agent_core::tool]
async fn dated(
    /// It.
    #[arg(schemars)]
    at: Dated,
) -> String {
    at.day
}

/// Takes what looks around.
#[agent_core::tool]
async fn looking(
    /// It.
    #[arg(schemars)]
    at: Looking,
) -> String {
    at.sign
}

#[tokio::test]
async fn a_pattern_of_a_foreign_type_means_what_is_published_of_it_or_is_refused() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![dated]).build().unwrap();
    let schema: Value = serde_json::from_str(&agent.toolbox().full_schema("dated").unwrap()).unwrap();
    assert_eq!(schema["properties"]["at"]["properties"]["day"]["pattern"], "^[0-9]{2}$", "{schema}");
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    for (day, taken) in [("12", true), ("\u{0661}\u{0662}", false)] {
        let call = ToolCall::new("c", "dated", json!({ "at": { "day": day } }).to_string());
        let result = serde_json::to_value(agent.toolbox().dispatch(&call, &at).await).unwrap();
        assert_eq!(result["status"] == "success", taken, "{day}: {result}");
    }

    let error = format!("{:?}", Agent::builder(ScriptedModel::new([])).tools(tools![looking]).build().unwrap_err());
    assert!(error.contains("`pattern` of its schema, `^(?=x)x$`: no look-around"), "{error}");
}
