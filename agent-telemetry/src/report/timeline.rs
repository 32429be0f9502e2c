//! What happened when, a lane for each call.

use std::time::Duration;

use super::html::Html;
use super::item::{Item, Mark, Story, What};

pub(super) fn section(html: &mut Html, story: &Story<'_>) {
    html.raw("<section aria-labelledby=t>\n<h2 id=t>Timeline</h2>\n");
    if story.items.is_empty() {
        html.raw("<p class=aside>Nothing has happened yet.</p>\n</section>\n");
        return;
    }
    if !story.is_timed {
        html.raw("<p class=aside>Drawn from a record, which does not say what ran side by side: ");
        html.raw("each step begins where the one before it ends.</p>\n");
    }
    legend(html, story);
    // A run that took no time at all still has a scale.
    let total = story.elapsed.max(Duration::from_micros(1));
    let ticks = ticks(total);
    axis(html, &ticks, total);
    html.raw("<ol class=lanes>\n");
    let mut cycle = None;
    for (at, item) in story.items.iter().enumerate() {
        if item.cycle > 0 && cycle != Some(item.cycle) {
            cycle = Some(item.cycle);
            html.raw("<li class=cycle>Cycle ").count(item.cycle.into()).raw("</li>\n");
        }
        lane(html, item, at, total, &ticks);
    }
    html.raw("</ol>\n</section>\n");
}

fn lane(html: &mut Html, item: &Item<'_>, at: usize, total: Duration, ticks: &[Duration]) {
    let mark = item.mark();
    html.raw("<li class=\"lane ").raw(mark.class()).raw("\">");
    let linked = item.has_details();
    if linked {
        html.raw("<a class=name href=\"#s").count_plain(at).raw("\">");
    } else {
        html.raw("<span class=name>");
    }
    html.raw("<span class=sign aria-hidden=true>").raw(mark.sign()).raw("</span> <span class=what>");
    html.text(item.name()).raw("</span>");
    badges(html, item);
    html.raw(if linked { "</a>" } else { "</span>" });
    html.raw("<span class=track aria-hidden=true>");
    for tick in ticks {
        html.raw("<i style=\"left:").percent(part(*tick, total)).raw("\"></i>");
    }
    html.raw("<span class=bar style=\"--l:").percent(part(item.start, total));
    html.raw(";--w:").percent(part(item.time(), total)).raw("\"></span></span>");
    html.raw("<span class=time>");
    if matches!(mark, Mark::Note) {
        html.raw("at ").text(&time(item.start));
    } else {
        html.text(&time(item.time()));
    }
    html.raw("</span></li>\n");
}

/// What the sign alone does not say.
pub(super) fn badges(html: &mut Html, item: &Item<'_>) {
    let mark = item.mark();
    if !matches!(mark, Mark::Model | Mark::Success | Mark::Note | Mark::Wait) {
        html.raw(" <span class=badge>").raw(mark.word()).raw("</span>");
    }
    if let tries @ 2.. = item.tries() {
        html.raw(" <span class=\"badge retried\">↻ ").count(tries.into()).raw(" tries</span>");
    }
    if let What::Model { step, .. } = &item.what
        && !step.fallbacks.is_empty()
    {
        html.raw(" <span class=\"badge retried\">after ").count(step.fallbacks.len() as u64);
        html.raw(" other models</span>");
    }
}

fn legend(html: &mut Html, story: &Story<'_>) {
    let mut marks: Vec<_> = story.items.iter().map(Item::mark).collect();
    marks.sort_unstable();
    marks.dedup();
    html.raw("<ul class=legend>");
    for mark in marks {
        html.raw("<li class=\"").raw(mark.class()).raw("\"><span class=sign aria-hidden=true>").raw(mark.sign());
        html.raw("</span> <span class=swatch><span class=bar></span></span> ").raw(mark.word()).raw("</li>");
    }
    html.raw("</ul>\n");
}

fn axis(html: &mut Html, ticks: &[Duration], total: Duration) {
    html.raw("<div class=axis aria-hidden=true><span class=track>");
    for tick in ticks {
        html.raw("<b style=\"left:").percent(part(*tick, total)).raw("\">").text(&time(*tick)).raw("</b>");
    }
    html.raw("</span></div>\n");
}

/// At most six round moments, from the beginning on.
fn ticks(total: Duration) -> Vec<Duration> {
    const STEPS: [u64; 3] = [1, 2, 5];
    let micros = u64::try_from(total.as_micros()).unwrap_or(u64::MAX);
    let step = (0..19)
        .flat_map(|power| STEPS.map(|step| step * 10_u64.pow(power)))
        .find(|step| micros / step <= 5)
        .unwrap_or(u64::MAX);
    (0..=micros / step).map(|tick| Duration::from_micros(tick * step)).collect()
}

fn part(of: Duration, total: Duration) -> f64 {
    of.as_secs_f64() / total.as_secs_f64()
}

/// A time as a person says it.
pub(super) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        0.0 => "0 ms".to_owned(),
        seconds if seconds < 0.001 => "under 1 ms".to_owned(),
        seconds if seconds < 1.0 => format!("{} ms", time.as_millis()),
        seconds if seconds < 60.0 => {
            let text = format!("{seconds:.2}");
            format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        let told: Vec<_> = [0, 400, 32_900, 1_240_000, 2_000_000, 125_000_000]
            .map(|micros| time(Duration::from_micros(micros)))
            .into();
        assert_eq!(told, ["0 ms", "under 1 ms", "32 ms", "1.24 s", "2 s", "2 min 05 s"]);
    }

    #[test]
    fn a_scale_has_a_few_round_ticks_whatever_its_length() {
        for micros in [1, 7, 999, 1_000, 59_000_000, 3_600_000_000, 86_400_000_000] {
            let ticks = ticks(Duration::from_micros(micros));
            assert!((2..=6).contains(&ticks.len()), "{micros}: {ticks:?}");
            assert_eq!(ticks[0], Duration::ZERO);
        }
        assert!(ticks(Duration::MAX).len() <= 6);
    }
}
