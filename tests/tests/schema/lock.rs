//! The lock of tools, as a user's test has it.

use std::fs;
use std::process::Command;

use agent_core::testing::ScriptedModel;
use agent_core::{Agent, assert_tools_locked, tool, tools};

/// Ships an order.
#[tool]
async fn ship(
    /// How many.
    #[arg(maximum = 9)]
    count: u8,
    /// Where.
    city: Option<String>,
) -> String {
    format!("{count} to {}", city.unwrap_or_default())
}

/// The test is its own program: a variable of the environment is of a whole process.
#[test]
fn the_macro_fails_with_the_changes_until_the_variable_writes_them() {
    if let Some(path) = std::env::var_os("LOCKED_AT") {
        let agent = Agent::builder(ScriptedModel::new([])).tools(tools![ship]).build().unwrap();
        assert_tools_locked!(agent.toolbox(), path);
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lock-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tools.lock.json");
    let test = |update: Option<&str>| {
        let mut test = Command::new(std::env::current_exe().unwrap());
        let name = "lock::the_macro_fails_with_the_changes_until_the_variable_writes_them";
        test.args(["--exact", name, "--nocapture"]).env("LOCKED_AT", &path).env_remove("UPDATE_TOOLS_LOCK");
        test.envs(update.map(|value| ("UPDATE_TOOLS_LOCK", value)));
        let output = test.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(said) }
    };
    let missing = test(None).unwrap_err();
    assert!(missing.contains("there is no ") && missing.contains("write it with UPDATE_TOOLS_LOCK=1"), "{missing}");
    test(Some("0")).unwrap_err();
    test(Some("1")).unwrap();
    test(None).unwrap();
    let lock = fs::read_to_string(&path).unwrap();
    assert!(lock.contains(r#""maximum": 9"#) && lock.contains(r#""strict": true"#), "{lock}");
    let other = lock.replace(r#""maximum": 9"#, r#""maximum": 20"#).replace(r#""strict": true"#, r#""strict": false"#);
    fs::write(&path, other).unwrap();
    let changed = test(None).unwrap_err();
    let expected = "1 of 2 changes break callers:\n  ship\n    \
                    fine:   providers hold the model to its schema now (`strict`)\n    \
                    breaks: `count`: its maximum was 20 and is 9\nif that is meant, write it with UPDATE_TOOLS_LOCK=1";
    assert!(changed.contains(expected), "{changed}");
    test(Some("1")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), lock);
    fs::remove_dir_all(&folder).unwrap();
}
