//! Text that speaks of suppression comments and is none.

pub const HELP: &str = "put // mcp-roots-lint: allow(roots-type) and a reason on the line";

pub const LONGER: &str = "
// mcp-roots-lint: allow(roots-type)
";

/// mcp-roots-lint: allow(roots-type)
pub fn documented() {}
