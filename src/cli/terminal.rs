//! Whether to colour, and text that is safe to show.

use std::io::IsTerminal;

use clap::ValueEnum;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What standard output can show.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Colour.
    pub color: bool,
}

impl Terminal {
    /// Looks at the choice, then at `NO_COLOR`, `FORCE_COLOR` and `CLICOLOR_FORCE`, then at the terminal.
    #[must_use]
    pub fn new(choice: ColorChoice) -> Self {
        let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let set = |name: &str| value(name).is_some_and(|value| value != "0");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            // https://no-color.org: whatever the value.
            ColorChoice::Auto if value("NO_COLOR").is_some() => false,
            ColorChoice::Auto if set("FORCE_COLOR") || set("CLICOLOR_FORCE") => true,
            ColorChoice::Auto => std::io::stdout().is_terminal(),
        };
        Self { color }
    }
}
