using System.Text.Json.Nodes;

var server = args.Length > 0 ? args[0] : "http://127.0.0.1:8001";
var pods = server + "/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=1&";
const string Start = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
using var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
for (var from = Start; ; await Task.Delay(1000)) {
    try {
        using var lines = new StreamReader(await client.GetStreamAsync(pods + from));
        while (await lines.ReadLineAsync() is { } line) {
            var (type, metadata) = ((string)JsonNode.Parse(line)!["type"]!, JsonNode.Parse(line)!["object"]!["metadata"]!);
            // An error says that the revision is too old (410).
            from = type == "ERROR" ? Start : "resourceVersion=" + metadata["resourceVersion"];
            if (type is not ("BOOKMARK" or "ERROR")) Console.WriteLine($"{type} {metadata["name"]}");
        }
    } catch (Exception e) when (e is HttpRequestException or IOException) {
        // Nothing is lost: the next watch continues at the revision.
    }
}
