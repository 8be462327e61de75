//! Renders a rule's page for a terminal: headings, code blocks and inline code stand out, the rest stays as it is.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::report::safe;

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();

/// Writes a page; without colour it is the Markdown without fences and heading marks.
pub(super) fn write(page: &str, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut in_code = false;
    for line in page.lines() {
        let line = &safe::text(line);
        if line.starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            styled(out, CODE, color, &format!("    {line}"))?;
            writeln!(out)?;
        } else if let Some(heading) = line.strip_prefix('#') {
            styled(out, HEADING, color, heading.trim_start_matches('#').trim())?;
            writeln!(out)?;
        } else {
            inline(line, color, out)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// `code` and **strong** text in a line.
fn inline(line: &str, color: bool, out: &mut dyn Write) -> io::Result<()> {
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            styled(out, CODE, color, part)?;
            continue;
        }
        for (index, part) in part.split("**").enumerate() {
            let style = if index % 2 == 1 { STRONG } else { Style::new() };
            styled(out, style, color, part)?;
        }
    }
    Ok(())
}

fn styled(out: &mut dyn Write, style: Style, color: bool, text: &str) -> io::Result<()> {
    if color && style != Style::new() { write!(out, "{style}{text}{style:#}") } else { write!(out, "{text}") }
}
