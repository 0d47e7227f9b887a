package io.kubemirror.feature.cli;

import tools.jackson.databind.JsonNode;

import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Prints a diagnosis as plain ASCII text: findings first, then tables.
 *
 * @param diagnosis the diagnosis
 * @param out where to print it
 */
record DiagnosisReport(JsonNode diagnosis, PrintWriter out) {

    private static final int WATCHERS = 10;

    void print(URI url, List<ListProbe> trials) {
        out.printf(
                "kubemirror %s at %s, up for %s, Java %s%n",
                text(diagnosis, "/program/version"),
                url,
                span(diagnosis, "/program/uptimeSeconds"),
                text(diagnosis, "/program/java"));
        out.printf(
                "mirrors %s: %s%n",
                text(diagnosis, "/upstream/server"),
                diagnosis.at("/upstream/version").isString()
                        ? text(diagnosis, "/upstream/version")
                                + ", responded in "
                                + span(diagnosis, "/upstream/answerSeconds")
                        : "no response");
        out.printf(
                "heap %s of %s, memory budget %s of %s, objects %s, history %s%n",
                size(diagnosis, "/memory/heapUsedBytes"),
                size(diagnosis, "/memory/heapMaxBytes"),
                size(diagnosis, "/memory/budgetUsedBytes"),
                size(diagnosis, "/memory/budgetLimitBytes"),
                size(diagnosis, "/memory/storeBytes"),
                size(diagnosis, "/memory/windowBytes"));
        out.println();
        printFindings(trials);
        printMirrors();
        printAccess();
        printTrials(trials);
        printWatchers();
        printServerWatches();
        printBusiest();
        printErrors();
    }

    private void printFindings(List<ListProbe> trials) {
        TextTable table = new TextTable();
        for (JsonNode finding : diagnosis.path("findings")) {
            table.add(
                    text(finding, "/severity").toUpperCase(Locale.ROOT),
                    text(finding, "/mirror"),
                    text(finding, "/text"));
            table.add("", "", text(finding, "/action"));
        }
        trials.stream()
                .filter(trial -> !trial.answered())
                .forEach(
                        trial ->
                                table.add(
                                        "ERROR",
                                        plain(trial.mirror()),
                                        "list failed: " + plain(trial.problem())));
        if (table.isEmpty()) {
            out.println("No problems found.");
        }
        table.print(out);
    }

    private void printMirrors() {
        TextTable table =
                new TextTable(
                        "MIRROR",
                        "STATE",
                        "OBJECTS",
                        "SIZE",
                        "REVISION",
                        "CONTACT",
                        "STRATEGY",
                        "LAST SYNCHRONIZED BY",
                        "WINDOW");
        for (JsonNode mirror : mirrors()) {
            table.add(
                    text(mirror, "/name"),
                    text(mirror, "/state/phase"),
                    text(mirror, "/content/objects"),
                    size(mirror, "/content/bytes"),
                    text(mirror, "/content/revision"),
                    mirror.at("/state/contactAgeSeconds").isNumber()
                            ? span(mirror, "/state/contactAgeSeconds") + " ago"
                            : "never",
                    text(mirror, "/sync/strategy"),
                    last(mirror.at("/sync/last")),
                    text(mirror, "/window/changes") + " in " + span(mirror, "/window/spanSeconds"));
        }
        section(table);
        for (JsonNode mirror : mirrors()) {
            for (JsonNode capability : mirror.at("/sync/serverCapabilities")) {
                out.printf("%s: %s%n", text(mirror, "/name"), plain(capability.asString()));
            }
        }
    }

    private String last(JsonNode last) {
        return last.isObject()
                ? "%s in %s, %s"
                        .formatted(text(last, "/how"), span(last, "/seconds"), ago(last, "/at"))
                : "never";
    }

    private void printAccess() {
        TextTable table = new TextTable("ALLOWED", "GET", "LIST", "WATCH", "");
        for (JsonNode mirror : mirrors()) {
            table.add(
                    text(mirror, "/name"),
                    allowed(mirror.at("/access/get/allowed")),
                    allowed(mirror.at("/access/list/allowed")),
                    allowed(mirror.at("/access/watch/allowed")),
                    mirror.at("/access/list/allowed").isBoolean()
                            ? ""
                            : text(mirror, "/access/list/reason"));
        }
        section(table);
    }

    private static String allowed(JsonNode allowed) {
        return allowed.isBoolean() ? (allowed.booleanValue() ? "yes" : "no") : "unknown";
    }

    private void printTrials(List<ListProbe> trials) {
        TextTable table = new TextTable("LIST", "ONE OBJECT", "ALL", "SAMPLES", "SIZE", "RESULT");
        trials.stream()
                .filter(ListProbe::answered)
                .forEach(
                        trial ->
                                table.add(
                                        plain(trial.mirror()),
                                        spread(trial.one()),
                                        spread(trial.all()),
                                        Integer.toString(trial.all().size()),
                                        size(trial.bytes()),
                                        plain(trial.state())));
        section(table);
    }

    private void printWatchers() {
        TextTable table =
                new TextTable("WATCHER", "CLIENT", "SINCE", "BEHIND", "SENT", "AGENT", "SELECTION");
        for (JsonNode mirror : mirrors()) {
            List<JsonNode> shown =
                    mirror.at("/watchers/shown").valueStream().limit(WATCHERS).toList();
            for (JsonNode watcher : shown) {
                table.add(
                        text(mirror, "/name"),
                        text(watcher, "/client"),
                        ago(watcher, "/since"),
                        text(watcher, "/behind"),
                        text(watcher, "/events") + ", " + size(watcher, "/bytes"),
                        text(watcher, "/agent"),
                        text(watcher, "/selection"));
            }
            int more = mirror.at("/watchers/open").asInt() - shown.size();
            if (more > 0) {
                table.add(text(mirror, "/name"), "and " + more + " more");
            }
        }
        section(table);
    }

    /** Prints what the API server counts, which are the watches of all its clients. */
    private void printServerWatches() {
        TextTable table = new TextTable("SERVER", "WATCHES");
        diagnosis
                .at("/upstream/watches/open")
                .forEachEntry((resource, open) -> table.add(plain(resource), open.asString()));
        section(table);
        JsonNode problem = diagnosis.at("/upstream/watches/problem");
        if (problem.isString()) {
            out.printf("%nAPI server's count of watches: %s%n", plain(problem.asString()));
        }
    }

    private void printBusiest() {
        TextTable table = new TextTable("CHANGED MOST", "OBJECT", "CHANGES", "OF", "WITHIN");
        for (JsonNode mirror : mirrors()) {
            for (JsonNode object : mirror.path("busiest")) {
                table.add(
                        text(mirror, "/name"),
                        text(object, "/object"),
                        text(object, "/changes"),
                        text(mirror, "/window/changes"),
                        span(mirror, "/window/spanSeconds"));
            }
        }
        section(table);
    }

    private void printErrors() {
        TextTable table = new TextTable("LAST ERROR", "", "");
        for (JsonNode mirror : mirrors()) {
            JsonNode error = mirror.at("/state/lastError");
            if (error.isObject()) {
                table.add(text(mirror, "/name"), ago(error, "/at"), text(error, "/problem"));
            }
        }
        section(table);
    }

    private void section(TextTable table) {
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
    }

    private JsonNode mirrors() {
        return diagnosis.path("mirrors");
    }

    private static Instant instant(JsonNode node, String pointer) {
        return Instant.parse(node.at(pointer).asString());
    }

    private String ago(JsonNode node, String pointer) {
        Duration age = Duration.between(instant(node, pointer), instant(diagnosis, "/at"));
        return span(Math.max(0, seconds(age))) + " ago";
    }

    /** Returns the median, and the shortest and the longest of sorted durations. */
    private static String spread(List<Duration> sorted) {
        return "%s (%s to %s)"
                .formatted(
                        span(seconds(sorted.get(sorted.size() / 2))),
                        span(seconds(sorted.getFirst())),
                        span(seconds(sorted.getLast())));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static String span(JsonNode node, String pointer) {
        return span(node.at(pointer).asDouble());
    }

    private static String span(double seconds) {
        if (seconds < 1) {
            return Math.round(seconds * 1000) + " ms";
        }
        if (seconds < 120) {
            return Math.round(seconds) + " s";
        }
        return seconds < 7200
                ? Math.round(seconds / 60) + " min"
                : Math.round(seconds / 3600) + " h";
    }

    private static String size(JsonNode node, String pointer) {
        return size(node.at(pointer).asLong());
    }

    private static String size(long bytes) {
        if (bytes < 10_000) {
            return bytes + " B";
        }
        return bytes < 10_000_000 ? (bytes >> 10) + " KB" : (bytes >> 20) + " MB";
    }

    private static String text(JsonNode node, String pointer) {
        return plain(node.at(pointer).asString(""));
    }

    /**
     * Removes control characters: clients choose their User-Agent, and a terminal would interpret
     * them.
     */
    private static String plain(String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    /** Formats rows of text in aligned columns. */
    private static final class TextTable {

        private static final int GAP = 2;

        private final boolean titled;
        private final List<List<String>> lines = new ArrayList<>();

        /** Creates an empty table, without titles if there are none. */
        TextTable(String... titles) {
            titled = titles.length > 0;
            if (titled) {
                add(titles);
            }
        }

        void add(String... cells) {
            lines.add(List.of(cells));
        }

        boolean isEmpty() {
            return lines.size() == (titled ? 1 : 0);
        }

        void print(PrintWriter out) {
            List<Integer> widths = new ArrayList<>();
            for (List<String> line : lines) {
                for (int i = 0; i < line.size(); i++) {
                    if (i == widths.size()) {
                        widths.add(0);
                    }
                    widths.set(i, Math.max(widths.get(i), line.get(i).length() + GAP));
                }
            }
            lines.forEach(line -> out.println(line(line, widths)));
        }

        private static String line(List<String> cells, List<Integer> widths) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.size(); i++) {
                text.append(cells.get(i)).repeat(' ', widths.get(i) - cells.get(i).length());
            }
            return text.toString().stripTrailing();
        }
    }
}
