//! Addresses by name: hosts, mail boxes, URIs.

use std::net::{Ipv4Addr, Ipv6Addr};

/// RFC 1123: labels of letters, digits and inner hyphens, 63 characters each and 253 in all. Hyphens in third and fourth
/// place are kept for names in other scripts (RFC 5891), which begin with `xn--`.
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && (label.get(2..4) != Some("--") || label.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("xn")))
}

/// RFC 5321 without quoted local parts, which no one means: atoms with single dots, `@`, a host name or an address in brackets.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    local.len() <= 64 && local.split('.').all(is_atom) && (is_hostname(host) || is_address_literal(host))
}

fn is_atom(atom: &str) -> bool {
    !atom.is_empty() && atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
}

fn is_address_literal(host: &str) -> bool {
    let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) else { return false };
    match address.strip_prefix("IPv6:") {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => address.parse::<Ipv4Addr>().is_ok(),
    }
}

/// RFC 3986 with its scheme: the characters that a URI may have, whole percent escapes, a port of digits, brackets
/// only around a host's address.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.bytes();
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        || !letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return false;
    }
    let Some(rest) = rest.strip_prefix("//") else { return is_uri_text(rest) };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    !user.contains('@') && is_uri_text(user) && is_host(host) && is_uri_text(path)
}

/// A host and perhaps its port.
fn is_host(host: &str) -> bool {
    let (is_host, port) = match host.strip_prefix('[').map(|bracketed| bracketed.split_once(']')) {
        Some(Some((address, rest))) => (address.parse::<Ipv6Addr>().is_ok(), rest),
        Some(None) => return false,
        None => {
            let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            (is_uri_text(name), port)
        }
    };
    is_host && (port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit())))
}

fn is_uri_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.matches('#').count() <= 1
        && bytes.iter().enumerate().all(|(index, byte)| match byte {
            b'%' => bytes.get(index + 1..index + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit)),
            byte => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(byte),
        })
}
