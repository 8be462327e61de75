//! `cargo bench --bench count -- DIRECTORY`: counts a directory once; `benches/count.sh` compares it with other programs.
//!
//! Prints the counts, the seconds of wall time, and on Linux the peak memory of the process and of a process that counts
//! nothing.

#![allow(clippy::print_stdout, reason = "a program of its own")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mcp_roots_lint::compat::boundary::Directory;
use mcp_roots_lint::compat::count::{Budgets, count};

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let Some(path) = env::args_os().skip(1).find(|argument| argument != "--bench") else {
        println!("skipped: give it a directory, `cargo bench --bench count -- DIRECTORY`");
        return ExitCode::SUCCESS;
    };
    match measure(Path::new(&path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let directory = Directory::open(&path.canonicalize()?)?;
    let unbounded = Budgets { entries: u64::MAX, bytes: u64::MAX, time: Duration::MAX, ..Budgets::default() };
    let idle = peak_kib();
    let begin = Instant::now();
    let counts = count(&directory, &unbounded, &|| false)?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{}", serde_json::to_string(&counts)?);
    println!("seconds {seconds:.3}");
    if let (Some(idle), Some(peak)) = (idle, peak_kib()) {
        println!("peak_kib {peak}");
        println!("idle_kib {idle}");
    }
    Ok(())
}

/// The largest resident set so far, in KiB; Linux only.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
