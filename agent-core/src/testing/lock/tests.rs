//! Each class of change, and whether it breaks callers.

use super::{check, tools_lock_changes};

/// A lock of one tool with these properties and required names.
fn lock(properties: &str, required: &str) -> String {
    format!(
        r#"{{"version": 1, "tools": {{"ship": {{"description": "Ships.", "strict": true, "parameters": {{"type": "object",
        "properties": {{{properties}}}, "required": [{required}], "additionalProperties": false}}}}}}}}"#
    )
}

fn said(old: &str, new: &str) -> Vec<String> {
    tools_lock_changes(old, new).unwrap().iter().map(ToString::to_string).collect()
}

/// The changes of a required property `a` from one schema to another.
fn property(old: &str, new: &str) -> Vec<String> {
    said(&lock(&format!(r#""a": {old}"#), r#""a""#), &lock(&format!(r#""a": {new}"#), r#""a""#))
}

#[test]
fn parameters_that_are_gone_or_newly_required_break_callers() {
    let a = r#""a": {"type": "integer"}"#;
    let both = r#""a": {"type": "integer"}, "b": {"type": "string"}"#;
    assert_eq!(said(&lock(both, r#""a""#), &lock(a, r#""a""#)), ["breaks: `b`: it is gone"]);
    assert_eq!(said(&lock(a, r#""a""#), &lock(both, r#""a", "b""#)), ["breaks: `b`: it is new and required"]);
    assert_eq!(said(&lock(a, r#""a""#), &lock(both, r#""a""#)), ["fine:   `b`: it is new and optional"]);
    assert_eq!(said(&lock(both, r#""a""#), &lock(both, r#""a", "b""#)), ["breaks: `b`: it is required now"]);
    assert_eq!(said(&lock(both, r#""a", "b""#), &lock(both, r#""a""#)), ["fine:   `b`: it is optional now"]);
    let turned = r#""b": {"type": "string"}, "a": {"type": "integer"}"#;
    assert_eq!(said(&lock(both, ""), &lock(turned, "")), ["fine:   its properties come in another order"]);
}

#[test]
fn another_type_breaks_callers_unless_it_takes_what_was_taken() {
    let cases = [
        (r#"{"type": "integer"}"#, r#"{"type": "string"}"#, "breaks: `a`: its type was integer and is string"),
        (r#"{"type": "integer"}"#, r#"{"type": "number"}"#, "fine:   `a`: its type was integer and is number"),
        (r#"{"type": "number"}"#, r#"{"type": "integer"}"#, "breaks: `a`: its type was number and is integer"),
        (r#"{"type": ["string", "null"]}"#, r#"{"type": "string"}"#, "breaks: `a`: null is no longer valid"),
        (r#"{"type": "string"}"#, r#"{"type": ["string", "null"]}"#, "fine:   `a`: null is valid now"),
        (
            r#"{"type": "string"}"#,
            r##"{"$ref": "#/$defs/B"}"##,
            r##"breaks: `a`: its type was string and is a reference to "#/$defs/B""##,
        ),
        (
            r#"{"anyOf": [{"type": "object", "properties": {}}, {"type": "null"}]}"#,
            r#"{"type": "object", "properties": {}}"#,
            "breaks: `a`: null is no longer valid",
        ),
        (
            r#"{"type": "array", "items": {"type": "string"}}"#,
            r#"{"type": "array", "items": {"type": "boolean"}}"#,
            "breaks: `a[]`: its type was string and is boolean",
        ),
    ];
    for (old, new, expected) in cases {
        assert_eq!(property(old, new), [expected]);
    }
}

#[test]
fn a_tighter_bound_breaks_callers_and_a_looser_one_does_not() {
    let least = ["minimum", "exclusiveMinimum", "minLength", "minItems"].map(|word| (word, true));
    let most = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"].map(|word| (word, false));
    for (word, is_least) in least.into_iter().chain(most) {
        let of = |bound: u8| format!(r#"{{"{word}": {bound}}}"#);
        let (low, high) = (of(2), of(10));
        let (tighter, looser) = if is_least { ((&low, &high), (&high, &low)) } else { ((&high, &low), (&low, &high)) };
        assert!(property(tighter.0, tighter.1)[0].starts_with("breaks"), "{word}");
        assert!(property(looser.0, looser.1)[0].starts_with("fine"), "{word}");
        assert_eq!(property("{}", &low), [format!("breaks: `a`: it has the {word} 2 now")]);
        assert_eq!(property(&low, "{}"), [format!("fine:   `a`: its {word} 2 is gone")]);
    }
    for word in ["pattern", "format", "uniqueItems", "multipleOf", "not"] {
        let one = format!(r#"{{"{word}": "1"}}"#);
        assert_eq!(property("{}", &one), [format!("breaks: `a`: its {word} is \"1\" now")]);
        assert_eq!(property(&one, "{}"), [format!("fine:   `a`: its {word} \"1\" is gone")]);
    }
}

#[test]
fn values_and_forms_that_are_gone_break_callers() {
    let ab = r#"{"type": "string", "enum": ["a", "b"]}"#;
    let bc = r#"{"type": "string", "enum": ["b", "c"]}"#;
    assert_eq!(property(ab, bc), ["breaks: `a`: the value \"a\" is gone", "fine:   `a`: the value \"c\" is new"]);
    assert_eq!(property(r#"{"type": "string"}"#, ab), ["breaks: `a`: only listed values are valid now"]);
    let form = |tag: &str, ty: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"kind": {{"enum": ["{tag}"]}}, "x": {{"type": "{ty}"}}}}, "required": ["kind"]}}"#
        )
    };
    let union = |forms: [String; 2]| format!(r#"{{"anyOf": [{}]}}"#, forms.join(","));
    let old = union([form("road", "string"), form("sea", "string")]);
    let new = union([form("sea", "boolean"), form("air", "string")]);
    assert_eq!(
        property(&old, &new),
        [
            "breaks: `a`: the form road is gone",
            "breaks: `a<sea>.x`: its type was string and is boolean",
            "fine:   `a`: the form air is new",
        ]
    );
}

#[test]
fn words_and_defaults_are_told_and_break_nothing() {
    let old = r#"{"type": "integer", "description": "How many.", "default": 1}"#;
    let new = r#"{"type": "integer", "description": "How many?"}"#;
    assert_eq!(
        property(old, new),
        ["fine:   `a`: its description is another", "fine:   `a`: its default was 1 and is none"]
    );
    let tools = |text: &str| format!(r#"{{"version": 1, "tools": {{{text}}}}}"#);
    let ship = r#""ship": {"description": "Ships.", "strict": true, "parameters": {}}"#;
    assert_eq!(said(&tools(ship), &tools("")), ["breaks: the tool is gone"]);
    assert_eq!(said(&tools(""), &tools(ship)), ["fine:   the tool is new"]);
    assert_eq!(said(&tools(ship), &tools(&ship.replace('.', "!"))), ["fine:   its description is another"]);
    let old = r#"{"type": "integer", "title": "Count", "examples": [1]}"#;
    let new = r#"{"type": "integer", "examples": [2]}"#;
    assert_eq!(property(old, new), ["fine:   `a`: its title is another", "fine:   `a`: its examples are others"]);
}

/// A lock of a tool whose parameter is a type that contains itself, with these properties beside its own and this list of
/// what it requires.
fn recursive(properties: &str, required: &str) -> String {
    let kids = r##""kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}"##;
    let tree = format!(
        r#"{{"type": "object", "properties": {{{kids}{properties}}}, "required": ["kids"{required}], "additionalProperties": false}}"#
    );
    format!(
        r##"{{"version": 1, "tools": {{"grow": {{"description": "Grows.", "strict": true, "parameters": {{"type": "object",
        "properties": {{"tree": {{"$ref": "#/$defs/Tree"}}}}, "required": ["tree"], "additionalProperties": false,
        "$defs": {{"Tree": {tree}}}}}}}}}}}"##
    )
}

#[test]
fn a_change_inside_a_type_that_contains_itself_is_told_by_the_name_of_the_type() {
    let of = |schema: &str| recursive(&format!(r#", "age": {schema}"#), r#", "age""#);
    let (plain, bounded) = (of(r#"{"type": "integer"}"#), of(r#"{"type": "integer", "maximum": 9}"#));
    assert_eq!(said(&plain, &bounded), ["breaks: `Tree.age`: it has the maximum 9 now"]);
    assert_eq!(said(&bounded, &plain), ["fine:   `Tree.age`: its maximum 9 is gone"]);
    assert_eq!(said(&plain, &of(r#"{"type": "string"}"#)), ["breaks: `Tree.age`: its type was integer and is string"]);

    let bare = recursive("", "");
    let optional = recursive(r#", "age": {"type": "integer"}"#, "");
    assert_eq!(said(&bare, &plain), ["breaks: `Tree.age`: it is new and required"]);
    assert_eq!(said(&bare, &optional), ["fine:   `Tree.age`: it is new and optional"]);
    assert_eq!(said(&optional, &plain), ["breaks: `Tree.age`: it is required now"]);
    assert_eq!(said(&plain, &bare), ["breaks: `Tree.age`: it is gone"]);
    assert!(said(&plain, &plain).is_empty());

    // One that is referred to under another name is told where it is referred to.
    let renamed = plain.replace("Tree", "Bush");
    let at = r##"`tree`: its type was a reference to "#/$defs/Tree" and is a reference to "#/$defs/Bush""##;
    assert_eq!(said(&plain, &renamed), [format!("breaks: {at}")]);
}

#[test]
fn strict_mode_that_comes_or_goes_is_told() {
    let strict = lock("", "");
    let loose = strict.replace(r#""strict": true"#, r#""strict": false"#);
    assert_eq!(said(&strict, &loose), ["fine:   providers no longer hold the model to its schema (`strict`)"]);
    assert_eq!(said(&loose, &strict), ["fine:   providers hold the model to its schema now (`strict`)"]);
}

#[test]
fn another_order_is_told_and_breaks_nothing() {
    let values = |values: &str| format!(r#"{{"type": "string", "enum": [{values}]}}"#);
    assert_eq!(
        property(&values(r#""a", "b", "c""#), &values(r#""c", "a""#)),
        ["breaks: `a`: the value \"b\" is gone", "fine:   `a`: its values come in another order"]
    );
    let form = |name: &str| {
        format!(r#"{{"type": "object", "properties": {{"{name}": {{"type": "string"}}}}, "required": ["{name}"]}}"#)
    };
    let union = |first: &str, second: &str| format!(r#"{{"anyOf": [{}, {}]}}"#, form(first), form(second));
    assert_eq!(
        property(&union("road", "sea"), &union("sea", "road")),
        ["fine:   `a`: its forms come in another order"]
    );
    let tool = |name: &str| format!(r#""{name}": {{"description": "", "strict": true, "parameters": {{}}}}"#);
    let tools = |names: [&str; 3]| format!(r#"{{"version": 1, "tools": {{{}}}}}"#, names.map(tool).join(","));
    let changes = tools_lock_changes(&tools(["a", "b", "c"]), &tools(["a", "c", "b"])).unwrap();
    let said: Vec<_> = changes.iter().map(|change| (change.tool.as_str(), change.to_string())).collect();
    assert_eq!(said, [("c", "fine:   from here on the tools come in another order".to_owned())]);
}

#[test]
fn items_that_may_be_anything_now_break_nothing() {
    let (of_text, of_any) = (r#"{"type": "array", "items": {"type": "string"}}"#, r#"{"type": "array"}"#);
    assert_eq!(property(of_text, of_any), ["fine:   `a`: its items may be anything now"]);
    assert_eq!(property(of_any, of_text), ["breaks: `a`: its items have a schema now"]);
}

#[test]
fn the_file_is_compared_and_written_only_when_that_is_asked_for() {
    let folder = std::env::temp_dir().join(format!("agent-core-lock-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tools.lock.json");
    let now = lock(r#""a": {"type": "integer"}"#, r#""a""#);
    let missing = check(&path, &now, false).unwrap_err();
    assert!(missing.starts_with("there is no ") && missing.ends_with("write it with UPDATE_TOOLS_LOCK=1"), "{missing}");
    check(&path, &now, true).unwrap();
    check(&path, &now, false).unwrap();
    // Line ends that git may have changed say nothing.
    std::fs::write(&path, now.replace('\n', "\r\n")).unwrap();
    check(&path, &now, false).unwrap();
    let changed = check(&path, &lock("", ""), false).unwrap_err();
    assert!(changed.contains("1 of 1 changes break callers:\n  ship\n    breaks: `a`: it is gone\n"), "{changed}");
    std::fs::write(&path, "{}").unwrap();
    assert!(check(&path, &now, false).unwrap_err().contains("is no lock: it is not of version 1"));
    std::fs::remove_dir_all(&folder).unwrap();
}
