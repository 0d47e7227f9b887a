"""Starts Prometheus ($1), which discovers targets at SERVER, and prints them once all roles have some."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

ROLES = 5

with open("prometheus.yaml", encoding="utf-8") as template:
    configuration = template.read()
for name in ["SERVER", "NAMESPACE"]:
    configuration = configuration.replace(name, os.environ[name])
with open("configured.yaml", "w", encoding="utf-8") as configured:
    configured.write(configuration)

with socket.create_server(("127.0.0.1", 0)) as free:
    address = "127.0.0.1:%d" % free.getsockname()[1]
command = [
    sys.argv[1],
    "--config.file=configured.yaml",
    "--storage.tsdb.path=data",
    "--web.listen-address=" + address,
]


def discovered():
    with urllib.request.urlopen("http://" + address + "/api/v1/targets") as answer:
        active = json.load(answer)["data"]["activeTargets"]
    return sorted((target["scrapePool"], target["discoveredLabels"]["__address__"]) for target in active)


with subprocess.Popen(command, stderr=subprocess.DEVNULL) as prometheus:
    try:
        targets = []
        while len({role for role, _ in targets}) < ROLES and prometheus.poll() is None:
            time.sleep(0.2)
            try:
                targets = discovered()
            except OSError:
                pass  # It is not up yet.
        for role, target in targets:
            print(role, target)
    finally:
        prometheus.terminate()
