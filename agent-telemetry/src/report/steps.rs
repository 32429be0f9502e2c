//! Each reply and each call with all that is known of it, and the conversation.

use agent_core::arguments::Problem;
use agent_core::dispatch::{ErrorBody, ToolResult};
use agent_core::model::{Body, Finish, Part, Reply};
use agent_core::run::{ModelStep, ToolStep};
use agent_core::telemetry::{Content, ContentKind};

use super::html::{Html, counted};
use super::item::{Item, Mark, Story, What};
use super::page::Shown;
use super::pretty::{cut, pretty};
use super::timeline::{badges, time};

pub(super) fn section(html: &mut Html, story: &Story<'_>, shown: Shown<'_>) {
    let with_details = || story.items.iter().enumerate().filter(|(_, item)| item.has_details());
    if with_details().next().is_none() {
        return;
    }
    html.raw("<section aria-labelledby=s>\n<h2 id=s>Steps</h2>\n");
    let mut cycle = None;
    for (at, item) in with_details() {
        if item.cycle > 0 && cycle != Some(item.cycle) {
            cycle = Some(item.cycle);
            html.raw("<h3>Cycle ").count(item.cycle.into()).raw("</h3>\n");
        }
        step(html, item, at, shown);
    }
    html.raw("</section>\n");
}

fn step(html: &mut Html, item: &Item<'_>, at: usize, shown: Shown<'_>) {
    let mark = item.mark();
    html.raw("<details class=\"step ").raw(mark.class()).raw("\"");
    // What went wrong is what people look for.
    if !matches!(mark, Mark::Model | Mark::Success | Mark::Replayed) {
        html.raw(" open");
    }
    html.raw("><summary><span class=sign aria-hidden=true>").raw(mark.sign()).raw("</span> <span class=what>");
    html.text(item.name()).raw("</span>");
    badges(html, item);
    html.raw(" <span class=hint>");
    hint(html, item, shown);
    html.raw("</span><span class=time>").text(&time(item.time())).raw("</span></summary>\n");
    // A browser opens what holds the target of a link.
    html.raw("<div class=inside id=s").count_plain(at).raw(">\n");
    match &item.what {
        What::Model { step, reply } => model(html, step, *reply, shown),
        What::ModelFailed { message } => {
            said(html, "What failed", &shown.text(Content::message(ContentKind::Model, message)));
        }
        What::Tool { step, result, shown: text } => tool(html, step, *result, *text, shown),
        What::Open { .. } | What::Wait { .. } | What::Note { .. } => {}
    }
    html.raw("</div></details>\n");
}

/// The beginning of what is inside.
fn hint(html: &mut Html, item: &Item<'_>, shown: Shown<'_>) {
    let text = match &item.what {
        What::Model { reply: Some(reply), .. } => match (&reply.text, reply.calls.len()) {
            (Some(text), _) => shown.text(Content::message(ContentKind::Model, text)),
            (None, 1) => "asks for 1 call".to_owned(),
            (None, calls) if calls > 1 => format!("asks for {calls} calls"),
            _ => String::new(),
        },
        What::Model { step, .. } if step.calls > 0 => format!("{} calls", step.calls),
        What::Tool { step, .. } => shown.text(Content::arguments(&step.tool, &step.arguments)),
        _ => String::new(),
    };
    html.text(&line(&text));
}

fn line(text: &str) -> String {
    text.chars().take(160).map(|character| if character.is_whitespace() { ' ' } else { character }).collect()
}

fn model(html: &mut Html, step: &ModelStep, reply: Option<&Reply>, shown: Shown<'_>) {
    if let Some(reply) = reply {
        let texts = [("Reasoning", &reply.reasoning), ("Refusal", &reply.refusal), ("Text", &reply.text)];
        for (label, text) in texts {
            if let Some(text) = text {
                said(html, label, &shown.text(Content::message(ContentKind::Model, text)));
            }
        }
        for call in &reply.calls {
            html.raw("<h4>Asks for <code>").text(&call.name).raw("</code></h4>\n");
            json(html, &shown.text(Content::arguments(&call.name, &call.arguments)));
        }
    }
    html.raw("<dl class=meta>");
    if let Some(model) = &step.model {
        meta(html, "Model", model);
    }
    if let Some(finish) = &step.finish {
        meta(
            html,
            "Stopped",
            match finish {
                Finish::Stop => "done",
                Finish::ToolCalls => "for results of calls",
                Finish::Length => "cut at its limit of tokens",
                Finish::ContentFilter => "by a content filter",
                Finish::Other(word) => word,
                _ => "otherwise",
            },
        );
    }
    let usage = &step.usage;
    let mut tokens = format!("{} read, {} written", counted(usage.input), counted(usage.output));
    for (count, what) in [(usage.cached_input, "from a cache"), (usage.reasoning, "for reasoning")] {
        if count > 0 {
            tokens += &format!(", {} {what}", counted(count));
        }
    }
    if step.usage_estimated {
        tokens += " (estimated)";
    }
    meta(html, "Tokens", &tokens);
    meta(html, "Requests", &step.attempts.to_string());
    for failed in &step.fallbacks {
        let text = format!("{}: {}, {} requests", failed.model, failed.kind.as_str(), failed.attempts);
        meta(html, "Asked before", &text);
    }
    html.raw("</dl>\n");
}

fn tool(html: &mut Html, step: &ToolStep, result: Option<&ToolResult>, text: Option<&str>, shown: Shown<'_>) {
    let content = |text| shown.text(Content::result(&step.tool, text));
    html.raw("<h4>Arguments</h4>\n");
    json(html, &shown.text(Content::arguments(&step.tool, &step.arguments)));
    let edited = result.and_then(|result| result.metadata().edited_arguments.as_deref());
    if let Some(edited) = edited {
        html.raw("<h4>Arguments as a person changed them</h4>\n");
        json(html, &shown.text(Content::arguments(&step.tool, edited)));
    }
    match result {
        Some(result) => match (result.data(), result.error_body()) {
            (Some(data), _) => {
                html.raw("<h4>Result</h4>\n");
                json(html, &content(data.get()));
            }
            (None, Some(body)) if shown.is_whole() => error(html, body),
            (None, Some(body)) => {
                html.raw("<h4>Error <code>").text(&body.code).raw("</code></h4>\n");
                json(html, &content(&serde_json::to_string(body).unwrap_or_default()));
            }
            (None, None) => {}
        },
        None => {
            if let Some(text) = text {
                html.raw("<h4>Result as the model was shown it</h4>\n");
                json(html, &content(text));
            }
        }
    }
    html.raw("<dl class=meta>");
    meta(html, "Status", step.status.as_str());
    if let Some(code) = &step.code {
        meta(html, "Code", code);
    }
    meta(html, "Call", step.call_id.as_str());
    meta(html, "Tries", &step.attempts.to_string());
    if let Some(key) = result.and_then(|result| result.metadata().idempotency_key.as_deref()) {
        meta(html, "Idempotency key", key);
    }
    if step.replayed {
        meta(html, "Replayed", "nothing ran; this is an earlier call's result");
    }
    html.raw("</dl>\n");
}

fn error(html: &mut Html, body: &ErrorBody) {
    html.raw("<h4>Error <code>").text(&body.code).raw("</code></h4>\n<p class=said>").text(&body.message).raw("</p>\n");
    let Some(details) = &body.details else { return };
    let problems =
        details.get("problems").and_then(|problems| serde_json::from_value::<Vec<Problem>>(problems.clone()).ok());
    match problems {
        Some(problems) => {
            html.raw("<h4>What is wrong with the arguments</h4>\n<div class=wide><table class=problems><thead><tr>");
            html.raw(
                "<th scope=col>Place</th><th scope=col>Rule</th><th scope=col>Expected</th><th scope=col>Got</th>",
            );
            let hints = problems.iter().any(|problem| problem.hint.is_some());
            html.raw(if hints { "<th scope=col>Hint</th>" } else { "" }).raw("</tr></thead><tbody>\n");
            for problem in &problems {
                let place = if problem.pointer.is_empty() { "(the whole)" } else { &problem.pointer };
                html.raw("<tr><th scope=row><code>").text(place).raw("</code></th><td>").text(&problem.rule);
                html.raw("</td><td>").text(&problem.expected).raw("</td><td><code>").text(&problem.got);
                html.raw("</code></td>");
                if hints {
                    html.raw("<td>").text(problem.hint.as_deref().unwrap_or_default()).raw("</td>");
                }
                html.raw("</tr>\n");
            }
            html.raw("</tbody></table></div>\n");
        }
        None => {
            html.raw("<h4>Details</h4>\n");
            json(html, &details.to_string());
        }
    }
}

/// All messages as the record has them: what the model was shown.
pub(super) fn conversation(html: &mut Html, story: &Story<'_>, shown: Shown<'_>) {
    if story.messages.is_empty() {
        return;
    }
    html.raw("<section aria-labelledby=c>\n<h2 id=c>Conversation</h2>\n");
    html.raw("<p class=aside>What the model was shown, the system text aside.</p>\n");
    for message in story.messages {
        match message.body() {
            Body::User { content } => {
                message_of(html, "user", "Person", &parts(content, shown), &[]);
            }
            Body::Assistant { text, refusal, calls, .. } => {
                let said = text.as_deref().or(refusal.as_deref()).unwrap_or_default();
                let said = shown.text(Content::message(ContentKind::Model, said));
                let calls: Vec<_> = calls
                    .iter()
                    .map(|call| (call.name.as_str(), shown.text(Content::arguments(&call.name, &call.arguments))))
                    .collect();
                message_of(html, "model", "Model", &said, &calls);
            }
            Body::Tool { name, content, .. } => {
                let content = shown.text(Content::result(name, content));
                message_of(html, "tool", name, &content, &[]);
            }
            _ => {}
        }
    }
    html.raw("</section>\n");
}

fn parts(content: &[Part], shown: Shown<'_>) -> String {
    let texts: Vec<_> = content
        .iter()
        .map(|part| match part {
            Part::Text { text } => shown.text(Content::message(ContentKind::User, text)),
            Part::Image { url, .. } if url.starts_with("data:") => {
                format!("[an image of {} bytes]", counted(url.len() as u64))
            }
            Part::Image { url, .. } => shown.text(Content::message(ContentKind::User, url)),
            _ => "[another part]".to_owned(),
        })
        .collect();
    texts.join("\n")
}

fn message_of(html: &mut Html, class: &'static str, who: &str, text: &str, calls: &[(&str, String)]) {
    html.raw("<details class=\"message ").raw(class).raw("\"><summary><span class=who>").text(who);
    html.raw("</span> <span class=hint>").text(&line(text));
    for (at, (name, _)) in calls.iter().enumerate() {
        html.raw(if at == 0 && text.is_empty() { "calls " } else { " · " }).text(name);
    }
    html.raw("</span></summary>\n<div class=inside>\n");
    if !text.is_empty() {
        json(html, text);
    }
    for (name, arguments) in calls {
        html.raw("<h4>Calls <code>").text(name).raw("</code></h4>\n");
        json(html, arguments);
    }
    html.raw("</div></details>\n");
}

fn said(html: &mut Html, label: &'static str, text: &str) {
    let (shown, left) = cut(text);
    html.raw("<h4>").raw(label).raw("</h4>\n<p class=said>").text(shown).raw("</p>\n");
    left_out(html, left);
}

pub(super) fn json(html: &mut Html, text: &str) {
    let (shown, left) = pretty(text);
    html.raw("<pre tabindex=0>").text(&shown).raw("</pre>\n");
    left_out(html, left);
}

fn left_out(html: &mut Html, bytes: usize) {
    if bytes > 0 {
        html.raw("<p class=aside>").count(bytes as u64).raw(" more bytes are left out.</p>\n");
    }
}

fn meta(html: &mut Html, what: &'static str, value: &str) {
    html.raw("<div><dt>").raw(what).raw("</dt><dd>").text(value).raw("</dd></div>");
}
