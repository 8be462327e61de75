//! `mcp-roots-lint serve`.

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{CommonArgs, Error, Exit, duration};
use crate::compat::events::Events;
use crate::compat::roots::session::Limits;
use crate::compat::shared::Shared;
use crate::compat::{self, Offer, Options, StartError};
use crate::knowledge::protocol::Protocol;

/// Where directories come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The client's roots (before a migration)
    #[default]
    Roots,
    /// A tool parameter, checked against --allow-dir
    Arguments,
    /// A resource URI, checked against --allow-dir
    Resources,
    /// The one --allow-dir
    Config,
}

/// Which protocol revisions are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Era {
    /// All, each request in its own
    #[default]
    Both,
    /// Those with `initialize`, up to 2025-11-25
    Legacy,
    /// 2026-07-28
    Modern,
}

/// How clients connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output, one client
    #[default]
    Stdio,
    /// Streamable HTTP at /mcp
    Http,
}

/// Flags of `serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Where directories come from
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    mode: Mode,
    /// Which protocol revisions are offered
    #[arg(long, value_enum, default_value_t, value_name = "ERA")]
    era: Era,
    /// How clients connect
    #[arg(long, value_enum, default_value_t, value_name = "TRANSPORT")]
    transport: Transport,
    /// Address for --transport http; port 0 picks one [default: 127.0.0.1:0]
    #[arg(long, value_parser = address, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// A directory that may be read, in the migrated modes (repeatable)
    #[arg(long, value_name = "DIR")]
    allow_dir: Vec<PathBuf>,
    /// Let nothing stand in for roots: without them, calls fail
    ///
    /// Without this flag, a client that gives no usable root gets the counts of the working directory, unless that is
    /// the root of the file system or the home folder. This server only counts lines. A server that writes, or hands
    /// out contents, must not do so: a client without roots has allowed nothing.
    #[arg(long)]
    strict: bool,
    /// How long a client may take to answer `roots/list` [default: 5s]
    #[arg(long, value_parser = duration::parse, value_name = "DURATION")]
    roots_timeout: Option<Duration>,
    /// How many roots of a client are looked at [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000), value_name = "COUNT")]
    max_roots: Option<u32>,
    /// How many sessions may be open at a time, with --transport http [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), value_name = "COUNT")]
    max_sessions: Option<u32>,
    /// Append the events, one JSON object a line, to a file instead of standard error
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Also offer the fixtures that scenarios of the MCP conformance suite call
    #[arg(long)]
    conformance: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// What follows `--help`.
pub(super) const AFTER_HELP: &str = "\
Over stdio the server ends when its input is closed; over HTTP, and in a terminal, Ctrl-C ends it.

Exit codes:
  0  the client closed the connection
  2  bad arguments, an address or directory that cannot be used, or a fault of the tool";

/// `127.0.0.1:8931` or `localhost:8931`.
fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| "an address with a port is needed, such as `127.0.0.1:8931`".into())
}

impl ServeArgs {
    /// The first flag that says nothing in this mode or over this transport.
    fn idle_flag(&self) -> Option<StartError> {
        let of_roots = [
            ("--strict", self.strict),
            ("--roots-timeout", self.roots_timeout.is_some()),
            ("--max-roots", self.max_roots.is_some()),
            ("--conformance", self.conformance),
        ];
        let of_http = [("--listen", self.listen.is_some()), ("--max-sessions", self.max_sessions.is_some())];
        let idle = |flags: &[(&'static str, bool)]| flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
        let of_roots = idle(&of_roots).filter(|_| self.mode != Mode::Roots).map(|flag| (flag, "--mode roots"));
        let of_http =
            idle(&of_http).filter(|_| self.transport != Transport::Http).map(|flag| (flag, "--transport http"));
        let (flag, wanted) = of_roots.or(of_http)?;
        Some(StartError::Options(format!("{flag} says nothing without {wanted}")))
    }
}

pub(super) fn run(args: ServeArgs) -> Result<Exit, Error> {
    if let Some(error) = args.idle_flag() {
        return Err(error.into());
    }
    let knowledge = super::load(&args.common)?;
    let events = match &args.events {
        None => Events::stderr(),
        Some(path) => Events::file(path)
            .map_err(|error| StartError::Transport(format!("cannot write events to {}", path.display()), error))?,
    };
    let options = Options {
        mode: match args.mode {
            Mode::Roots => compat::Mode::Roots,
            Mode::Arguments => compat::Mode::Arguments,
            Mode::Resources => compat::Mode::Resources,
            Mode::Config => compat::Mode::Config,
        },
        offer: match args.era {
            Era::Both => Offer::Both,
            Era::Legacy => Offer::Legacy,
            Era::Modern => Offer::Modern,
        },
        strict: args.strict,
        limits: Limits {
            timeout: args.roots_timeout.unwrap_or(Duration::from_secs(5)),
            max_roots: args.max_roots.unwrap_or(256) as usize,
        },
        allow_dirs: args.allow_dir,
        conformance: args.conformance,
        deprecation: deprecation(&knowledge.protocol),
    };
    let shared = Shared::new(options, events)?;
    // One thread handles all messages: rmcp gives each a task of its own, and only this keeps them in order.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError::Transport("cannot start".into(), error))?;
    let listen = args.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
    let max_sessions = args.max_sessions.unwrap_or(256) as usize;
    if args.transport == Transport::Stdio && io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "waiting for a client on standard input; Ctrl-C ends");
    }
    let served = runtime.block_on(serve(args.transport, &shared, listen, max_sessions));
    // A read of standard input, or a file system that hangs, must not keep the process.
    runtime.shutdown_background();
    shared.events().finish();
    served?;
    Ok(Exit::Clean)
}

async fn serve(
    transport: Transport,
    shared: &Arc<Shared>,
    listen: SocketAddr,
    max_sessions: usize,
) -> Result<(), StartError> {
    match transport {
        Transport::Stdio => compat::stdio::serve(shared)
            .await
            .map_err(|error| StartError::Transport("the connection broke".into(), error)),
        Transport::Http => compat::http::serve(shared.clone(), listen, compat::http::Limits::new(max_sessions))
            .await
            .map_err(|error| StartError::Transport(format!("cannot listen on {listen}"), error)),
    }
}

/// The warning that SEP-2577 asks for where Roots is negotiated.
fn deprecation(protocol: &Protocol) -> String {
    format!(
        "warning: this client declares Roots, which is deprecated since {} (SEP-2577): {}; pass directories by tool \
         parameters, resource URIs or server configuration instead (here: --mode arguments, resources or config); {}",
        protocol.default_target, protocol.earliest_removal, protocol.url
    )
}
