//! RFC 3339: dates, times and durations.

pub(super) fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
}

pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else { return false };
    let (Some(century), Some(rest), Some(month), Some(day)) =
        (two(*y1, *y2), two(*y3, *y4), two(*m1, *m2), two(*d1, *d2))
    else {
        return false;
    };
    day >= 1 && day <= days(century * 100 + rest, month)
}

/// The days of a month; 0 where there is no such month.
fn days(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

pub(super) fn is_time(text: &str) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text.as_bytes() else { return false };
    let (Some(hour @ 0..24), Some(minute @ 0..60), Some(second @ 0..=60)) =
        (two(*h1, *h2), two(*m1, *m2), two(*s1, *s2))
    else {
        return false;
    };
    let offset = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        other => other,
    };
    let Some(offset) = offset_minutes(offset) else { return false };
    // A leap second is inserted at the end of a day in UTC.
    let utc = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    second < 60 || utc == 23 * 60 + 59
}

fn offset_minutes(offset: &[u8]) -> Option<i64> {
    match offset {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (Some(hour @ 0..24), Some(minute @ 0..60)) = (two(*h1, *h2), two(*m1, *m2)) else { return None };
            let minutes = i64::from(hour * 60 + minute);
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

fn two(tens: u8, ones: u8) -> Option<u32> {
    Some(char::from(tens).to_digit(10)? * 10 + char::from(ones).to_digit(10)?)
}

/// RFC 3339, appendix A: weeks alone, or neighbouring units from the largest to the smallest.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    match time {
        None => is_run(date, "YMD") || is_run(date, "W"),
        Some(time) => (date.is_empty() || is_run(date, "YMD")) && is_run(time, "HMS"),
    }
}

/// Whether the text is numbers, each followed by its unit, the units neighbours in `units` and in that order.
fn is_run(mut text: &str, units: &str) -> bool {
    let mut expected: Option<usize> = None;
    while !text.is_empty() {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (Some(unit), true) = (text[digits..].chars().next(), digits > 0) else { return false };
        let Some(place) = units.find(unit) else { return false };
        if expected.is_some_and(|expected| place != expected) {
            return false;
        }
        expected = Some(place + 1);
        text = &text[digits + unit.len_utf8()..];
    }
    expected.is_some()
}
