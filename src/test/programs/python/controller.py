"""A controller on Python's official client: it lists, watches, writes, and reads what it wrote.

KUBECONFIG leads to the API server, NAMESPACE is where it works.
"""

import os

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
namespace = os.environ["NAMESPACE"]
core = client.CoreV1Api()
apps = client.AppsV1Api()
custom = client.CustomObjectsApi()
gadgets = ("example.com", "v1", namespace, "gadgets")


def tell(what, result):
    print(what + ":", result, flush=True)


def state():
    listed = core.list_namespaced_config_map(namespace, label_selector="app=task").items
    return [(task.metadata.name, task.data["state"]) for task in listed]


def task(name):
    metadata = client.V1ObjectMeta(name=name, labels={"app": "task"})
    return client.V1ConfigMap(metadata=metadata, data={"state": "new"})


listed = core.list_namespaced_config_map(namespace, label_selector="app=task")
tell("before", len(listed.items))

core.create_namespaced_config_map(namespace, task("tried"), dry_run="All")
tell("after a dry run", state())

for name in ["one", "two"]:
    core.create_namespaced_config_map(namespace, task(name))
    tell("after creating " + name, state())

events = watch.Watch()
for event in events.stream(
    core.list_namespaced_config_map,
    namespace,
    label_selector="app=task",
    resource_version=listed.metadata.resource_version,
):
    done = event["object"]
    tell("watched", (event["type"], done.metadata.name, done.data["state"]))
    if done.data["state"] == "new":
        core.patch_namespaced_config_map(done.metadata.name, namespace, {"data": {"state": "done"}})
        tell("after patching " + done.metadata.name, state())
    elif done.metadata.name == "two":
        events.stop()

try:
    core.create_namespaced_config_map(namespace, task("one"))
except ApiException as refused:
    tell("created twice", refused.reason)

deployment = apps.read_namespaced_deployment_status("web", namespace)
deployment.status.replicas = 3
apps.replace_namespaced_deployment_status("web", namespace, deployment)
tell("replicas", apps.read_namespaced_deployment("web", namespace).status.replicas)

gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "x"}, "spec": {"size": 1}}
custom.create_namespaced_custom_object(*gadgets, gadget)
custom.patch_namespaced_custom_object_scale(*gadgets, "x", {"spec": {"replicas": 5}})
tell("scaled", custom.get_namespaced_custom_object(*gadgets, "x")["spec"])

core.delete_collection_namespaced_config_map(namespace, label_selector="app=task")
tell("after deleting all", state())
