//! Strings, and types that are written as one.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::schema::{Kind, Link, Shape, Text, ToolSchema};

static ANY: Shape = Shape::new(Kind::Text(Text::ANY));
static CHAR: Shape = Shape::new(Kind::Text(Text { min_length: Some(1), max_length: Some(1), ..Text::ANY }));
static IPV4: Shape = Shape::new(Kind::Text(Text { format: Some("ipv4"), reads: Some(reads_ipv4), ..Text::ANY }));
static IPV6: Shape = Shape::new(Kind::Text(Text { format: Some("ipv6"), reads: Some(reads_ipv6), ..Text::ANY }));
static IP: Shape =
    Shape::new(Kind::Text(Text { words: Some("an IPv4 or IPv6 address"), reads: Some(reads_ip), ..Text::ANY }));

impl ToolSchema for str {
    const SHAPE: Link = Link::to(&ANY);
}

impl ToolSchema for String {
    const SHAPE: Link = Link::to(&ANY);
}

impl ToolSchema for Cow<'static, str> {
    const SHAPE: Link = Link::to(&ANY);
}

impl ToolSchema for char {
    const SHAPE: Link = Link::to(&CHAR);
}

impl ToolSchema for Ipv4Addr {
    const SHAPE: Link = Link::to(&IPV4);
}

impl ToolSchema for Ipv6Addr {
    const SHAPE: Link = Link::to(&IPV6);
}

impl ToolSchema for IpAddr {
    const SHAPE: Link = Link::to(&IP);
}

fn reads_ipv4(text: &str) -> Result<(), String> {
    reads::<Ipv4Addr>(text)
}

fn reads_ipv6(text: &str) -> Result<(), String> {
    reads::<Ipv6Addr>(text)
}

fn reads_ip(text: &str) -> Result<(), String> {
    reads::<IpAddr>(text)
}

fn reads<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}
