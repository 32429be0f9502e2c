//! CPU time and memory of this process, as the kernel counts them.

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
