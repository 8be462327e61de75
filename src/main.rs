//! The binary: parse arguments, run the command, turn the outcome into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_roots_lint::cli::main()
}
