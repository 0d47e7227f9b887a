package io.kubemirror.feature.cli;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Prints a diagnosis as plain ASCII text: findings first, then tables.
 *
 * <p>Lines and tables are templates, with columns separated by {@code |}. A cell refers to values
 * as in {@code {content/bytes size}}, a path and a notation. What follows a question mark is shown
 * instead of a cell with a value that is missing.
 *
 * @param diagnosis the diagnosis, with the results of lists
 * @param out where to print it
 */
record DiagnosisReport(JsonNode diagnosis, PrintWriter out) {

    private static final int WATCHERS = 10;
    private static final int GAP = 2;
    private static final Pattern REFERENCE = Pattern.compile("\\{([\\w/]+) ?(\\w*)}");

    void print() {
        line(
                """
                kubemirror {program/version} at {url}, up for {program/uptimeSeconds span}, \
                Java {program/java}\
                """);
        line(
                """
                mirrors {upstream/server}: |\
                {upstream/version}, responded in {upstream/answerSeconds span}?no response\
                """);
        line(
                """
                heap {memory/heapUsedBytes size} of {memory/heapMaxBytes size}, \
                memory budget {memory/budgetUsedBytes size} of {memory/budgetLimitBytes size}, \
                objects {memory/storeBytes size}, history {memory/windowBytes size}\
                """);
        out.println();
        printFindings();
        printMirrors();
        section(
                "LIST|ONE OBJECT|ALL|SAMPLES|SIZE|RESULT",
                """
                {mirror}|{one/median span} ({one/min span} to {one/max span})|\
                {all/median span} ({all/min span} to {all/max span})|{samples}|{bytes size}|{state}\
                """,
                diagnosis.path("lists").valueStream());
        printWatchers();
        section(
                "CHANGED MOST|OBJECT|CHANGES|OF|WITHIN",
                """
                {of/name}|{it/object}|{it/changes}|{of/window/changes}|\
                {of/window/spanSeconds span}\
                """,
                mirrors().flatMap(mirror -> each(mirror, "/busiest")));
        section(
                "LAST ERROR||",
                "{name}|{state/lastError/at ago}|{state/lastError/problem}",
                mirrors().filter(mirror -> mirror.at("/state/lastError").isObject()));
    }

    private void printFindings() {
        List<List<String>> lines = new ArrayList<>();
        for (JsonNode finding : diagnosis.path("findings")) {
            lines.add(row("{severity upper}|{mirror}|{text}", finding));
            if (finding.has("action")) {
                lines.add(row("||{action}", finding));
            }
        }
        if (lines.isEmpty()) {
            out.println("No problems found.");
        }
        print(lines);
    }

    private void printMirrors() {
        section(
                "MIRROR|STATE|OBJECTS|SIZE|REVISION|CONTACT|STRATEGY|LAST SYNCHRONIZED BY|WINDOW",
                """
                {name}|{state/phase}|{content/objects}|{content/bytes size}|{content/revision}|\
                {state/contactAgeSeconds span} ago?never|{sync/strategy}|\
                {sync/last/how} in {sync/last/seconds span}, {sync/last/at ago}?never|\
                {window/changes} in {window/spanSeconds span}\
                """,
                mirrors());
        mirrors()
                .flatMap(mirror -> each(mirror, "/sync/serverCapabilities"))
                .forEach(one -> println(String.join(": ", row("{of/name}|{it}", one))));
        section(
                "ALLOWED|GET|LIST|WATCH|",
                """
                {name}|{access/get/allowed allowed}|{access/list/allowed allowed}|\
                {access/watch/allowed allowed}|{access/list/reason}\
                """,
                mirrors());
    }

    /** Prints the watches of kubemirror, and those of all clients that the API server counts. */
    private void printWatchers() {
        section(
                "WATCHER|CLIENT|SINCE|BEHIND|SENT|AGENT|SELECTION",
                mirrors().flatMap(this::watchers));
        section(
                "SERVER|WATCHES",
                diagnosis
                        .at("/upstream/watches/open")
                        .propertyStream()
                        .map(open -> List.of(open.getKey(), open.getValue().asString())));
        if (diagnosis.at("/upstream/watches/problem").isString()) {
            out.println();
            line("API server's count of watches: {upstream/watches/problem}");
        }
    }

    private Stream<List<String>> watchers(JsonNode mirror) {
        List<JsonNode> shown = each(mirror, "/watchers/shown").limit(WATCHERS).toList();
        int more = mirror.at("/watchers/open").asInt(0) - shown.size();
        String template =
                """
                {of/name}|{it/client}|{it/since ago}|{it/behind}|{it/events}, {it/bytes size}|\
                {it/agent}|{it/selection}\
                """;
        return Stream.concat(
                shown.stream().map(one -> row(template, one)),
                more > 0 ? Stream.of(row("{name}|and " + more + " more", mirror)) : Stream.of());
    }

    private Stream<JsonNode> mirrors() {
        return diagnosis.path("mirrors").valueStream();
    }

    /** Returns the elements of an array of a mirror, each together with the mirror. */
    private static Stream<JsonNode> each(JsonNode mirror, String array) {
        return mirror.at(array)
                .valueStream()
                .map(
                        one ->
                                JsonMapper.shared()
                                        .createObjectNode()
                                        .set("of", mirror)
                                        .set("it", one));
    }

    private void section(String titles, String template, Stream<JsonNode> nodes) {
        section(titles, nodes.map(node -> row(template, node)));
    }

    /** Prints a table, unless it is empty. */
    private void section(String titles, Stream<List<String>> rows) {
        List<List<String>> lines =
                Stream.concat(Stream.of(List.of(titles.split("\\|", -1))), rows).toList();
        if (lines.size() > 1) {
            out.println();
            print(lines);
        }
    }

    /** Prints rows of text in aligned columns. */
    private void print(List<List<String>> lines) {
        int[] widths = new int[lines.stream().mapToInt(List::size).max().orElse(0)];
        for (List<String> line : lines) {
            Arrays.setAll(
                    widths,
                    i -> Math.max(widths[i], i < line.size() ? line.get(i).length() + GAP : 0));
        }
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < line.size(); i++) {
                text.append(line.get(i)).repeat(' ', widths[i] - line.get(i).length());
            }
            println(text.toString().stripTrailing());
        }
    }

    private void line(String template) {
        println(String.join("", row(template, diagnosis)));
    }

    /** Without control characters: clients choose their User-Agent, and a terminal obeys them. */
    private void println(String text) {
        out.println(text.replaceAll("[^ -~]", "?"));
    }

    private List<String> row(String template, JsonNode node) {
        return Stream.of(template.split("\\|", -1))
                .map(cell -> cell(cell.split("\\?", 2), node))
                .toList();
    }

    private String cell(String[] parts, JsonNode node) {
        Matcher references = REFERENCE.matcher(parts[0]);
        boolean complete =
                references
                        .results()
                        .noneMatch(
                                one ->
                                        value(one, node).isMissingNode()
                                                || value(one, node).isNull());
        return complete || parts.length == 1
                ? references.replaceAll(
                        one -> Matcher.quoteReplacement(text(value(one, node), one.group(2))))
                : parts[1];
    }

    private static JsonNode value(MatchResult reference, JsonNode node) {
        return node.at("/" + reference.group(1));
    }

    private String text(JsonNode value, String notation) {
        return switch (notation) {
            case "size" -> size(value.asLong(0));
            case "span" -> span(value.asDouble(0));
            case "ago" -> ago(Instant.parse(value.asString()));
            case "upper" -> value.asString().toUpperCase(Locale.ROOT);
            case "allowed" -> value.isBoolean() ? (value.booleanValue() ? "yes" : "no") : "unknown";
            default -> value.asString("");
        };
    }

    private String ago(Instant time) {
        Duration age = Duration.between(time, Instant.parse(diagnosis.path("at").asString()));
        return span(Math.max(0, age.toMillis() / 1000.0)) + " ago";
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

    private static String size(long bytes) {
        if (bytes < 10_000) {
            return bytes + " B";
        }
        return bytes < 10_000_000 ? (bytes >> 10) + " KB" : (bytes >> 20) + " MB";
    }
}
