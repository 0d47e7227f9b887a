import http.client, json, sys, time, urllib.request

server = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8001"
pods = server + "/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=1&"
start = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
position = start
while True:
    try:
        for line in urllib.request.urlopen(pods + position):
            event = json.loads(line)
            if event["type"] == "ERROR":  # The revision is too old (410).
                position = start
                break
            position = "resourceVersion=" + event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                print(event["type"], event["object"]["metadata"]["name"], flush=True)
    except (OSError, http.client.HTTPException):
        pass  # Nothing is lost: the next watch continues at the position.
    time.sleep(1)
