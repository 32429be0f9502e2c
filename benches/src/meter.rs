//! CPU time and memory of this process, as the kernel counts them.

use std::cell::RefCell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap())
}

/// CPU time of the calling thread.
pub fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// CPU time of the process, user and system, of all its threads.
pub fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

/// Resident bytes of the process.
///
/// # Panics
///
/// Where there is no `/proc`, as on anything but Linux.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// How many files the process may have open.
///
/// # Panics
///
/// Where there is no `/proc`.
pub fn most_files() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap_or(u64::MAX)
}

thread_local! {
    static MARKS: RefCell<Option<Vec<Duration>>> = const { RefCell::new(None) };
}

/// Notes the CPU time of this thread, while [`marked`] goes on.
pub fn mark() {
    MARKS.with_borrow_mut(|marks| {
        if let Some(marks) = marks {
            marks.push(thread_time());
        }
    });
}

/// Microseconds of CPU time from each mark to the next while `work` goes on, all on this thread.
pub fn marked<T>(work: impl FnOnce() -> T) -> Vec<f64> {
    MARKS.set(Some(Vec::new()));
    work();
    let marks = MARKS.take().unwrap_or_default();
    marks.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1e6).collect()
}
