//! Strings, and types that are written as one.

use std::borrow::Cow;
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

use crate::schema::{Kind, Link, Shape, Text, ToolSchema};

static ANY: Shape = Shape::new(Kind::Text(Text::ANY));
static CHAR: Shape = Shape::new(Kind::Text(Text { min_length: Some(1), max_length: Some(1), ..Text::ANY }));

const EMPTY: Option<&str> = Some(r#""""#);

impl ToolSchema for str {
    const SHAPE: Link = Link::to(&ANY);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl ToolSchema for String {
    const SHAPE: Link = Link::to(&ANY);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl ToolSchema for Cow<'static, str> {
    const SHAPE: Link = Link::to(&ANY);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl ToolSchema for Path {
    const SHAPE: Link = Link::to(&ANY);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl ToolSchema for PathBuf {
    const SHAPE: Link = Link::to(&ANY);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl ToolSchema for char {
    const SHAPE: Link = Link::to(&CHAR);
    const DEFAULT: Option<&'static str> = Some(r#""\u0000""#);
}

written! {
    Ipv4Addr, format: "ipv4";
    Ipv6Addr, format: "ipv6";
    IpAddr, words: "an IPv4 or IPv6 address";
    SocketAddr, words: "an IP address with a port such as 192.0.2.1:8080 or [2001:db8::1]:8080";
}

/// Reads a string as `T`, and gives the form in which `T` writes itself where that is another one.
pub(super) fn own_form<T: FromStr<Err: Display> + Serialize>(text: &str) -> Result<Option<String>, String> {
    let value = text.parse::<T>().map_err(|error| error.to_string())?;
    match serde_json::to_value(&value).map_err(|error| error.to_string())? {
        Value::String(own) => Ok((own != text).then_some(own)),
        other => Err(format!("it is written as {other}, which is no string")),
    }
}
