//! When a server wants to be asked again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The wait in the headers: milliseconds, seconds or a date.
pub(super) fn read(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(milliseconds) = header("retry-after-ms").and_then(seconds) {
        return Some(milliseconds / 1000);
    }
    let after = header(RETRY_AFTER.as_str())?;
    seconds(after).or_else(|| {
        let at = httpdate::parse_http_date(after).ok()?;
        Some(at.duration_since(SystemTime::now()).unwrap_or_default())
    })
}

/// A number of seconds, fractions included.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        assert_eq!(read(&headers("retry-after", "2.5")), Some(Duration::from_millis(2500)));
        assert_eq!(read(&headers("retry-after-ms", "1200")), Some(Duration::from_millis(1200)));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
        let read = read(&headers("retry-after", &soon)).unwrap();
        assert!(read > Duration::from_secs(50) && read <= Duration::from_secs(60));
    }

    #[test]
    fn a_date_in_the_past_is_no_wait() {
        assert_eq!(read(&headers("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_wait_and_no_panic() {
        for value in ["soon", "", "-1", "NaN", "inf", "1e400", "Sun, 99 Nov"] {
            assert_eq!(read(&headers("retry-after", value)), None, "{value}");
        }
    }
}
