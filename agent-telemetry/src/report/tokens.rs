//! Tokens, reply by reply.

use super::html::Html;
use super::item::{Item, Story, What};

pub(super) fn section(html: &mut Html, story: &Story<'_>, window: Option<u64>) {
    let replies: Vec<_> = story
        .items
        .iter()
        .filter_map(|item| match &item.what {
            What::Model { step, .. } => Some((item, *step)),
            _ => None,
        })
        .collect();
    if replies.is_empty() {
        return;
    }
    let most = replies.iter().map(|(_, step)| step.usage.total()).max().unwrap_or_default();
    let scale = window.unwrap_or(most).max(most).max(1);
    html.raw("<section aria-labelledby=k>\n<h2 id=k>Tokens</h2>\n");
    if let Some(window) = window {
        html.raw("<p class=aside>The whole width is the window of ").count(window).raw(" tokens.</p>\n");
    }
    html.raw("<ul class=legend><li class=in><span class=swatch><span class=bar></span></span> read</li>");
    if replies.iter().any(|(_, step)| step.usage.cached_input > 0) {
        html.raw("<li class=cached><span class=swatch><span class=bar></span></span> of it from a cache</li>");
    }
    html.raw("<li class=out><span class=swatch><span class=bar></span></span> written</li></ul>\n");
    html.raw("<table class=tokens><thead><tr><th scope=col>Cycle</th><th scope=col class=n>Read</th>");
    html.raw("<th scope=col class=n>Written</th><th scope=col class=fill>");
    html.raw(if window.is_some() { "Window" } else { "Share" }).raw("</th></tr></thead>\n<tbody>\n");
    for (item, step) in replies {
        let usage = &step.usage;
        html.raw("<tr><th scope=row>").count(step.cycle.into());
        label(html, item);
        html.raw("</th><td class=n>");
        html.raw(if step.usage_estimated { "≈ " } else { "" }).count(usage.input).raw("</td><td class=n>");
        html.raw(if step.usage_estimated { "≈ " } else { "" }).count(usage.output).raw("</td><td class=fill>");
        html.raw("<span class=track aria-hidden=true>");
        let cached = usage.cached_input.min(usage.input);
        let mut left = 0;
        for (class, tokens) in [("cached", cached), ("in", usage.input - cached), ("out", usage.output)] {
            if tokens > 0 {
                html.raw("<span class=").raw(class).raw("><span class=bar style=\"--l:").percent(share(left, scale));
                html.raw(";--w:").percent(share(tokens, scale)).raw("\"></span></span>");
            }
            left = tokens.saturating_add(left);
        }
        html.raw("</span><span class=part>");
        if let Some(window) = window {
            let full = share(usage.total(), window.max(1)) * 100.0;
            html.text(&if full < 1.0 { "under 1 %".to_owned() } else { format!("{full:.0} %") });
        }
        html.raw("</span></td></tr>\n");
    }
    html.raw("</tbody></table>\n</section>\n");
}

fn label(html: &mut Html, item: &Item<'_>) {
    if item.name() != "model" {
        html.raw(" <small>").text(item.name()).raw("</small>");
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53, and this is drawn")]
fn share(tokens: u64, of: u64) -> f64 {
    tokens as f64 / of as f64
}
