//! A test harness that plays the other side; its functions are named like those of rmcp.

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    struct Harness {
        child: std::process::Child,
        sent: Vec<Value>,
    }

    impl Harness {
        fn list_roots(&mut self, id: u64) {
            self.sent.push(json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list", "params": {} })); //~ roots-wire-method refused
        }

        fn start(&mut self) {
            self.sent.push(json!({
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": { "protocolVersion": "2025-11-25", "capabilities": { "roots": {} } } //~ roots-wire-method deprecated
            }));
        }
    }

    #[test]
    fn asks_once() {
        let mut harness = crate::harness();
        harness.start();
        harness.list_roots(2);
        assert_eq!(harness.sent.len(), 2);
    }
}
