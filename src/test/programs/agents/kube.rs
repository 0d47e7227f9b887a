//! A controller of pods (list, then watch) and a reflector of services (watch-list): the file $1 has the names and revisions that they have.

use futures::StreamExt;
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::runtime::{Controller, WatchStreamExt, controller::Action, reflector, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use std::{fmt::Debug, sync::Arc, time::Duration};

fn names<K: Resource<DynamicType = ()> + Clone + Debug + 'static>(store: &reflector::Store<K>) -> Vec<String> {
    let name = |it: &Arc<K>| format!("{}/{} {}\n", it.namespace().unwrap(), it.name_any(), it.resource_version().unwrap());
    store.state().iter().map(|it| format!("{} {}", K::kind(&()), name(it))).collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let (services, writer) = reflector::store();
    let reflected = watcher(Api::<Service>::all(client.clone()), watcher::Config::default().streaming_lists())
        .default_backoff()
        .reflect(writer)
        .for_each(|event| async { event.map_or_else(|error| eprintln!("{error}"), drop) });
    tokio::spawn(reflected);
    let controller = Controller::new(Api::<Pod>::all(client), watcher::Config::default());
    let pods = controller.store();
    let reconciled = controller
        .run(
            async |_, _| Ok(Action::await_change()),
            |_, _: &kube::Error, _| Action::await_change(),
            Arc::new(()),
        )
        .for_each(|result| async { result.map_or_else(|error| eprintln!("{error}"), drop) });
    tokio::spawn(reconciled);
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut all = [names(&pods), names(&services)].concat();
        all.sort();
        std::fs::write(std::env::args().nth(1).unwrap(), all.concat())?;
    }
}
