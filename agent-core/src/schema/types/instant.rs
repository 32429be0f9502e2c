//! `jiff`: instants and dates.

use jiff::Timestamp;
use jiff::civil::Date;

written! {
    Timestamp, format: "date-time";
    Date, format: "date";
}
