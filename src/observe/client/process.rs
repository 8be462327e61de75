//! A server's process: started in a group of its own, and ended with everything that it started. What is said to it
//! is in `stdio`.
//!
//! On Unix the whole group gets the signals. On Linux descendants that left the group are found by a variable in
//! their environment. On Windows only the process itself is ended.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep};

/// How long a server has to end by itself once its input is closed, and again after a signal that asks it to.
const GRACE: Duration = Duration::from_secs(2);
/// How often is looked whether it has.
const TICK: Duration = Duration::from_millis(10);
/// Every process that a server starts inherits this variable.
const MARK: &str = "MCP_ROOTS_LINT_RUN";

/// What to start.
#[derive(Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, looked up in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables beyond those of this process. May hold secrets: never shown.
    pub env: Vec<(String, String)>,
    /// The working directory, if not this process's.
    pub cwd: Option<PathBuf>,
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// What it took to end a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It ended before it was told to.
    ByItself,
    /// Its standard input was closed, as the protocol wants it.
    InputClosed,
    /// It was asked to by SIGTERM.
    Terminated,
    /// It was killed.
    Killed,
}

impl StopReason {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ByItself => "by-itself",
            Self::InputClosed => "input-closed",
            Self::Terminated => "terminated",
            Self::Killed => "killed",
        }
    }
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What it took.
    pub reason: StopReason,
    /// What the system says, unless it could not be told.
    pub status: Option<ExitStatus>,
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.reason {
            StopReason::ByItself => "ended by itself",
            StopReason::InputClosed => "ended when its input was closed",
            StopReason::Terminated => "did not end when its input was closed, ended on SIGTERM",
            StopReason::Killed => "ended neither when its input was closed nor on SIGTERM, was killed",
        };
        match self.status {
            Some(status) => write!(f, "{how} ({status})"),
            None => write!(f, "{how}"),
        }
    }
}

/// The pipes to a server.
pub(super) struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// A running server. Its whole tree is killed when this is dropped, also by a panic or an interrupt.
pub(super) struct ServerProcess {
    child: Child,
    /// The process and the group that it leads.
    pid: Option<u32>,
    mark: String,
    is_over: bool,
}

impl ServerProcess {
    /// Starts a server.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub(super) fn start(launch: &Launch) -> io::Result<(Self, Pipes)> {
        static RUN: AtomicU64 = AtomicU64::new(0);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let mark = format!("{}-{time}-{}", std::process::id(), RUN.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(cwd) = &launch.cwd {
            command.current_dir(cwd);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let pid = child.id();
        let process = Self { child, pid, mark, is_over: false };
        let ((stdin, stdout), stderr) = pipes.ok_or_else(|| io::Error::other("no pipes to the server"))?;
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// Whether the process itself has ended. It is not reaped yet: until then its number, which is the group's, is
    /// nobody else's.
    #[cfg(unix)]
    pub(super) fn has_ended(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let Some(pid) = self.group() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the process to end by itself; whether it did.
    pub(super) async fn ends_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(TICK).await;
        }
        true
    }

    /// Ends the process, whose input the caller has closed, and all that it started. `early` says that it had ended
    /// before that. Takes at most a little more than twice [`GRACE`].
    pub(super) async fn end(mut self, early: bool) -> Ending {
        let reason = if early {
            StopReason::ByItself
        } else if self.ends_within(GRACE).await {
            StopReason::InputClosed
        } else {
            self.ask_to_end();
            if cfg!(unix) && self.ends_within(GRACE).await { StopReason::Terminated } else { StopReason::Killed }
        };
        self.kill_tree();
        self.is_over = true;
        let status = tokio::time::timeout(GRACE, self.child.wait()).await.ok().and_then(Result::ok);
        Ending { reason, status }
    }

    #[cfg(unix)]
    fn group(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(i32::try_from(self.pid?).ok()?)
    }

    #[cfg(unix)]
    fn ask_to_end(&self) {
        if let Some(group) = self.group() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
    }

    #[cfg(not(unix))]
    fn ask_to_end(&self) {}

    /// Before the process is reaped, see [`ServerProcess::has_ended`].
    fn kill_tree(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(target_os = "linux")]
        marked::kill(&format!("{MARK}={}", self.mark));
        let _ = self.child.start_kill();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if !self.is_over {
            self.kill_tree();
        }
    }
}

/// Processes that left the group, such as daemons and browsers: found by the variable that they inherited.
#[cfg(target_os = "linux")]
mod marked {
    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// A process can start another while the list is read.
    const PASSES: usize = 4;

    pub(super) fn kill(mark: &str) {
        for _ in 0..PASSES {
            if !kill_once(mark) {
                return;
            }
        }
    }

    /// Whether there was one.
    fn kill_once(mark: &str) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else { return false };
        let mut found = false;
        for process in processes.flatten() {
            let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            // Opened before it is looked at, so that the number cannot become another process's in between.
            let Some(handle) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else { continue };
            let Ok(environment) = fs::read(process.path().join("environ")) else { continue };
            if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
                found |= pidfd_send_signal(&handle, Signal::KILL).is_ok();
            }
        }
        found
    }
}
