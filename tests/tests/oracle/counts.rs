//! What the checks count of a shape, against the text that is published of it.

use agent_core::__private::check;
use agent_core::schema::{Shape, profile, publish};
use serde_json::Value;

#[derive(Default)]
struct Count {
    properties: usize,
    values: usize,
    chars: usize,
    optionals: usize,
    unions: usize,
}

impl Count {
    fn schema(&mut self, schema: &Value) {
        if let Some(properties) = schema["properties"].as_object() {
            self.properties += properties.len();
            self.optionals += properties.len() - schema["required"].as_array().map_or(0, Vec::len);
            for (name, property) in properties {
                self.chars += name.chars().count();
                self.schema(property);
            }
        }
        for value in schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.values += 1;
            self.chars += value.chars().count();
        }
        if let Some(forms) = schema["anyOf"].as_array() {
            // A reference stands alone in an `anyOf` where something is said of it.
            let is_described = forms.len() == 1 && forms[0].get("$ref").is_some();
            self.unions += usize::from(!is_described);
            forms.iter().for_each(|form| self.schema(form));
        }
        self.unions += usize::from(schema["type"].is_array());
        if schema["items"].is_object() {
            self.schema(&schema["items"]);
        }
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            self.chars += name.chars().count();
            self.schema(definition);
        }
    }
}

pub(crate) fn check(shape: &'static Shape) {
    for profile in [&profile::OPENAI, &profile::ANTHROPIC, &profile::AZURE, &profile::PORTABLE] {
        let text = publish("", shape, profile).parameters;
        let mut count = Count::default();
        count.schema(&serde_json::from_str(&text).unwrap());
        let (optionals, unions) = check::counted(shape, profile);
        assert_eq!((optionals, unions), (count.optionals, count.unions), "{}: {text}", profile.name);
        if profile.name == "OpenAI" {
            let expected = (count.properties, count.values, count.chars);
            assert_eq!(check::totals(shape, profile), expected, "{text}");
        }
    }
}
