//! Durations on the command line carry a unit.

use std::time::Duration;

/// Reads `1500ms`, `5s` or `2m`.
///
/// # Errors
///
/// Says what a duration looks like.
pub fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let millis = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return Err("a duration is a whole number with a unit, such as `1500ms`, `5s` or `2m`".into()),
    };
    match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(millis)) {
        // Timers count in milliseconds from now; a year is surely enough.
        Some(millis @ 1..=31_536_000_000) => Ok(Duration::from_millis(millis)),
        Some(0) => Err("must be longer than nothing".into()),
        _ => Err(format!("`{digits}` is not a number of time units that can be waited for")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_required() {
        assert_eq!(parse("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "5", "s", "0s", "-1s", "1.5s", "5 s", "5h", "99999999999999999999s", "9999999999m", "5ß"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
