package io.kubemirror.ops.cli;

import tools.jackson.databind.JsonNode;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints a diagnosis as plain ASCII text: findings first, then tables. */
final class DiagnosisReport {

    private static final int WATCHERS = 10;

    private final PrintStream out;

    DiagnosisReport(PrintStream out) {
        this.out = out;
    }

    void print(URI url, JsonNode diagnosis, List<ListProbe> trials) {
        Instant now = Instant.parse(diagnosis.path("at").asString());
        JsonNode program = diagnosis.path("program");
        out.printf(
                "kubemirror %s at %s, up for %s, Java %s%n",
                text(program, "version"),
                url,
                span(program.path("uptimeSeconds").asDouble()),
                text(program, "java"));
        printUpstream(diagnosis.path("upstream"));
        printMemory(diagnosis.path("memory"));
        out.println();
        printFindings(diagnosis.path("findings"), trials);
        printMirrors(diagnosis.path("mirrors"), now);
        printAccess(diagnosis.path("mirrors"));
        printTrials(trials);
        printWatchers(diagnosis.path("mirrors"), now);
        printErrors(diagnosis.path("mirrors"), now);
    }

    private void printUpstream(JsonNode upstream) {
        String answer =
                upstream.path("version").isString()
                        ? "%s, answered in %s"
                                .formatted(
                                        text(upstream, "version"),
                                        span(upstream.path("answerSeconds").asDouble()))
                        : "no answer";
        out.printf("mirrors %s: %s%n", text(upstream, "server"), answer);
    }

    private void printMemory(JsonNode memory) {
        out.printf(
                "heap %s of %s, memory budget %s of %s, objects %s and their past %s%n",
                size(memory, "heapUsedBytes"),
                size(memory, "heapMaxBytes"),
                size(memory, "budgetUsedBytes"),
                size(memory, "budgetLimitBytes"),
                size(memory, "storeBytes"),
                size(memory, "windowBytes"));
    }

    private void printFindings(JsonNode findings, List<ListProbe> trials) {
        List<List<String>> lines = new ArrayList<>();
        for (JsonNode finding : findings) {
            lines.add(
                    List.of(
                            text(finding, "severity").toUpperCase(Locale.ROOT),
                            text(finding, "mirror"),
                            text(finding, "text")));
        }
        trials.stream()
                .filter(trial -> !trial.answered())
                .map(
                        trial ->
                                List.of(
                                        "ERROR",
                                        trial.mirror(),
                                        "no list: " + plain(trial.problem())))
                .forEach(lines::add);
        if (lines.isEmpty()) {
            out.println("Nothing is wrong.");
        }
        TextTable.of(lines).print(out);
    }

    private void printMirrors(JsonNode mirrors, Instant now) {
        TextTable table =
                TextTable.titled(
                        "MIRROR",
                        "STATE",
                        "OBJECTS",
                        "SIZE",
                        "REVISION",
                        "HEARD OF",
                        "STRATEGY",
                        "LAST SYNCHRONISED BY",
                        "WINDOW");
        for (JsonNode mirror : mirrors) {
            JsonNode content = mirror.path("content");
            JsonNode window = mirror.path("window");
            table.add(
                    text(mirror, "name"),
                    text(mirror.path("state"), "phase"),
                    text(content, "objects"),
                    size(content, "bytes"),
                    text(content, "revision"),
                    heard(mirror.path("state")),
                    text(mirror.path("sync"), "strategy"),
                    last(mirror.path("sync").path("last"), now),
                    "%s in %s"
                            .formatted(
                                    text(window, "changes"),
                                    span(window.path("spanSeconds").asDouble())));
        }
        section(table);
        for (JsonNode mirror : mirrors) {
            for (JsonNode lesson : mirror.path("sync").path("lessons")) {
                out.printf("%s: %s%n", text(mirror, "name"), plain(lesson.asString()));
            }
        }
    }

    private static String heard(JsonNode state) {
        JsonNode age = state.path("contactAgeSeconds");
        return age.isNumber() ? span(age.asDouble()) + " ago" : "never";
    }

    private static String last(JsonNode last, Instant now) {
        return last.isObject()
                ? "%s in %s, %s"
                        .formatted(
                                text(last, "how"),
                                span(last.path("seconds").asDouble()),
                                ago(last, "at", now))
                : "never";
    }

    private void printAccess(JsonNode mirrors) {
        TextTable table = TextTable.titled("ALLOWED", "GET", "LIST", "WATCH", "");
        for (JsonNode mirror : mirrors) {
            JsonNode access = mirror.path("access");
            table.add(
                    text(mirror, "name"),
                    allowed(access.path("get")),
                    allowed(access.path("list")),
                    allowed(access.path("watch")),
                    access.path("list").path("allowed").isBoolean()
                            ? ""
                            : text(access.path("list"), "reason"));
        }
        section(table);
    }

    private static String allowed(JsonNode access) {
        JsonNode allowed = access.path("allowed");
        return allowed.isBoolean() ? (allowed.booleanValue() ? "yes" : "no") : "unknown";
    }

    private void printTrials(List<ListProbe> trials) {
        TextTable table = TextTable.titled("LIST", "ONE OBJECT", "ALL", "SIZE", "ANSWER");
        trials.stream()
                .filter(ListProbe::answered)
                .forEach(
                        trial ->
                                table.add(
                                        trial.mirror(),
                                        span(seconds(trial.one())),
                                        span(seconds(trial.all())),
                                        size(trial.bytes()),
                                        plain(trial.state())));
        section(table);
    }

    private void printWatchers(JsonNode mirrors, Instant now) {
        TextTable table =
                TextTable.titled(
                        "WATCHER", "CLIENT", "SINCE", "BEHIND", "SENT", "AGENT", "SELECTION");
        for (JsonNode mirror : mirrors) {
            JsonNode watchers = mirror.path("watchers");
            int shown = 0;
            for (JsonNode watcher : watchers.path("shown")) {
                if (shown++ < WATCHERS) {
                    table.add(
                            text(mirror, "name"),
                            text(watcher, "client"),
                            ago(watcher, "since", now),
                            text(watcher, "behind"),
                            "%s, %s".formatted(text(watcher, "events"), size(watcher, "bytes")),
                            text(watcher, "agent"),
                            text(watcher, "selection"));
                }
            }
            int more = watchers.path("open").asInt() - Math.min(shown, WATCHERS);
            if (more > 0) {
                table.add(text(mirror, "name"), "and " + more + " more");
            }
        }
        section(table);
    }

    private void printErrors(JsonNode mirrors, Instant now) {
        TextTable table = TextTable.titled("LAST ERROR", "", "");
        for (JsonNode mirror : mirrors) {
            JsonNode error = mirror.path("state").path("lastError");
            if (error.isObject()) {
                table.add(text(mirror, "name"), ago(error, "at", now), text(error, "problem"));
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

    private static String ago(JsonNode node, String name, Instant now) {
        Duration age = Duration.between(Instant.parse(node.path(name).asString()), now);
        return span(Math.max(0, seconds(age))) + " ago";
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
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

    private static String size(JsonNode node, String name) {
        return size(node.path(name).asLong());
    }

    private static String size(long bytes) {
        if (bytes < 10_000) {
            return bytes + " B";
        }
        return bytes < 10_000_000 ? (bytes >> 10) + " KB" : (bytes >> 20) + " MB";
    }

    private static String text(JsonNode node, String name) {
        return plain(node.path(name).asString(""));
    }

    /**
     * Removes control characters: clients choose their User-Agent, and a terminal would interpret
     * them.
     */
    private static String plain(String text) {
        return text.replaceAll("[^ -~]", "?");
    }
}
