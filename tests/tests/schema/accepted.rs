//! What `build()` refuses for the provider of the model.

use agent_core::__private::check;
use agent_core::schema::{Enum, EnumValue, Field, Kind, Link, Object, Rules, Shape};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, BuildError, DynamicTool, Tool, ToolSchema, profile, tool, tools};

macro_rules! tools_named {
    ($ty:ty: $($name:ident)*) => {
        $(
            /// One of many.
            #[tool]
            pub(crate) async fn $name(
                /// Something.
                value: $ty,
            ) -> bool {
                let _ = value;
                true
            }
        )*
    };
}

mod plain {
    use super::*;
    tools_named!(u8: a b c d e f g h i j k l m n o p q r s t u);
}

mod optional {
    use super::*;

    #[derive(serde::Deserialize, ToolSchema)]
    #[allow(dead_code)]
    pub(crate) struct Five {
        /// An optional value.
        pub(crate) a: Option<u8>,
        /// An optional value.
        pub(crate) b: Option<u8>,
        /// An optional value.
        pub(crate) c: Option<String>,
        /// An optional value.
        #[serde(default)]
        pub(crate) d: bool,
        /// An optional value.
        pub(crate) e: Option<u8>,
    }
    tools_named!(Five: a b c d e);
}

mod unions {
    use super::*;

    #[derive(serde::Deserialize, ToolSchema)]
    #[allow(dead_code)]
    pub(crate) enum Either {
        /// A number.
        Left(u8),
        /// Text.
        Right(String),
    }

    #[derive(serde::Deserialize, ToolSchema)]
    #[allow(dead_code)]
    pub(crate) struct Six {
        /// A union.
        pub(crate) a: Either,
        /// A union.
        pub(crate) b: Either,
        /// A union.
        pub(crate) c: Either,
        /// A union.
        pub(crate) d: Option<Either>,
        /// A union.
        pub(crate) e: Vec<Either>,
        /// A union.
        pub(crate) f: Vec<Option<u8>>,
    }
    tools_named!(Six: a b c);
}

fn refused(error: Result<Agent, BuildError>) -> String {
    match error {
        Err(BuildError::Refused { what, .. }) => what,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

fn anthropic() -> ScriptedModel {
    ScriptedModel::new([]).profile(&profile::ANTHROPIC)
}

#[test]
fn a_request_has_as_many_strict_tools_as_its_provider_takes() {
    use plain::*;
    let all = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u];
    Agent::builder(ScriptedModel::new([])).tools(all).build().unwrap();
    let what = refused(Agent::builder(anthropic()).tools(all).build());
    assert_eq!(
        what,
        "a request with these tools has 21 strict tools, and Anthropic takes 20; \
         give the agent fewer tools, or take `strict = false` for some"
    );
    let twenty = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t];
    Agent::builder(anthropic()).tools(twenty).build().unwrap();
}

#[test]
fn optional_parameters_count_over_all_strict_tools() {
    use optional::*;
    Agent::builder(anthropic()).tools(tools![a, b, c, d]).build().unwrap();
    let what = refused(Agent::builder(anthropic()).tools(tools![a, b, c, d, e]).build());
    assert!(what.contains("has 25 optional parameters over all strict tools, and Anthropic takes 24"), "{what}");
}

#[test]
fn parameters_of_several_types_count_over_all_strict_tools() {
    use unions::*;
    Agent::builder(anthropic()).tools(tools![a, b]).build().unwrap();
    let what = refused(Agent::builder(anthropic()).tools(tools![a, b, c]).build());
    assert!(
        what.contains("has 18 parameters of several types over all strict tools, and Anthropic takes 16"),
        "{what}"
    );
}

#[test]
fn a_list_is_checked_as_a_constant_too() {
    use optional::*;
    const ALL: &[&agent_core::ToolSpec] = &[a::SPEC, b::SPEC, c::SPEC, d::SPEC, e::SPEC];
    const REPORT: check::Report = check::sums(ALL, &profile::ANTHROPIC);
    assert!(REPORT.text().contains("has 25 optional parameters"), "{REPORT:?}");
    const FINE: check::Report = check::sums(ALL, &profile::OPENAI);
    assert!(!FINE.failed());
    // The tools name OpenAI only, which has no such limit.
    const LAST: check::Report = check::list(ALL, 4, false);
    assert!(!LAST.failed());
}

/// Loose.
#[tool(strict = false)]
async fn loose(
    /// Something.
    #[arg(rename = "a b")]
    value: u8,
) -> bool {
    let _ = value;
    true
}

#[test]
fn names_of_properties_count_in_tools_that_are_not_strict_too() {
    Agent::builder(ScriptedModel::new([])).tools(tools![loose]).build().unwrap();
    let what = refused(Agent::builder(anthropic()).tools(tools![loose]).build());
    assert!(what.contains("parameter `a b` has a name that Anthropic refuses"), "{what}");
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Tree {
    /// Below it.
    kids: Vec<Tree>,
}

/// Grows.
#[tool]
async fn grow(
    /// What grows.
    tree: Tree,
) -> bool {
    tree.kids.is_empty()
}

#[derive(serde::Deserialize, ToolSchema)]
struct In<T> {
    /// Further in.
    t: T,
}

/// Five levels of objects with the arguments, and six.
#[tool]
async fn five(
    /// A value.
    v: In<In<In<In<u8>>>>,
) -> u8 {
    v.t.t.t.t
}

type Five = In<In<In<In<u8>>>>;

/// Six.
#[tool]
async fn six(
    /// A value.
    v: In<Five>,
) -> u8 {
    v.t.t.t.t.t
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Ten {
    /// One of ten.
    a: u8,
    /// One of ten.
    b: u8,
    /// One of ten.
    c: u8,
    /// One of ten.
    d: u8,
    /// One of ten.
    e: u8,
    /// One of ten.
    f: u8,
    /// One of ten.
    g: u8,
    /// One of ten.
    h: u8,
    /// One of ten.
    i: u8,
    /// One of ten.
    j: u8,
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Fifty {
    /// Ten.
    a: Ten,
    /// Ten.
    b: Ten,
    /// Ten.
    c: Ten,
    /// Ten.
    d: Ten,
    /// Ten.
    e: Ten,
}

/// Takes 112 properties.
#[tool]
async fn wide(
    /// Fifty-five.
    left: Fifty,
    /// Fifty-five.
    right: Fifty,
) -> bool {
    let _ = (left, right);
    true
}

/// Looks.
#[tool(name = "2nd")]
async fn second() -> bool {
    true
}

#[test]
fn what_a_tool_was_not_checked_for_while_compiling_is_refused_when_the_agent_is_built() {
    let model = |profile| Agent::builder(ScriptedModel::new([]).profile(profile));
    model(&profile::OPENAI).tools(tools![grow, five, six, wide, second]).build().unwrap();
    let cases = [
        (
            refused(model(&profile::ANTHROPIC).tools(tools![grow]).build()),
            "`grow.tree.kids[]` is a type that contains itself, which Anthropic refuses; unroll it",
        ),
        (
            refused(model(&profile::GEMINI).tools(tools![second]).build()),
            "tool name `2nd` begins with a sign that Gemini refuses; begin it with a letter or `_`",
        ),
        (
            refused(model(&profile::AZURE).tools(tools![six]).build()),
            "`six.v.t.t.t.t` nests objects more than 5 deep, which Azure OpenAI refuses; flatten the arguments",
        ),
        (
            refused(model(&profile::AZURE).tools(tools![wide]).build()),
            "`wide`: the arguments together have more than 100 properties, which Azure OpenAI refuses; split the tool",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.starts_with(expected), "{said}");
    }
    model(&profile::AZURE).tools(tools![five]).build().unwrap();
}

#[test]
fn lists_that_are_given_one_after_the_other_are_one_request() {
    use optional::*;
    Agent::builder(anthropic()).tools(tools![a, b]).tools(tools![c, d]).build().unwrap();
    let what = refused(Agent::builder(anthropic()).tools(tools![a, b]).tools(tools![c, d, e]).build());
    assert!(what.contains("has 25 optional parameters over all strict tools, and Anthropic takes 24"), "{what}");
}

#[tokio::test]
async fn the_finish_tool_counts_to_what_a_request_takes() {
    use plain::*;
    #[derive(Debug, serde::Deserialize, ToolSchema)]
    #[allow(dead_code)]
    struct Verdict {
        /// Whether it holds.
        holds: bool,
    }
    let twenty = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t];
    let agent = Agent::builder(anthropic()).tools(twenty).build().unwrap();
    let error = agent.run("Go.").answer::<Verdict>().await.unwrap_err();
    let said = format!("{:?}", error.kind());
    assert!(
        said.contains("Anthropic would refuse the finish tool or what it adds: a request with these tools has 21 strict tools, and Anthropic takes 20"),
        "{said}"
    );
    let nineteen = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s];
    let agent = Agent::builder(anthropic()).tools(nineteen).build().unwrap();
    let said = format!("{:?}", agent.run("Go.").answer::<Verdict>().await.unwrap_err().kind());
    assert!(!said.contains("refuse"), "{said}");
}

/// `count` tools that are known only at run time.
fn dynamic(count: usize) -> Vec<DynamicTool> {
    let schema = serde_json::json!({"type": "object", "properties": {}});
    let tool = |n: usize| {
        let run = |_, _, _| async { Ok(true) };
        DynamicTool::new(format!("dynamic{n}"), "One of many.", schema.clone(), run).unwrap()
    };
    (0..count).map(tool).collect()
}

#[test]
fn a_request_has_as_many_tools_as_its_provider_takes_over_all_its_lists() {
    use plain::*;
    let typed = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t];
    for profile in [&profile::OPENAI, &profile::AZURE, &profile::PORTABLE] {
        let builder = || Agent::builder(ScriptedModel::new([]).profile(profile)).tools(typed);
        builder().tools(dynamic(108)).build().unwrap();
        let what = refused(builder().tools(dynamic(109)).build());
        let expected = format!(
            "a request with these tools has 129 tools, and {} takes 128; give the agent fewer tools",
            profile.name
        );
        assert_eq!(what, expected);
    }
    Agent::builder(anthropic()).tools(typed).tools(dynamic(300)).build().unwrap();
}

#[test]
fn each_sum_of_the_portable_profile_is_the_smallest_of_all() {
    let portable = || Agent::builder(ScriptedModel::new([]).profile(&profile::PORTABLE));
    {
        use plain::*;
        portable().tools(tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t]).build().unwrap();
        let all = tools![a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u];
        let what = refused(portable().tools(all).build());
        assert!(what.contains("has 21 strict tools, and at least one provider takes 20"), "{what}");
    }
    {
        // Each is a union with null, since not all let it be left out.
        use optional::*;
        portable().tools(tools![a, b, c]).build().unwrap();
        let what = refused(portable().tools(tools![a, b, c, d]).build());
        assert!(what.contains("has 20 parameters of several types over all strict tools"), "{what}");
    }
    {
        use unions::*;
        portable().tools(tools![a, b]).build().unwrap();
        let what = refused(portable().tools(tools![a, b, c]).build());
        assert!(what.contains("has 18 parameters of several types over all strict tools"), "{what}");
    }
}

/// One of `N` values of `LENGTH` characters each.
struct Words<const N: usize, const LENGTH: usize>;

impl<const N: usize, const LENGTH: usize> Words<N, LENGTH> {
    const TEXTS: &'static [[u8; LENGTH]; N] = &{
        let mut texts = [[b'x'; LENGTH]; N];
        let mut i = 0;
        while i < N {
            let digits = [b'0' + (i / 100) as u8, b'0' + (i / 10 % 10) as u8, b'0' + (i % 10) as u8];
            (texts[i][0], texts[i][1], texts[i][2]) = (digits[0], digits[1], digits[2]);
            i += 1;
        }
        texts
    };
    const VALUES: &'static [EnumValue; N] = &{
        let mut values = [EnumValue { name: "", aliases: &[], doc: "" }; N];
        let mut i = 0;
        while i < N {
            let Ok(name) = std::str::from_utf8(&Self::TEXTS[i]) else { panic!() };
            values[i].name = name;
            i += 1;
        }
        values
    };
}

impl<const N: usize, const LENGTH: usize> ToolSchema for Words<N, LENGTH> {
    const SHAPE: Link =
        Link::to(const { &Shape::new(Kind::Enum(Enum { name: "Words", doc: "", values: Self::VALUES })) });
}

impl<'de, const N: usize, const LENGTH: usize> serde::Deserialize<'de> for Words<N, LENGTH> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <String as serde::Deserialize>::deserialize(from).map(|_| Self)
    }
}

mod words {
    use super::*;

    macro_rules! tools_of {
        ($($name:ident: $ty:ty;)*) => {
            $(tools_named!($ty: $name);)*
        };
    }
    tools_of! {
        fits: Words<500, 4>;
        many: Words<501, 4>;
        // Up to 250 values their length does not count.
        wide: Words<250, 31>;
        long: Words<251, 30>;
        // With the name of the parameter, and with a little more than may be.
        large: Words<249, 60>;
        larger: Words<250, 60>;
    }
}

#[test]
fn each_limit_of_an_enum_of_azure_is_held_when_the_agent_is_built() {
    use words::*;
    for profile in [&profile::AZURE, &profile::PORTABLE] {
        let model = || Agent::builder(ScriptedModel::new([]).profile(profile));
        model().tools(tools![fits, wide, large]).build().unwrap();
        for (what, limit) in [
            (refused(model().tools(tools![many]).build()), "more than 500 enum values"),
            (refused(model().tools(tools![long]).build()), "7500 characters"),
            (refused(model().tools(tools![larger]).build()), "15000 characters"),
        ] {
            assert!(what.contains(limit) && what.contains(profile.name), "{what}");
        }
    }
    Agent::builder(ScriptedModel::new([])).tools(tools![fits, many, wide, long, large, larger]).build().unwrap();
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Chain {
    /// What comes after it.
    next: Option<Box<Chain>>,
}

/// Follows.
#[tool]
async fn follow(
    /// What to follow.
    chain: Chain,
) -> bool {
    chain.next.is_none()
}

#[test]
fn a_type_that_contains_itself_is_taken_by_gemini_in_an_optional_field_alone() {
    let model = |profile| Agent::builder(ScriptedModel::new([]).profile(profile));
    model(&profile::GEMINI).tools(tools![follow]).build().unwrap();
    let what = refused(model(&profile::GEMINI).tools(tools![grow]).build());
    let expected = "`grow.tree.kids[]` is a type that contains itself in a required field, which Gemini refuses; make that \
                    field an `Option`";
    assert_eq!(what, expected);
    for profile in [&profile::ANTHROPIC, &profile::PORTABLE] {
        let what = refused(model(profile).tools(tools![follow]).build());
        assert!(what.starts_with("`follow.chain.next` is a type that contains itself"), "{what}");
    }
}

#[test]
fn a_struct_that_flattens_itself_is_refused_and_not_walked_without_end() {
    static FIELDS: [Field; 1] = [Field {
        name: "inner",
        aliases: &[],
        doc: "",
        shape: agent_core::schema::Link::to(&SELF),
        rules: Rules::NONE,
        default: None,
        example: None,
        identity: false,
        flatten: true,
    }];
    static SELF: Shape =
        Shape::new(Kind::Object(Object { id: 77, name: "Ring", doc: "", fields: &FIELDS, generic: false }));
    let error = agent_core::arguments::Validator::new(&SELF).unwrap_err();
    assert!(error.to_string().contains("a struct cannot be flattened into itself"), "{error}");
}

/// A type of another crate, with a name that not every provider takes.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code)]
struct Theirs {
    /// By name.
    marks: std::collections::BTreeMap<String, Mark>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code)]
struct Mark {
    #[serde(rename = "the mark")]
    the_mark: String,
}

/// Loose, with a foreign type.
#[tool(strict = false)]
async fn marked(
    /// Something.
    #[arg(schemars)]
    value: Theirs,
) -> bool {
    let _ = value;
    true
}

#[test]
fn names_of_properties_count_in_a_schema_that_the_host_wrote() {
    let dynamic = |schema| {
        let run = |_, _, _| async { Ok(true) };
        agent_core::DynamicTool::new("theirs", "Theirs.", schema, run).unwrap()
    };
    let deep = serde_json::json!({
        "type": "object",
        "properties": { "list": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/item" }] } } },
        "$defs": { "item": { "type": "object", "properties": { "a b": {} } } },
    });
    let what = refused(Agent::builder(anthropic()).tools(dynamic(deep.clone())).build());
    assert!(what.contains("`theirs.list.a b`") || what.contains("`theirs.a b`"), "{what}");
    assert!(what.contains(" has a name that Anthropic refuses; rename it"), "{what}");
    let what = refused(Agent::builder(anthropic()).tools(tools![marked]).build());
    assert!(what.contains("the mark` has a name that Anthropic refuses"), "{what}");

    // OpenAI takes any name in a tool that is not strict, and a value is no schema.
    Agent::builder(ScriptedModel::new([])).tools(tools![marked]).tools(dynamic(deep)).build().unwrap();
    let values = serde_json::json!({
        "type": "object",
        "properties": { "properties": { "enum": [{ "properties": { "a b": 1 } }] } },
        "examples": [{ "properties": { "a b": {} } }],
    });
    Agent::builder(anthropic()).tools(dynamic(values)).build().unwrap();
}
