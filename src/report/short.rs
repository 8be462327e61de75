//! One line a finding: `path:line:column: severity[rule]: message`.

use std::io::{self, Write};

use super::{View, paths, safe};

/// Writes the listed findings, then what was not checked.
///
/// # Errors
/// When `out` does.
pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in view.listed() {
        writeln!(
            out,
            "{}:{}:{}: {}[{}]: {}",
            safe::text(&paths::display(finding.source.path())),
            finding.span.start.line,
            finding.span.start.column,
            finding.severity.name(),
            finding.rule,
            safe::text(&finding.message),
        )?;
    }
    for skip in view.outcome.skipped.iter().filter(|skip| skip.reason.is_incomplete()) {
        let path = safe::text(&paths::display(&skip.path));
        writeln!(out, "{path}: not checked ({}): {}", skip.reason.name(), safe::text(&skip.detail))?;
    }
    for degraded in &view.outcome.degraded {
        let path = safe::text(&paths::display(&degraded.path));
        writeln!(out, "{path}: checked by its tokens ({}): {}", degraded.reason.name(), safe::text(&degraded.detail))?;
    }
    Ok(())
}
