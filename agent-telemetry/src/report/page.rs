//! The page as a whole.

use agent_core::audit::Bound;
use agent_core::telemetry::{Content, ContentKind, Redact};

use super::html::Html;
use super::item::{End, Mark, Story, What};
use super::{steps, timeline, tokens};
use crate::guest::redacted;

const STYLE: &str = include_str!("style.css");

/// Content as it may be shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'r>(Option<&'r dyn Redact>);

impl Shown<'_> {
    pub(super) fn text(self, content: Content<'_>) -> String {
        self.0.map_or_else(|| content.text.to_owned(), |redact| redacted(redact, content))
    }

    pub(super) fn is_whole(self) -> bool {
        self.0.is_none()
    }
}

pub(super) fn page(story: &Story<'_>, window: Option<u64>, redact: Option<&dyn Redact>) -> String {
    let shown = Shown(redact);
    let mut html = Html::default();
    html.raw("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    // Were anything to get past the escapes, a browser would neither run nor fetch it.
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; ");
    html.raw("base-uri 'none'; form-action 'none'\">\n");
    html.raw("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n");
    html.raw("<meta name=color-scheme content=\"light dark\">\n<meta name=referrer content=no-referrer>\n<title>Run ");
    html.text(story.run_id).raw("</title>\n<style>\n").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    head(&mut html, story, shown);
    html.raw("<main>\n");
    timeline::section(&mut html, story);
    tokens::section(&mut html, story, window);
    steps::section(&mut html, story, shown);
    steps::conversation(&mut html, story, shown);
    html.raw("</main>\n</body>\n</html>\n");
    html.into_string()
}

/// How the run ended, and its sums.
fn head(html: &mut Html, story: &Story<'_>, shown: Shown<'_>) {
    html.raw("<header>\n<h1>Run <code>").text(story.run_id).raw("</code></h1>\n");
    match &story.end {
        End::Answered => {
            html.raw("<p class=\"end success\" id=end><span class=sign>✓</span> <strong>Answered</strong></p>\n")
        }
        End::Open => {
            html.raw("<p class=\"end open\" id=end><span class=sign>…</span> <strong>Not ended</strong></p>\n")
        }
        End::Error(kind) => {
            html.raw("<div class=\"end fault\" id=end><p><span class=sign>✗</span> <strong>No answer: ");
            html.text(&kind.as_str().replace('_', " ")).raw("</strong></p>\n<p>");
            let why = sentence(&kind.to_string());
            // Some reasons repeat what the model said.
            html.text(&shown.text(Content::message(ContentKind::Model, &why)));
            if let Some(bound) = Bound::of(kind) {
                html.raw("</p>\n<p class=bound><code>Limits::").text(bound.name).raw("</code>");
                for (what, value) in [(" allows ", bound.limit), (", reached ", bound.value)] {
                    if let Some(value) = value {
                        html.text(what).raw("<b>").text(&value).raw("</b>");
                    }
                }
            }
            html.raw("</p></div>\n")
        }
    };
    if let Some(text) = story.text {
        let label = if matches!(story.end, End::Error(_)) { "Closing words" } else { "Answer" };
        html.raw("<div class=answer><h2>").text(label).raw("</h2>\n");
        let text = shown.text(Content::message(ContentKind::Model, text));
        // A typed answer is the arguments of a call.
        if text.starts_with('{') {
            steps::json(html, &text);
        } else {
            html.raw("<p class=said>").text(&text).raw("</p>");
        }
        html.raw("</div>\n");
    }
    facts(html, story);
    html.raw("</header>\n");
}

fn facts(html: &mut Html, story: &Story<'_>) {
    let (mut input, mut output, mut estimated, mut turns, mut calls, mut failed) = (0, 0, false, 0, 0, 0);
    let mut models: Vec<&str> = Vec::new();
    for item in &story.items {
        match &item.what {
            What::Model { step, .. } => {
                input = step.usage.input.saturating_add(input);
                output = step.usage.output.saturating_add(output);
                estimated |= step.usage_estimated;
                turns += 1;
                models.extend(step.model.as_deref());
            }
            What::Tool { .. } => {
                calls += 1;
                failed += u64::from(!matches!(item.mark(), Mark::Success | Mark::Replayed));
            }
            _ => {}
        }
    }
    models.sort_unstable();
    models.dedup();
    html.raw("<dl class=facts>");
    fact(html, "Time", &timeline::time(story.elapsed));
    fact(html, "Replies of the model", &super::html::counted(turns));
    fact(html, "Calls", &super::html::counted(calls));
    if failed > 0 {
        fact(html, "Calls without a value", &super::html::counted(failed));
    }
    let about = if estimated { "about " } else { "" };
    let tokens = |count| format!("{about}{}", super::html::counted(count));
    fact(html, "Tokens read", &tokens(input));
    fact(html, "Tokens written", &tokens(output));
    if !models.is_empty() {
        fact(html, "Model", &models.join(", "));
    }
    for (what, who) in [("User", story.user), ("Tenant", story.tenant)] {
        if let Some(who) = who.filter(|who| !who.is_empty()) {
            fact(html, what, who);
        }
    }
    html.raw("</dl>\n");
}

fn fact(html: &mut Html, what: &'static str, value: &str) {
    html.raw("<div><dt>").raw(what).raw("</dt><dd>").text(value).raw("</dd></div>");
}

/// An error's words, as a sentence.
fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).chain(['.']).collect()
}
