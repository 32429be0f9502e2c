//! `jiff`: instants, dates, times of day and spans.

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Span, Timestamp};

written! {
    Timestamp, format: "date-time";
    Date, format: "date";
    Span, format: "duration";
    SignedDuration, format: "duration";
    // `time` and `date-time` have an offset, which these have not.
    Time, words: "a time of day without offset such as 09:30:00";
    DateTime, words: "a date and time without offset such as 2026-03-31T09:30:00";
}
