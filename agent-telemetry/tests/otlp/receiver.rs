//! A receiver of OTLP over HTTP, on a loopback port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver as Inbox, Sender, channel};
use std::thread;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What is waited for is on its way; this is for the case that it is lost.
const LOST: Duration = Duration::from_secs(60);

enum Sent {
    Traces(ExportTraceServiceRequest),
    Metrics(ExportMetricsServiceRequest),
}

pub(crate) struct Receiver {
    address: SocketAddr,
    inbox: Inbox<Sent>,
}

/// Spans and metrics with the resource that they came from.
#[derive(Default)]
pub(crate) struct Received {
    pub(crate) spans: Vec<Span>,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) resources: Vec<String>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (outbox, inbox) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let outbox = outbox.clone();
                thread::spawn(move || serve(stream.unwrap(), &outbox));
            }
        });
        Self { address, inbox }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// So many spans, and metrics with this one among them.
    pub(crate) fn until(&self, spans: usize, metric: &str) -> Received {
        let mut all = Received::default();
        while all.spans.len() < spans || all.metrics.iter().all(|got| got.name != metric) {
            match self.inbox.recv_timeout(LOST).expect("the rest never came") {
                Sent::Traces(request) => {
                    for of in request.resource_spans {
                        all.resources.push(service(of.resource.as_ref()));
                        all.spans.extend(of.scope_spans.into_iter().flat_map(|scope| scope.spans));
                    }
                }
                Sent::Metrics(request) => {
                    for of in request.resource_metrics {
                        all.resources.push(service(of.resource.as_ref()));
                        all.metrics.extend(of.scope_metrics.into_iter().flat_map(|scope| scope.metrics));
                    }
                }
            }
        }
        all
    }
}

fn service(resource: Option<&Resource>) -> String {
    let named = resource.and_then(|resource| attribute(&resource.attributes, "service.name"));
    named.unwrap_or_default()
}

/// An attribute as text, with its type where it is no string.
pub(crate) fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let value = attributes.iter().find(|attribute| attribute.key == name)?.value.as_ref();
    Some(match value {
        Some(AnyValue { value: Some(Value::StringValue(text)) }) => text.clone(),
        Some(AnyValue { value: Some(Value::IntValue(number)) }) => format!("int {number}"),
        Some(AnyValue { value: Some(Value::BoolValue(truth)) }) => format!("bool {truth}"),
        other => format!("{other:?}"),
    })
}

/// Reads the requests of a connection until it is closed.
fn serve(stream: TcpStream, outbox: &Sender<Sent>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some((path, body)) = request(&mut reader) {
        let sent = match path.as_str() {
            "/v1/traces" => Sent::Traces(ExportTraceServiceRequest::decode(&*body).unwrap()),
            "/v1/metrics" => Sent::Metrics(ExportMetricsServiceRequest::decode(&*body).unwrap()),
            other => panic!("nothing is sent to {other}"),
        };
        // Nobody waits for it where the test has ended before.
        let _ = outbox.send(sent);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        if stream.write_all(head.as_bytes()).is_err() {
            return;
        }
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let (mut length, mut chunked, mut packed) = (0, false, false);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let header = line.trim_end().to_ascii_lowercase();
        match header.split_once(':').map(|(name, value)| (name, value.trim())) {
            None => break,
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(("transfer-encoding", value)) => chunked = value == "chunked",
            Some(("content-encoding", value)) => packed = value == "gzip",
            Some(("content-type", value)) => assert_eq!(value, "application/x-protobuf"),
            Some(_) => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        reader.take(length).read_to_end(&mut body).ok()?;
        return Some((path, if packed { unpacked(&body) } else { body }));
    }
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let size = u64::from_str_radix(line.trim_end(), 16).unwrap();
        reader.take(size).read_to_end(&mut body).ok()?;
        line.clear();
        reader.read_line(&mut line).ok()?;
        if size == 0 {
            return Some((path, if packed { unpacked(&body) } else { body }));
        }
    }
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut body).unwrap();
    body
}
