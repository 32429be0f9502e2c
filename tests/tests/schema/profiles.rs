//! The published text of one tool for each provider.

use agent_core::schema::{Profile, profile, publish};
use agent_core::{Tool, ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Way {
    /// By road.
    Road {
        /// How many.
        #[arg(minimum = 1)]
        wheels: u8,
    },
    Sea,
}

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Speed {
    /// At once.
    Express,
    Normal,
}

/// Ships.
#[tool]
async fn ship(
    /// Its code.
    #[arg(pattern = "^[A-Z]{2}$", min_length = 2)]
    code: String,
    /// The day.
    #[arg(format = "date")]
    day: Option<String>,
    /// The amounts.
    #[arg(min_items = 1, max_items = 3)]
    amounts: Vec<u8>,
    /// A share.
    #[arg(exclusive_minimum = 0, maximum = 7.5, multiple_of = 0.5)]
    share: f64,
    /// The way.
    way: Way,
    /// How fast.
    speed: Option<Speed>,
    /// A note.
    #[arg(default = "none")]
    note: String,
) -> bool {
    drop((code, day, amounts, share, way, speed, note));
    true
}

fn text(profile: &Profile) -> String {
    let text = publish("", ship::SPEC.arguments.get(), profile).parameters;
    let pretty: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut lines = Vec::new();
    for (name, property) in pretty["properties"].as_object().unwrap() {
        lines.push(format!("{name}: {property}"));
    }
    lines.push(format!("required: {}", pretty["required"]));
    lines.push(format!("closed: {}", pretty["additionalProperties"]));
    lines.join("\n")
}

fn check(profile: &Profile, expected: &str) {
    let is = text(profile);
    assert_eq!(is, expected, "{}:\n{is}", profile.name);
}

#[test]
fn each_provider_has_its_text() {
    check(
        &profile::OPENAI,
        r#"amounts: {"description":"The amounts.","items":{"maximum":255,"minimum":0,"type":"integer"},"maxItems":3,"minItems":1,"type":"array"}
code: {"description":"Its code. At least 2 characters.","pattern":"^[A-Z]{2}$","type":"string"}
day: {"description":"The day.","format":"date","type":["string","null"]}
note: {"description":"A note. Default: \"none\".","type":["string","null"]}
share: {"description":"A share.","exclusiveMinimum":0,"maximum":7.5,"multipleOf":0.5,"type":"number"}
speed: {"description":"How fast.\n- `Express`: At once.","enum":["Express","Normal",null],"type":["string","null"]}
way: {"anyOf":[{"enum":["Sea"],"type":"string"},{"additionalProperties":false,"description":"By road.","properties":{"Road":{"additionalProperties":false,"description":"By road.","properties":{"wheels":{"description":"How many.","maximum":255,"minimum":1,"type":"integer"}},"required":["wheels"],"type":"object"}},"required":["Road"],"type":"object"}],"description":"The way."}
required: ["code","day","amounts","share","way","speed","note"]
closed: false"#,
    );
    check(
        &profile::ANTHROPIC,
        r#"amounts: {"description":"The amounts. At most 3 items.","items":{"description":"At least 0. At most 255.","type":"integer"},"minItems":1,"type":"array"}
code: {"description":"Its code. At least 2 characters. Text that matches the pattern ^[A-Z]{2}$.","type":"string"}
day: {"description":"The day.","format":"date","type":"string"}
note: {"description":"A note. Default: \"none\".","type":"string"}
share: {"description":"A share. Greater than 0. At most 7.5. A multiple of 0.5.","type":"number"}
speed: {"description":"How fast.\n- `Express`: At once.","enum":["Express","Normal"],"type":"string"}
way: {"anyOf":[{"enum":["Sea"],"type":"string"},{"additionalProperties":false,"description":"By road.","properties":{"Road":{"additionalProperties":false,"description":"By road.","properties":{"wheels":{"description":"How many. At most 255. At least 1.","type":"integer"}},"required":["wheels"],"type":"object"}},"required":["Road"],"type":"object"}],"description":"The way."}
required: ["code","amounts","share","way"]
closed: false"#,
    );
    check(
        &profile::GEMINI,
        r#"amounts: {"description":"The amounts.","items":{"maximum":255,"minimum":0,"type":"integer"},"maxItems":3,"minItems":1,"type":"array"}
code: {"description":"Its code. At least 2 characters. Text that matches the pattern ^[A-Z]{2}$.","type":"string"}
day: {"description":"The day.","format":"date","type":"string"}
note: {"description":"A note. Default: \"none\".","type":"string"}
share: {"description":"A share. Greater than 0. A multiple of 0.5.","maximum":7.5,"type":"number"}
speed: {"description":"How fast.\n- `Express`: At once.","enum":["Express","Normal"],"type":"string"}
way: {"anyOf":[{"enum":["Sea"],"type":"string"},{"additionalProperties":false,"description":"By road.","properties":{"Road":{"additionalProperties":false,"description":"By road.","properties":{"wheels":{"description":"How many.","maximum":255,"minimum":1,"type":"integer"}},"required":["wheels"],"type":"object"}},"required":["Road"],"type":"object"}],"description":"The way."}
required: ["code","amounts","share","way"]
closed: false"#,
    );
    check(
        &profile::AZURE,
        r#"amounts: {"description":"The amounts. At least 1 item. At most 3 items.","items":{"description":"At least 0. At most 255.","type":"integer"},"type":"array"}
code: {"description":"Its code. At least 2 characters. Text that matches the pattern ^[A-Z]{2}$.","type":"string"}
day: {"description":"The day. A date such as 2026-03-31.","type":["string","null"]}
note: {"description":"A note. Default: \"none\".","type":["string","null"]}
share: {"description":"A share. Greater than 0. At most 7.5. A multiple of 0.5.","type":"number"}
speed: {"description":"How fast.\n- `Express`: At once.","enum":["Express","Normal",null],"type":["string","null"]}
way: {"anyOf":[{"enum":["Sea"],"type":"string"},{"additionalProperties":false,"description":"By road.","properties":{"Road":{"additionalProperties":false,"description":"By road.","properties":{"wheels":{"description":"How many. At most 255. At least 1.","type":"integer"}},"required":["wheels"],"type":"object"}},"required":["Road"],"type":"object"}],"description":"The way."}
required: ["code","day","amounts","share","way","speed","note"]
closed: false"#,
    );
    // What every provider takes is as narrow as the narrowest of them, here.
    check(&profile::PORTABLE, &text(&profile::AZURE));
}
