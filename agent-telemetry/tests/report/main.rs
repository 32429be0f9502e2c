//! The report: what it says, and what it cannot be made to do.

#![cfg(feature = "report")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod browser;
#[path = "../scripted/mod.rs"]
mod scripted;

use std::sync::Arc;

use agent_core::model::{Message, Reply};
use agent_core::telemetry::Content;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, SecurityContext, tools};
use agent_telemetry::RunReport;
use serde_json::Value;

/// What breaks pages: markup, ends of elements and attributes, addresses that run, characters that turn text around.
const HOSTILE: &str = concat!(
    "</script><script>window.ran=1;parent.ran=1</script><img src=x onerror=\"parent.ran=1\">",
    "\"><svg onload=parent.ran=1>'--></style></title><a href=\"javascript:parent.ran=1\">x</a>",
    "<iframe srcdoc='<script>top.ran=1</script>'></iframe><meta http-equiv=refresh content=\"0;url=https://x.example\">",
    "&lt;b&gt;\u{202E}evil\u{0}\u{FEFF}{{7*7}}</details></pre><base href=https://x.example><form action=https://x.example>"
);

async fn everything() -> (String, RunReport) {
    let report = Arc::new(RunReport::new().window(8_000));
    let error = scripted::run(report.clone()).await;
    report.record(error.record());
    (report.html(), RunReport::from_record(error.record(), Some(error.kind())))
}

/// A run in which everything that the model, the person and the names can say is hostile.
async fn hostile() -> String {
    let report = Arc::new(RunReport::new());
    let arguments = serde_json::json!({ "article": HOSTILE }).to_string();
    let mut first = scripted::calls(&[
        (HOSTILE, "stock", &arguments),
        ("c2", HOSTILE, HOSTILE),
        ("c3", "stock", &format!("{{\"article\":1,\"{}\":2}}", HOSTILE.replace('"', "'").replace('\u{0}', ""))),
    ]);
    (first.text, first.reasoning, first.model) =
        (Some(HOSTILE.to_owned()), Some(HOSTILE.to_owned()), Some(HOSTILE.to_owned()));
    let mut last = Reply::text(HOSTILE);
    last.refusal = Some(HOSTILE.to_owned());
    let agent = Agent::builder(ScriptedModel::new([first, last]))
        .tools(tools![scripted::stock])
        .observer(report.clone())
        .build()
        .unwrap();
    let caller = SecurityContext::new(HOSTILE, HOSTILE);
    let history = vec![Message::user(HOSTILE), Message::assistant(HOSTILE)];
    let ended = agent.run(HOSTILE).history(history).caller(caller).id(HOSTILE).await;
    match &ended {
        Ok(answer) => report.record(answer.record()),
        Err(error) => report.record(error.record()),
    }
    report.html()
}

#[tokio::test(start_paused = true)]
async fn the_end_its_bound_and_every_step_are_in_the_page() {
    let (page, _) = everything().await;
    for text in [
        "No answer: circuit open",
        "<code>Limits::repeat_errors</code>, reached <b>2</b>",
        "Two pieces of A1 are ordered",
        "Cycle 6",
        "wrong arguments",
        "↻ 2 tries",
        "/pieces",
        "at least 1",
        "NO_SUCH_ARTICLE",
        "nothing ran; this is an earlier call",
        "16 %",
        scripted::PROMPT,
    ] {
        assert!(page.contains(text), "`{text}` is missing");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_stands_alone() {
    let (page, _) = everything().await;
    for outside in ["http:", "https:", "<script", "url(", "@import", "<link", "<img", " src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[tokio::test(start_paused = true)]
async fn a_record_alone_gives_a_report_that_says_what_it_does_not_know() {
    let (_, report) = everything().await;
    let page = report.html();
    assert!(page.contains("does not say what ran side by side"));
    assert!(page.contains("No answer: circuit open") && page.contains("SCHEMA_VALIDATION_FAILED"));
    assert_eq!(page.matches("class=\"lane ").count(), 15);
}

#[tokio::test(start_paused = true)]
async fn an_answered_record_is_shown_as_answered() {
    let agent = Agent::builder(ScriptedModel::new([Reply::text("Good morning.")])).build().unwrap();
    let answer = agent.run("Say hello.").id("greeting").await.unwrap();
    let page = RunReport::from_record(answer.record(), None).html();
    assert!(page.contains("<strong>Answered</strong>") && page.contains("Good morning."));
}

#[tokio::test(start_paused = true)]
async fn a_typed_answer_is_laid_out_as_the_json_that_it_is() {
    let report = Arc::new(RunReport::new());
    let finish = scripted::calls(&[("c1", "finish", r#"{"total":1800.00}"#)]);
    let agent = Agent::builder(ScriptedModel::new([finish])).observer(report.clone()).build().unwrap();
    let answer = agent.run("How much?").finish_name("finish").answer::<scripted::Total>().await.unwrap();
    assert_eq!(answer.value().total, 1800.0);
    assert!(report.html().contains("<pre tabindex=0>{\n  &quot;total&quot;: 1800.00\n}</pre>"), "{}", report.html());
}

#[tokio::test(start_paused = true)]
async fn only_what_the_hook_leaves_is_shown() {
    let hook = |content: Content<'_>| "x".repeat(content.text.len().min(3));
    let report = Arc::new(RunReport::new().redact(hook));
    let error = scripted::run(report.clone()).await;
    report.record(error.record());
    let page = report.html();
    for content in ["A1", "flaky", "pieces of", "at least 1", "There is no such article"] {
        assert!(!page.contains(content), "{content} is content");
    }
    assert!(page.contains("NO_SUCH_ARTICLE") && page.contains("delete_orders"));
}

#[tokio::test(start_paused = true)]
async fn a_report_is_of_one_run() {
    let report = Arc::new(RunReport::of("second"));
    let model = ScriptedModel::new([Reply::text("one"), Reply::text("two")]);
    let agent = Agent::builder(model).observer(report.clone()).build().unwrap();
    for id in ["first", "second"] {
        report.record(agent.run(id).id(id).await.unwrap().record());
    }
    let page = report.html();
    assert!(page.contains("Run <code>second</code>") && page.contains("two") && !page.contains("one</p>"));
}

#[test]
fn a_report_of_nothing_is_a_page_too() {
    assert!(RunReport::new().html().contains("Nothing has happened yet"));
}

#[tokio::test(start_paused = true)]
async fn hostile_text_is_text() {
    let page = hostile().await;
    for markup in ["<script", "<img", "<svg", "<iframe", "<a href=\"javascript", "<base", "<form", "\u{202E}", "\u{0}"]
    {
        assert!(!page.contains(markup), "{markup:?}");
    }
    assert_eq!(page.matches("</pre>").count(), page.matches("<pre tabindex=0>").count());
    assert_eq!(page.matches("</details>").count(), page.matches("<details ").count());
}

#[tokio::test(start_paused = true)]
async fn hostile_text_runs_nothing_and_fetches_nothing_in_a_browser() {
    let Some(found) = browser::look(&hostile().await, 900) else { return };
    assert_eq!(
        (&found["ran"], &found["scripts"], &found["handlers"], &found["fetched"]),
        (&false.into(), &0.into(), &0.into(), &0.into())
    );
    assert_eq!(found["schemes"], serde_json::json!([]));
    let known = [
        "a", "b", "body", "code", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4", "head", "header", "html",
        "i", "li", "main", "meta", "ol", "p", "pre", "section", "small", "span", "strong", "style", "summary", "table",
        "tbody", "td", "th", "thead", "title", "tr", "ul",
    ];
    let elements: Vec<_> = found["elements"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(elements.iter().all(|element| known.contains(element)), "{elements:?}");
    assert!(found["text"].as_str().unwrap().contains("</script><script>window.ran=1"));
    assert!(found["overflow"].as_i64().unwrap() <= 0, "long words push the page aside");
}

#[tokio::test(start_paused = true)]
async fn a_browser_draws_a_lane_for_each_call_where_it_belongs() {
    let (page, _) = everything().await;
    for width in [400, 900, 1600] {
        let Some(found) = browser::look(&page, width) else { return };
        assert!(found["end"].as_str().unwrap().contains("No answer: circuit open"));
        assert_eq!((&found["dead"], &found["opened"], &found["fetched"]), (&0.into(), &true.into(), &0.into()));
        assert!(found["focusable"].as_u64().unwrap() >= 2 * found["links"].as_u64().unwrap());
        assert!(found["overflow"].as_i64().unwrap() <= 0, "at {width} the page is wider than its window");
        let lanes = found["lanes"].as_array().unwrap();
        let told: Vec<_> = lanes
            .iter()
            .map(|lane| format!("{} {} {}", lane["kind"], lane["name"], lane["time"]).replace('"', ""))
            .collect();
        assert_eq!(
            told,
            [
                "model model 0 ms",
                "success stock 120 ms",
                "business stock 120 ms",
                "success stock 340 ms",
                "model model 0 ms",
                "success order 250 ms",
                "model model 0 ms",
                "replayed order 0 ms",
                "model model 0 ms",
                "denied delete_orders 0 ms",
                "model model 0 ms",
                "validation order 0 ms",
                "model model 0 ms",
                "validation order 0 ms",
                "note circuit opened at 590 ms",
                "note asked for closing words at 590 ms",
                "model closing words 0 ms",
            ]
        );
        let place = |lane: usize| (lanes[lane]["left"].as_f64().unwrap(), lanes[lane]["right"].as_f64().unwrap());
        // Of 590 ms: what runs side by side begins together; the order begins where the longest of them ends.
        let near = |seen: f64, wanted: f64| (seen - wanted).abs() < 0.02;
        assert!([1, 2, 3].map(place).iter().all(|(left, _)| near(*left, 0.0)), "{lanes:?}");
        assert!(near(place(1).1, 120.0 / 590.0) && near(place(3).1, 340.0 / 590.0), "{lanes:?}");
        assert!(near(place(5).0, 340.0 / 590.0) && near(place(5).1, 1.0), "{lanes:?}");
        let mut signs = lanes.iter().map(|lane| lane["sign"].as_f64().unwrap());
        assert!(signs.all(|sign| (0.0..20.0).contains(&sign)), "at {width}, a sign is beside its lane: {lanes:?}");
        assert!(lanes.iter().all(|lane| lane["visible"] == true && lane["right"].as_f64().unwrap() <= 1.001));
    }
}
