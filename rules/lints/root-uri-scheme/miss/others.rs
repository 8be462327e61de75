//! Other things called `Root`, and other lists called `roots`.

use serde_json::{Value, json};
use surrealdb::opt::auth::Root;

mod crawler {
    pub struct Root {
        pub address: String,
    }

    impl Root {
        pub fn new(address: &str) -> Self {
            Self { address: address.to_owned() }
        }
    }
}

fn crawl() -> Vec<crawler::Root> {
    vec![crawler::Root::new("https://example.com"), crawler::Root::new("/robots.txt")]
}

fn credentials() -> Root {
    Root { username: "root".into(), password: "https://".into() }
}

fn certificates() -> Value {
    json!({ "roots": [{ "url": "https://example.com/ca.pem" }], "intermediates": [] })
}

fn directories() -> Value {
    json!({ "directories": [{ "uri": "/srv/app" }] })
}
