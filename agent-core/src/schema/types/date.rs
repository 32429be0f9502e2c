//! `chrono`: instants, dates and times of day.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};

written! {
    DateTime<Utc>, format: "date-time";
    DateTime<FixedOffset>, format: "date-time";
    NaiveDate, format: "date";
    // `time` and `date-time` have an offset, which these have not.
    NaiveTime, words: "a time of day without offset such as 09:30:00";
    NaiveDateTime, words: "a date and time without offset such as 2026-03-31T09:30:00";
}
