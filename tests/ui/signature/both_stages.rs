//! What the macro sees and what only types tell, in one go.

use std::collections::BTreeMap;

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    _number: u32, //~ the model is shown what `_number` is; write a doc comment above the field
    /// Extras.
    _extra: BTreeMap<String, u8>, //~ `Order._extra` is a `BTreeMap` with open keys
    _rest: (u8, u8), //~ the model is shown what `_rest` is
    //~^ `Order._rest` is a tuple
}

/// Ships.
#[tool(mutable)] //~ unknown word `mutable`; did you mean `mutating`?
async fn ship(
    count: u8, //~ the model is shown what `count` is; write a doc comment above the parameter
    /// Extras.
    extra: BTreeMap<String, u8>, //~ `ship.extra` is a `BTreeMap` with open keys
    /// Anything.
    any: serde_json::Value, //~ `ship.any` is a `serde_json::Value` of any form
    /// How many.
    #[arg(min_length = 1)] //~ `min_length` does not fit `many`
    many: u8,
    /// With a mistake of its own, so that nothing more is asked of it.
    #[arg(minimal = 1)] //~ unknown word `minimal`
    own: (),
) -> u8 {
    let _ = (count, extra, any, many, own);
    1
}

fn main() {}
