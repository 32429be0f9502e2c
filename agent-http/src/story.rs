//! A conversation that is gone on with, for the tests of adapters.
#![allow(clippy::unwrap_used, reason = "for tests")]

use agent_core::model::{Echo, Message, ModelError, Request, Session, ToolCall, ToolChoice, ToolDefinition};
use agent_core::profile::Profile;
use agent_core::schema::Published;
use bytes::Bytes;
use serde_json::json;

/// What is asked for beside the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Which of four settings to use. Most requests have the first.
    pub settings: usize,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// Whether the server has paused in a turn that is to go on.
    pub paused: bool,
}

/// Checks that what an adapter goes on with, in a session, is what it writes anew without one: over random stories, each
/// gone on with, changed and cut as a run's may be. `RANDOM_RUNS` says how many.
///
/// `echo` is something that the adapter sends again with a message.
///
/// # Panics
///
/// Where it is not, and where a body cannot be written.
pub fn check(echo: &Echo, profile: &'static Profile, body: impl Fn(&Request<'_>, Asked) -> Result<Bytes, ModelError>) {
    let runs = std::env::var("RANDOM_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(2_000);
    let parameters = "{\"type\":\"object\"}".to_owned();
    let published = Published { description: "Tells \"now\".".to_owned(), parameters };
    let tools = [ToolDefinition::new("now", true, [(profile, published)])];
    for seed in 0..runs {
        let mut story = Story { state: seed, messages: vec![Message::user("?")], calls: 0, echo };
        let session = Session::new();
        let mut held = Vec::new();
        for _ in 0..12 {
            story.go_on();
            let settings = [0, 0, 0, 0, 1, 2, 3][story.random(7)];
            let choice = [ToolChoice::Auto, ToolChoice::Auto, ToolChoice::None, ToolChoice::Required][story.random(4)];
            let offered = if story.random(4) == 0 { &tools[..0] } else { &tools[..] };
            let system = [Some("Be \"kind\"."), Some("Be \"kind\"."), Some("Be."), None][story.random(4)];
            let asked = Asked { settings, stream: story.random(2) == 0, paused: story.random(5) == 0 };
            let request = Request::new(&story.messages).tools(offered).tool_choice(choice).system(system);
            let anew = body(&request, asked).unwrap();
            let gone_on = body(&request.session(Some(&session)), asked).unwrap();
            assert_eq!(String::from_utf8_lossy(&gone_on), String::from_utf8_lossy(&anew), "{seed}");
            // One that is still being sent is not written to.
            if story.random(3) == 0 {
                held.push((gone_on, anew));
            }
        }
        assert!(held.iter().all(|(gone_on, anew)| gone_on == anew), "{seed}");
    }
}

struct Story<'a> {
    state: u64,
    messages: Vec<Message>,
    calls: usize,
    echo: &'a Echo,
}

impl Story<'_> {
    fn random(&mut self, below: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % below
    }

    fn text(&mut self) -> String {
        let (text, times) = (self.random(5), 1 + self.random(3));
        ["", " ", "Hm.", "a\nb\"c", "\u{e9}\u{1f600}"][text].repeat(times)
    }

    fn turn(&mut self) {
        let many = if self.random(12) == 0 { 120 + self.random(20) } else { self.random(3) };
        let calls: Vec<_> =
            (0..many).map(|index| ToolCall::new(format!("c{}", self.calls + index), "now", "{}")).collect();
        self.calls += many;
        let echo = (self.random(3) == 0).then(|| self.echo.clone());
        let text = Some(self.text()).filter(|_| many == 0 || self.state.is_multiple_of(2));
        self.messages.push(Message::reply(text, None, calls.clone(), echo));
        for call in calls {
            let content = self.text();
            self.messages.push(Message::tool(call.id, "now", content));
        }
        if many == 0 {
            let text = self.text();
            self.messages.push(Message::user(text));
        }
    }

    fn go_on(&mut self) {
        match self.random(8) {
            // Compacted: the beginning stays, and what followed becomes a summary.
            0 => {
                let cut = self.random(self.messages.len());
                let text = self.text();
                self.messages.splice(1..cut.max(1), [Message::user(text)]);
            }
            // Changed in one place, to what has as many bytes or not.
            1 => {
                let at = self.random(self.messages.len());
                let text = self.text();
                self.messages[at] = Message::user(text);
            }
            // As it was, or as it was before.
            2 => {}
            3 => {
                let left = 1 + self.random(self.messages.len());
                self.messages.truncate(left);
            }
            // Saved and taken up.
            4 => self.messages = serde_json::from_value(json!(self.messages)).unwrap(),
            _ => self.turn(),
        }
    }
}
