//! Fields that are left to serde's default.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_core::ToolSchema;
use agent_core::arguments::Validator;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Default, PartialEq, Deserialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Fast,
    #[default]
    AsUsual,
}

/// Its default is not that of what it holds.
#[derive(Debug, PartialEq, Deserialize, ToolSchema)]
struct Flag(bool);

impl Default for Flag {
    fn default() -> Self {
        Self(true)
    }
}

#[derive(Debug, PartialEq, Deserialize, ToolSchema)]
struct Order {
    /// How it is sent.
    how: How,
}

#[derive(Debug, PartialEq, Deserialize, ToolSchema)]
struct How {
    /// How soon.
    #[serde(default)]
    speed: Speed,
    /// With a note?
    #[serde(default)]
    noted: bool,
    /// How heavy.
    #[serde(default)]
    weight: f32,
    /// What it costs.
    #[serde(default)]
    fee: Decimal,
    /// What is in it.
    #[serde(default)]
    items: Vec<Flag>,
    /// To whom.
    #[serde(default)]
    name: String,
    /// How many; none is zero.
    #[serde(default)]
    #[arg(minimum = 1)]
    count: u8,
    /// Whether it is insured.
    #[serde(default)]
    insured: Flag,
}

#[test]
fn a_field_that_is_left_out_and_its_default_written_out_are_one_call() {
    let validator = Validator::new(Order::SHAPE.get()).unwrap();
    let digest = |fields: &str| validator.read(&format!(r#"{{"how":{{{fields}}}}}"#)).unwrap().digest();
    let absent = digest("");
    for fields in [
        r#""speed":"as_usual""#,
        r#""noted":false"#,
        r#""weight":0.0"#,
        r#""fee":0"#,
        r#""items":[]"#,
        r#""name":"""#,
        r#""insured":null,"noted":null"#,
        r#""items":[],"noted":false,"fee":0.00,"speed":"as_usual""#,
    ] {
        assert_eq!(digest(fields), absent, "{fields}");
    }
    for fields in [
        r#""speed":"fast""#,
        r#""noted":true"#,
        r#""weight":1"#,
        r#""fee":0.01"#,
        r#""items":[true]"#,
        r#""name":" ""#,
        r#""count":1"#,
        r#""insured":false"#,
    ] {
        assert_ne!(digest(fields), absent, "{fields}");
    }
}

#[test]
fn what_is_filled_in_for_serde_is_what_serde_fills_in() {
    let validator = Validator::new(Order::SHAPE.get()).unwrap();
    let text = r#"{"how":{}}"#;
    let read = validator.read(text).unwrap().whole::<Order>().unwrap();
    assert_eq!(read, serde_json::from_str(text).unwrap());
    assert_eq!((read.how.count, read.how.insured), (0, Flag(true)));
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Page<T> {
    /// How many.
    #[arg(default = 300)]
    size: T,
    /// Those left out.
    #[serde(default)]
    without: Vec<T>,
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Shown<T> {
    /// What it is.
    #[arg(example = "x")]
    item: T,
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Places {
    /// From where.
    #[arg(default = "nowhere")]
    from: std::net::IpAddr,
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Letter {
    /// To whom.
    #[arg(format = "email", example = "ada at example.org")]
    to: String,
}

#[test]
fn a_default_or_example_that_only_running_can_refuse_is_refused_with_its_place() {
    let said = |shape: agent_core::schema::Link| Validator::new(shape.get()).err().map(|error| error.to_string());
    assert_eq!(said(Page::<u16>::SHAPE), None);
    assert_eq!(said(Page::<u8>::SHAPE).unwrap(), "`Page.size`: the default 300 is not at most 255");
    assert_eq!(said(Shown::<String>::SHAPE), None);
    assert_eq!(said(Shown::<bool>::SHAPE).unwrap(), "`Shown.item`: the example \"x\" is not a boolean");
    assert_eq!(said(Places::SHAPE).unwrap(), "`Places.from`: the default \"nowhere\" is not an IPv4 or IPv6 address");
    assert_eq!(said(Letter::SHAPE).unwrap(), "`Letter.to`: the example \"ada at example.org\" is not an email address");
}

#[doc = concat!("\n", "  Who it is.", "\n\n")]
#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Included {
    #[doc = concat!(" Its name. ", "\n")]
    name: String,
}

#[test]
fn documentation_that_is_included_is_published_without_the_blanks_around_it() {
    let agent_core::schema::Kind::Object(object) = &Included::SHAPE.get().kind else { panic!() };
    assert_eq!((object.doc, object.fields[0].doc), ("Who it is.", "Its name."));
}

#[test]
fn the_default_of_a_generic_field_is_known_where_its_type_says_it() {
    use agent_core::schema::{DefaultValue, Kind};
    let Kind::Object(object) = &Page::<u16>::SHAPE.get().kind else { panic!() };
    assert!(matches!(object.fields[1].default, Some(DefaultValue::Natural("[]"))));
}

#[test]
fn the_known_default_of_each_type_is_its_default() {
    fn check<T: ToolSchema + Default + PartialEq + std::fmt::Debug + DeserializeOwned>() {
        let text = T::DEFAULT.unwrap();
        assert_eq!(serde_json::from_str::<T>(text).unwrap(), T::default(), "{text}");
    }
    check::<bool>();
    check::<u8>();
    check::<i64>();
    check::<usize>();
    check::<f32>();
    check::<f64>();
    check::<char>();
    check::<String>();
    check::<Cow<'static, str>>();
    check::<Box<str>>();
    check::<Arc<str>>();
    check::<PathBuf>();
    check::<Decimal>();
    check::<Option<Flag>>();
    check::<Vec<Flag>>();
    check::<Box<[u8]>>();
    check::<VecDeque<u8>>();
    check::<HashSet<u8>>();
    check::<BTreeSet<u8>>();
    check::<Box<bool>>();
    check::<Speed>();
    // Read from seconds, which is not how serde reads it by itself.
    assert_eq!((Duration::DEFAULT, Duration::default().as_secs()), (Some("0"), 0));
    assert_eq!((Flag::DEFAULT, How::DEFAULT), (None, None));
}
