//! The string formats of JSON Schema that a tool may ask for.
//!
//! Small checks of their own rather than a crate: each grammar is a few lines, and the core stays small.

mod date;
mod name;

use std::net::{Ipv4Addr, Ipv6Addr};

/// The check of a format; none where the format is not known.
pub(super) fn check(format: &str) -> Option<fn(&str) -> bool> {
    Some(match format {
        "date-time" => date::is_date_time,
        "date" => date::is_date,
        "time" => date::is_time,
        "duration" => date::is_duration,
        "ipv4" => |text| text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => |text| text.parse::<Ipv6Addr>().is_ok(),
        "uuid" => is_uuid,
        "email" => name::is_email,
        "hostname" => name::is_hostname,
        "uri" => name::is_uri,
        _ => return None,
    })
}

/// RFC 9562: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_tells_right_from_wrong() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "date-time",
                &[
                    "2026-03-31T09:30:00Z",
                    "2026-03-31t09:30:00.123+01:00",
                    "1990-12-31T23:59:60Z",
                    "2024-02-29T00:00:00-23:59",
                ],
                &[
                    "2026-03-31",
                    "2026-03-31T09:30:00",
                    "2026-02-29T00:00:00Z",
                    "2026-03-31 09:30:00Z",
                    "2026-03-31T09:30Z",
                    "2026-03-31T09:30:00+24:00",
                    "2026-03-31T10:30:60Z",
                    "é026-03-31T09:30:00Z",
                ],
            ),
            (
                "date",
                &["2026-03-31", "2000-02-29"],
                &["2026-3-31", "1900-02-29", "2026-13-01", "2026-04-31", "2026-00-10", "2026-01-00", "20260331", ""],
            ),
            (
                "time",
                &["09:30:00Z", "23:59:60Z", "00:00:00.5+02:00", "01:29:60+01:30"],
                &["24:00:00Z", "09:30:00", "09:30:00.Z", "22:59:60Z", "9:30:00Z"],
            ),
            (
                "duration",
                &["P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1D", "PT0S"],
                &["P", "PT", "P1DT", "P1H", "PT1D", "P1Y1W", "P1", "1D", "P1D2Y", "P-1D", "PT1H2S"],
            ),
            ("ipv4", &["127.0.0.1"], &["127.0.0", "256.0.0.1", "01.0.0.1", "127.0.0.1 "]),
            ("ipv6", &["::1", "::ffff:192.0.2.1", "2001:db8::"], &["1", "::1%eth0", ":::", "12345::"]),
            (
                "uuid",
                &["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"],
                &[
                    "123e4567e89b12d3a456426614174000",
                    "123e4567-e89b-12d3-a456-42661417400g",
                    "{123e4567-e89b-12d3-a456-426614174000}",
                ],
            ),
            (
                "email",
                &["ada@example.org", "a.b+c@x", "!#$%@example.org", "a@[127.0.0.1]"],
                &["ada", "@example.org", "ada@", ".a@x.org", "a..b@x.org", "a b@x.org", "a@x..org", "a@-x.org"],
            ),
            (
                "hostname",
                &["example.org", "localhost", "a-b.c", "xn--bcher-kva.example"],
                &["", "-a.org", "a-.org", "a..b", "a_b.org", "é.org", ".", "a.", "ab--c.org"],
            ),
            (
                "uri",
                &["https://example.org/a?b=c#d", "mailto:a@b.c", "urn:isbn:1", "http://[::1]:80/%20"],
                &[
                    "",
                    "/a",
                    "example.org",
                    "http://a b",
                    "1http://a",
                    "http://a/%zz",
                    "http://é",
                    "a:b\\c",
                    "http://[::1",
                ],
            ),
        ];
        for (format, right, wrong) in cases {
            let check = check(format).unwrap();
            for text in *right {
                assert!(check(text), "{text:?} is a {format}");
            }
            for text in *wrong {
                assert!(!check(text), "{text:?} is no {format}");
            }
        }
        let long = format!("{}.org", "a".repeat(64));
        assert!(!check("hostname").unwrap()(&long));
        assert!(check("colour").is_none());
    }
}
