// Cargo.toml: reqwest = { version = "0.12", features = ["blocking"] }, serde_json = "1"
use std::{env, io::{BufRead, BufReader}, thread, time::Duration};

fn main() {
    let server = env::args().nth(1).unwrap_or("http://127.0.0.1:8001".into());
    let pods = server + "/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=1";
    let start = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan".to_string();
    let client = reqwest::blocking::Client::builder().timeout(None).build().unwrap();
    let mut from = start.clone();
    loop {
        if let Ok(answer) = client.get(format!("{pods}&{from}")).send() {
            for line in BufReader::new(answer).lines().map_while(Result::ok) {
                let event: serde_json::Value = serde_json::from_str(&line).unwrap();
                let (kind, metadata) = (event["type"].as_str().unwrap(), &event["object"]["metadata"]);
                if kind == "ERROR" { from = start.clone(); break } // The revision is too old (410).
                from = format!("resourceVersion={}", metadata["resourceVersion"].as_str().unwrap());
                if kind != "BOOKMARK" { println!("{kind} {}", metadata["name"].as_str().unwrap()) }
            }
        }
        thread::sleep(Duration::from_secs(1));
    }
}
