//! The metrics that an exporter gets.

use agent_telemetry::{Conventions, RunMetrics};
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};

pub(crate) struct Meters {
    exporter: InMemoryMetricExporter,
    provider: SdkMeterProvider,
}

impl Meters {
    pub(crate) fn new() -> Self {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).build();
        Self { exporter, provider: SdkMeterProvider::builder().with_reader(reader).build() }
    }

    pub(crate) fn metrics(&self, conventions: Conventions) -> RunMetrics {
        RunMetrics::new(&self.provider.meter("test"), "openai", conventions).agent("seller")
    }

    /// Each point as `name{attributes} count sum`, those of counters as `name{attributes} sum`.
    pub(crate) fn told(&self) -> Vec<String> {
        self.provider.force_flush().unwrap();
        let mut told = Vec::new();
        for metrics in self.exporter.get_finished_metrics().unwrap().iter().flat_map(|all| all.scope_metrics()) {
            for metric in metrics.metrics() {
                let name = metric.name();
                match metric.data() {
                    AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                        told.extend(
                            sum.data_points()
                                .map(|point| format!("{name}{} {}", of(point.attributes()), point.value())),
                        );
                    }
                    AggregatedMetrics::U64(MetricData::Histogram(histogram)) => told.extend(
                        histogram
                            .data_points()
                            .map(|point| format!("{name}{} {} {}", of(point.attributes()), point.count(), point.sum())),
                    ),
                    AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                        told.extend(histogram.data_points().map(|point| {
                            format!("{name}{} {} {:.3}", of(point.attributes()), point.count(), point.sum())
                        }))
                    }
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
        told.sort();
        told
    }
}

fn of<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let mut all: Vec<_> = attributes
        .filter(|attribute| {
            !matches!(attribute.key.as_str(), "gen_ai.agent.name" | "gen_ai.provider.name" | "gen_ai.operation.name")
        })
        .map(|attribute| format!("{}={}", attribute.key, attribute.value))
        .collect();
    all.sort();
    format!("{{{}}}", all.join(","))
}
