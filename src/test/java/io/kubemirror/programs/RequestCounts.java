package io.kubemirror.programs;

import io.kubemirror.testing.scripted.Route;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How often an API server was asked for what, such as {@code list pods} or {@code update
 * pods/status}. Discovery, OpenAPI, and the version count as one each, because their requests
 * depend on the version of the program.
 */
record RequestCounts(Map<String, Integer> counts) {

    private static final Pattern HEAD =
            Pattern.compile("^([A-Z]+) ([^ ?]+)(\\?[^ ]*)? HTTP/1\\.1\r\n");
    private static final Pattern WATCH = Pattern.compile("[?&]watch=(1|true)(&|$)");
    private static final Set<String> DOCUMENTS = Set.of("OpenAPI", "discovery", "version");

    /** Counts the requests of programs, not kubemirror's own, among what a relay has read. */
    static RequestCounts of(List<String> pieces) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String piece : pieces) {
            Matcher head = HEAD.matcher(piece);
            if (head.find() && !piece.contains("\r\nUser-Agent: kubemirror/")) {
                String query = head.group(3) == null ? "" : head.group(3);
                String request = request(head.group(1), head.group(2), query);
                counts.merge(request, 1, DOCUMENTS.contains(request) ? Math::max : Integer::sum);
            }
        }
        return new RequestCounts(counts);
    }

    private static String request(String method, String path, String query) {
        Route route = Route.of(path);
        return switch (route.place()) {
            case ROOT, GROUP, VERSION -> "discovery";
            case OTHER -> path.startsWith("/openapi/") ? "OpenAPI" : path.substring(1);
            case RESOURCE -> verb(method, route, query) + " " + resource(route);
        };
    }

    private static String verb(String method, Route route, String query) {
        boolean collection = route.name().isEmpty();
        return switch (method) {
            case "GET", "HEAD" ->
                    WATCH.matcher(query).find() || route.watchPath()
                            ? "watch"
                            : collection ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> collection ? "deletecollection" : "delete";
            default -> method;
        };
    }

    private static String resource(Route route) {
        return route.plural() + (route.subresource().isEmpty() ? "" : "/" + route.subresource());
    }

    /** The requests for objects, such as {@code list pods}, without discovery and the like. */
    Set<String> ofObjects() {
        return counts.keySet().stream()
                .filter(request -> !DOCUMENTS.contains(request))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the requests as a table shows them. */
    String text() {
        return counts.isEmpty()
                ? "nothing"
                : counts.entrySet().stream()
                        .map(entry -> text(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String text(String request, int count) {
        return count == 1 ? request : request + " ×" + count;
    }

    /** Reads what {@link #text()} has written. */
    static RequestCounts parse(String text) {
        Map<String, Integer> counts = new TreeMap<>();
        if (!text.equals("nothing")) {
            for (String entry : text.split(", ", -1)) {
                int times = entry.indexOf(" ×");
                if (times < 0) {
                    counts.put(entry, 1);
                } else {
                    counts.put(
                            entry.substring(0, times),
                            Integer.parseInt(entry.substring(times + 2)));
                }
            }
        }
        return new RequestCounts(counts);
    }
}
