//! The validator against the `jsonschema` crate and against serde, on shapes and values of every kind.
//!
//! Both are made from a string of bytes, so that a failing case shrinks to a small one. Outside the
//! comparison, since JSON Schema cannot say them: empty arguments, doubled keys, leaves with a grammar
//! of their own, aliases (which the spellings have), decimals of more than 15 digits, whole floats beyond 2^53 for
//! integers. Items of a set are compared with their defaults filled in, where JSON Schema compares what is written.
//!
//! A long run: `ORACLE_CASES=1000000 cargo test --release -p agent-tests --test oracle`.
// Helpers of tests; clippy knows only the test functions themselves as such.
#![allow(missing_docs, clippy::unwrap_used)]

mod bytes;
mod counts;
mod foreign;
mod formats;
mod shapes;
mod spellings;
mod typed;
mod values;

use agent_core::arguments::{Arguments, Invalid, Validator};
use agent_core::schema::{Profile, Shape, full_text, profile, publish};
use proptest::prelude::*;
use serde_json::Value;

use bytes::Bytes;

/// Values for each shape.
const VALUES: u32 = 4;

/// Shapes and values for each test: 20,000 of them, or `ORACLE_CASES`, which a long run sets to a million and more.
fn cases(values_each: u32) -> u32 {
    let asked = std::env::var("ORACLE_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(20_000_u32).div_ceil(values_each)
}

fn schema(text: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(text).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Whether all that the validator found is that items of a set are the same once their defaults are filled in, and they
/// are.
fn repeats_by_default(
    read: &Result<Arguments<'_>, Invalid>,
    oracle: &jsonschema::Validator,
    value: &Value,
    shape: &'static Shape,
) -> bool {
    let Err(Invalid::Problems(problems)) = read else { return false };
    problems.iter().all(|problem| problem.rule == "uniqueItems") && !oracle.is_valid(&values::filled(value, shape))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(VALUES),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_validator_agrees_with_an_implementation_of_json_schema(
        shape in prop::collection::vec(any::<u8>(), 0..120),
        data in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let shape = shapes::arguments(&mut Bytes::new(&shape));
        let validator = Validator::new(shape).unwrap();
        let full = full_text(shape);
        let oracle = schema(&full);
        let published = [&profile::OPENAI, &profile::ANTHROPIC, &profile::AZURE, &profile::GEMINI, &profile::PORTABLE]
            .map(|profile: &Profile| (profile, schema(&publish("", shape, profile).parameters)));
        let mut data = Bytes::new(&data);
        for _ in 0..VALUES {
            let value = values::value(&mut data, shape);
            let text = value.to_string();
            let read = validator.read(&text);
            let by_oracle = oracle.is_valid(&value);
            prop_assert!(
                read.is_ok() == by_oracle || (by_oracle && repeats_by_default(&read, &oracle, &value, shape)),
                "{}\n{}\n{:?}\n{:?}", full, text, read, oracle.iter_errors(&value).next()
            );
            let Ok(read) = read else { continue };
            for (profile, schema) in &published {
                let as_sent = values::as_sent(&value, shape, profile);
                if let Some(error) = schema.iter_errors(&as_sent).next() {
                    prop_assert!(false, "{}: {}\n{}\n{}", profile.name, error, as_sent, publish("", shape, profile).parameters);
                }
                // What a provider sends in its own form is the same call.
                let as_sent = as_sent.to_string();
                prop_assert_eq!(validator.read(&as_sent).unwrap().digest(), read.digest());
            }
            // What is written back is the same call again.
            let again = read.to_json();
            prop_assert_eq!(validator.read(&again).unwrap().digest(), read.digest(), "{}", again);
        }
    }

    #[test]
    fn one_value_has_one_digest_however_it_is_written_and_two_values_have_two(
        shape in prop::collection::vec(any::<u8>(), 0..120),
        data in prop::collection::vec(any::<u8>(), 0..1200),
    ) {
        spellings::check(&mut Bytes::new(&data), shapes::arguments(&mut Bytes::new(&shape)));
        spellings::check(&mut Bytes::new(&data), typed::order());
    }

    #[test]
    fn what_providers_count_is_counted_as_it_is_published(shape in prop::collection::vec(any::<u8>(), 0..200)) {
        counts::check(shapes::arguments(&mut Bytes::new(&shape)));
    }

    #[test]
    fn what_the_validator_takes_its_type_takes(data in prop::collection::vec(any::<u8>(), 0..600)) {
        typed::check(&mut Bytes::new(&data));
    }

    #[test]
    fn a_foreign_type_is_held_to_the_schema_that_it_gives(data in prop::collection::vec(any::<u8>(), 0..600)) {
        foreign::check(&mut Bytes::new(&data));
    }

    #[test]
    fn formats_mean_what_they_mean_elsewhere(data in prop::collection::vec(any::<u8>(), 0..16)) {
        formats::check(&mut Bytes::new(&data));
    }

    #[test]
    fn no_text_makes_the_validator_panic(text in r#"[{}\[\]",:\\ a-c0-9.eE+-]{0,60}"#) {
        let _ = typed::validator().read(&text).map(|read| (read.digest(), read.to_json()));
    }
}

#[test]
fn items_that_are_the_same_by_their_defaults_are_a_repetition_in_a_set() {
    use agent_core::schema::{Array, DefaultValue, Kind, Link, ToolSchema};
    let link = |kind| Link::to(Box::leak(Box::new(Shape::new(kind))));
    let default = Some(DefaultValue::Natural("0"));
    let count = agent_core::schema::Field { default, ..shapes::plain("count", u8::SHAPE) };
    let fields = vec![shapes::plain("sku", String::SHAPE), count].leak();
    let object = agent_core::schema::Object { id: 1, name: "Item", doc: "", fields, generic: false };
    let items = Array { item: link(Kind::Object(object)), min_items: None, max_items: None, unique: true };
    let fields = vec![shapes::plain("items", link(Kind::Array(items)))].leak();
    let root = agent_core::schema::Object { id: 2, name: "Arguments", doc: "", fields, generic: false };
    let shape = link(Kind::Object(root)).get();
    let validator = Validator::new(shape).unwrap();
    let text = r#"{"items":[{"sku":"a","count":0},{"sku":"a"}]}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    let (oracle, read) = (schema(&full_text(shape)), validator.read(text));
    assert!(oracle.is_valid(&value) && repeats_by_default(&read, &oracle, &value, shape), "{read:?}");
    assert!(validator.read(r#"{"items":[{"sku":"a","count":1},{"sku":"a"}]}"#).is_ok());
}
