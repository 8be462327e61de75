//! Runs the command line cases of `tests/cmd`: one file a subject, commands with the output that they must give.

#[test]
fn cases() {
    let cases = trycmd::TestCases::new();
    // Empty counts as unset, so that the colours of the machine do not matter.
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"] {
        cases.env(name, "");
    }
    if cfg!(not(feature = "runtime")) {
        cases.skip("tests/cmd/serve.md");
    }
    cases.case("tests/cmd/*.md").case("tests/cmd/*.toml");
}
