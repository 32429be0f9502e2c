//! Spans and metrics as they go over the wire, to a receiver and through a collector.

#![cfg(feature = "otel")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests")]

mod collector;
mod receiver;
#[path = "../scripted/mod.rs"]
mod scripted;

use std::collections::BTreeMap;

use agent_telemetry::{Conventions, RunMetrics};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, Metric};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};

use self::collector::Collector;
use self::receiver::{Received, Receiver, attribute};

/// The spans of the scripted run.
const SPANS: usize = 16;

/// The scripted run, its spans and metrics sent to this address.
fn run_and_send(url: &str) {
    let resource = Resource::builder().with_service_name("shop").build();
    let spans = SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
    let spans = spans.with_endpoint(format!("{url}/v1/traces")).build().unwrap();
    let spans = SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build();
    let meters = MetricExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
    let meters = meters.with_endpoint(format!("{url}/v1/metrics")).build().unwrap();
    let meters = SdkMeterProvider::builder().with_periodic_exporter(meters).with_resource(resource).build();

    let traced = tracing_opentelemetry::layer().with_tracer(spans.tracer("shop"));
    let traced = traced.with_location(false).with_threads(false).with_tracked_inactivity(false);
    let ours = Targets::new().with_target("agent", tracing::Level::INFO);
    let subscriber = tracing_subscriber::registry().with(traced.with_filter(ours));
    let metrics = RunMetrics::new(&meters.meter("shop"), "openai", Conventions::V1_41).agent("seller");
    tracing::subscriber::with_default(subscriber, || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(scripted::run(metrics))
    });
    spans.shutdown().unwrap();
    meters.shutdown().unwrap();
}

#[test]
fn a_run_arrives_over_otlp_with_its_names_units_kinds_and_temporality() {
    let receiver = Receiver::start();
    run_and_send(&receiver.url());
    is_the_run(receiver.until(SPANS, "agent.runs"));
}

#[test]
fn a_run_goes_through_a_collector_unchanged() {
    let receiver = Receiver::start();
    let Some(collector) = Collector::start(&receiver.url()) else {
        println!("skipped: AGENT_TEST_COLLECTOR does not name a collector; `.ci/collector` installs one");
        return;
    };
    run_and_send(collector.url());
    is_the_run(receiver.until(SPANS, "agent.runs"));
}

/// What arrived is the scripted run, all of it.
fn is_the_run(received: Received) {
    assert!(received.resources.iter().all(|service| service == "shop"), "{:?}", received.resources);
    are_the_spans(received.spans);
    are_the_metrics(received.metrics);
}

fn are_the_spans(spans: Vec<Span>) {
    let mut count = BTreeMap::new();
    for span in &spans {
        *count.entry((span.name.as_str(), span.kind())).or_insert(0) += 1;
    }
    let expected = [
        (("chat scripted", SpanKind::Client), 7),
        (("execute_tool delete_orders", SpanKind::Internal), 1),
        (("execute_tool order", SpanKind::Internal), 4),
        (("execute_tool stock", SpanKind::Internal), 3),
        (("invoke_agent", SpanKind::Internal), 1),
    ];
    assert_eq!(count.into_iter().collect::<Vec<_>>(), expected);

    let root = spans.iter().find(|span| span.name == "invoke_agent").unwrap();
    assert!(root.parent_span_id.is_empty());
    for span in &spans {
        assert_eq!(span.trace_id, root.trace_id);
        assert!(span.name == "invoke_agent" || span.parent_span_id == root.span_id, "{span:?}");
        assert!(span.end_time_unix_nano >= span.start_time_unix_nano);
        // Content is off, and what steers the layer is no attribute.
        for name in ["gen_ai.input.messages", "gen_ai.tool.call.arguments", "otel.name", "otel.kind"] {
            assert_eq!(attribute(&span.attributes, name), None, "{name} in {span:?}");
        }
    }
    has(root, "agent.run.end_reason", "circuit_open");
    has(root, "error.type", "circuit_open");
    has(root, "agent.run.cycles", "int 6");
    has(root, "gen_ai.usage.output_tokens", "int 254");
    has(root, "agent.run.bound.value", "2");
    assert_eq!(root.status.as_ref().unwrap().code(), StatusCode::Error);

    let chat =
        spans.iter().find(|span| attribute(&span.attributes, "agent.cycle").as_deref() == Some("int 1")).unwrap();
    has(chat, "gen_ai.operation.name", "chat");
    has(chat, "gen_ai.provider.name", "openai");
    has(chat, "gen_ai.request.model", "scripted");
    has(chat, "gen_ai.usage.input_tokens", "int 1200");
    has(chat, "gen_ai.usage.cache_read.input_tokens", "int 800");
    has(chat, "gen_ai.response.finish_reasons", r#"["tool_call"]"#);

    let denied = spans.iter().find(|span| span.name == "execute_tool delete_orders").unwrap();
    has(denied, "agent.tool.denied", "bool true");
    has(denied, "error.type", "UNAUTHORIZED");
    has(denied, "gen_ai.tool.call.id", "c6");
}

fn has(span: &Span, name: &str, value: &str) {
    assert_eq!(attribute(&span.attributes, name).as_deref(), Some(value), "{name} in {span:?}");
}

fn are_the_metrics(metrics: Vec<Metric>) {
    let mut told: Vec<_> = metrics.iter().map(told).collect();
    told.sort();
    let expected = [
        "agent.circuits {circuit} counter [1]",
        "agent.runs {run} counter [1]",
        "agent.tool.denials {call} counter [1]",
        "agent.tool.replays {call} counter [1]",
        "agent.tool.retries {retry} counter [1, 1]",
        "gen_ai.client.operation.duration s histogram from 0.01 to 81.92 [7]",
        "gen_ai.client.token.usage {token} histogram from 1 to 67108864 [7, 7]",
        "gen_ai.execute_tool.duration s histogram from 0.01 to 81.92 [1, 1, 2]",
        "gen_ai.invoke_agent.duration s histogram from 0.1 to 409.6 [1]",
        "gen_ai.invoke_agent.inference_calls {inference_call} histogram from 0 to 128 [1]",
        "gen_ai.invoke_agent.tool_calls {tool_call} histogram from 0 to 128 [1]",
    ];
    assert_eq!(told, expected);

    let runs = metrics.iter().find(|metric| metric.name == "agent.runs").unwrap();
    let Some(Data::Sum(sum)) = &runs.data else { panic!("{runs:?}") };
    let attributes = &sum.data_points[0].attributes;
    assert_eq!(attribute(attributes, "agent.run.end_reason").as_deref(), Some("circuit_open"));
    assert_eq!(attribute(attributes, "gen_ai.agent.name").as_deref(), Some("seller"));
}

/// Name, unit, instrument, bounds, and for each set of attributes its count; each is cumulative.
fn told(Metric { name, unit, data, .. }: &Metric) -> String {
    let cumulative = AggregationTemporality::Cumulative;
    let (instrument, mut counts): (_, Vec<u64>) = match data {
        Some(Data::Sum(sum)) => {
            use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
            assert!(sum.aggregation_temporality() == cumulative && sum.is_monotonic, "{name}");
            let counts = sum.data_points.iter().map(|point| match point.value {
                Some(Value::AsInt(count)) => count.try_into().unwrap(),
                other => panic!("{name}: {other:?}"),
            });
            ("counter".to_owned(), counts.collect())
        }
        Some(Data::Histogram(histogram)) => {
            assert_eq!(histogram.aggregation_temporality(), cumulative, "{name}");
            let bounds = &histogram.data_points[0].explicit_bounds;
            let instrument = format!("histogram from {} to {}", bounds[0], bounds[bounds.len() - 1]);
            (instrument, histogram.data_points.iter().map(|point| point.count).collect())
        }
        other => panic!("{name}: {other:?}"),
    };
    counts.sort_unstable();
    format!("{name} {unit} {instrument} {counts:?}")
}
