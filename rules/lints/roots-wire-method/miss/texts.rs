//! The words in logs, URLs, labels, comments and other names.

use anyhow::Context;

/// Answers `roots/list` and `notifications/roots/list_changed`: a doc comment is text.
#[tracing::instrument(name = "roots/list")]
async fn logged(client: &reqwest::Client, base: &str) -> anyhow::Result<String> {
    tracing::info!("roots/list");
    tracing::warn!(method = "roots/list", "no answer");
    let span = tracing::info_span!("roots/list");
    let _entered = span.enter();
    // client.send_request("roots/list") went in 0.5
    let url = format!("{base}/roots/list");
    let text = client.get(url).send().await.context("roots/list")?.text().await?;
    if text.is_empty() {
        anyhow::bail!("roots/list gave no answer");
    }
    Ok(text)
}

fn service_url(path: &str) -> String {
    format!("http://127.0.0.1:4444/{path}")
}

fn places() -> [String; 3] {
    let endpoint = "roots/list";
    [service_url("roots/list"), endpoint.to_owned(), "/v1/roots/list".to_owned()]
}

fn routes(router: axum::Router) -> axum::Router {
    router.route("/roots/list", axum::routing::get(|| async { "[]" }))
}

fn help() -> &'static str {
    "asks the client by roots/list, then waits for notifications/roots/list_changed"
}

fn other_methods(method: &str) -> bool {
    matches!(method, "tools/list" | "resources/list" | "notifications/tools/list_changed")
}
