#!/bin/bash
# Prints each pod of the namespace default, then each change of one.
server=${1:-http://127.0.0.1:8001}
start='sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
from=$start
while true; do
    while read -r event; do
        type=$(jq -r .type <<<"$event")
        if [[ $type == ERROR ]]; then # The revision is too old (410).
            from=$start
            break
        fi
        from=resourceVersion=$(jq -r .object.metadata.resourceVersion <<<"$event")
        [[ $type == BOOKMARK ]] || jq -r '.type + " " + .object.metadata.name' <<<"$event"
    done < <(curl -sN "$server/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=1&$from")
    sleep 1
done
