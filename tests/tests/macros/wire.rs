//! The names in a schema are those that serde reads, in each of its cases.

use agent_core::ToolSchema;
use agent_core::schema::Kind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

fn reads_its_own_names<T: ToolSchema + DeserializeOwned>() {
    match &T::SHAPE.get().kind {
        Kind::Object(object) => {
            let values: Map<String, Value> =
                object.fields.iter().map(|field| (field.name.to_owned(), Value::from(1))).collect();
            serde_json::from_value::<T>(Value::Object(values)).map(drop).expect("serde reads the name");
        }
        Kind::Enum(list) => {
            for value in list.values {
                serde_json::from_value::<T>(Value::from(value.name)).map(drop).expect("serde reads the name");
                for alias in value.aliases {
                    serde_json::from_value::<T>(Value::from(*alias)).map(drop).expect("serde reads the name");
                }
            }
        }
        kind => panic!("{}", kind.name()),
    }
}

macro_rules! cases {
    ($($test:ident: $case:literal)*) => { $(
        #[test]
        fn $test() {
            #[derive(Deserialize, ToolSchema)]
            #[serde(rename_all = $case, deny_unknown_fields)]
            #[allow(dead_code)]
            struct Fields {
                /// One word.
                amount: u8,
                /// Two words.
                tax_amount: u8,
                /// With a number.
                line_2_of_3: u8,
                /// Begins with an underscore.
                _extra: u8,
                /// A raw name.
                r#type: u8,
                /// Renamed.
                #[serde(rename(deserialize = "Own-Name"))]
                renamed: u8,
            }

            #[derive(Deserialize, ToolSchema)]
            #[serde(rename_all(deserialize = $case))]
            #[allow(clippy::upper_case_acronyms)]
            #[allow(dead_code)]
            enum Variants {
                Red,
                DarkRed,
                RGB,
                #[serde(alias = "g", alias = "G")]
                Green,
                #[serde(rename = "own name")]
                Renamed,
            }

            reads_its_own_names::<Fields>();
            reads_its_own_names::<Variants>();
        }
    )* };
}

cases! {
    lower: "lowercase"
    upper: "UPPERCASE"
    pascal: "PascalCase"
    camel: "camelCase"
    snake: "snake_case"
    screaming_snake: "SCREAMING_SNAKE_CASE"
    kebab: "kebab-case"
    screaming_kebab: "SCREAMING-KEBAB-CASE"
}
