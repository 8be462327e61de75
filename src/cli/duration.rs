//! Durations on the command line: a number and its unit.

use std::time::Duration;

/// Reads `1500ms`, `5s` or `2m`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let milliseconds: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return Err("write a number and its unit: `1500ms`, `5s`, `2m`".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "write a number before the unit: `1500ms`, `5s`, `2m`".to_owned())?;
    let all = number.checked_mul(milliseconds).filter(|all| (1..=86_400_000).contains(all));
    all.map(Duration::from_millis).ok_or_else(|| "must be between 1ms and one day".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_needed() {
        assert_eq!(parse("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["5", "s", "", "-1s", "1.5s", "0s", "99999999999999999999s", "25000m", "5 s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
