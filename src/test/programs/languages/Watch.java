void main(String[] arguments) throws InterruptedException {
    var pods = arguments[0] + "/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=1&";
    var start = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    for (var from = start; ; Thread.sleep(1000)) {
        try (var lines = new Scanner(URI.create(pods + from).toURL().openStream())) {
            while (lines.hasNextLine()) {
                var line = lines.nextLine();
                var type = member("type", line);
                var next = "resourceVersion=" + member("resourceVersion", line);
                from = type.equals("ERROR") ? start : next; // Its revision is too old (410).
                var text = type + " " + member("name", line) + "\n";
                IO.print(type.matches("BOOKMARK|ERROR") ? "" : text);
            }
        } catch (IOException e) { // Nothing is lost: the next watch continues.
        }
    }
}

/** Your application has a library for JSON. */
String member(String name, String json) {
    return json.replaceFirst(".*?\"" + name + "\":\"([^\"]*)\".*", "$1");
}
