package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The metrics page lists exactly the metrics that a running kubemirror exposes. */
@Timeout(120)
class MetricsDocumentTest {

    private static final Path PAGE = Path.of("src", "docs", "metrics.md");
    private static final Pattern ROW =
            Pattern.compile(
                    "^\\| (\\**)`(kubemirror_\\w+)`\\**" + " \\| (\\w+) \\| ([^|]*)\\|(.*)\\|$");

    /** What Prometheus shows as the help of a metric begins with this. */
    private static final Pattern KEY =
            Pattern.compile("^# HELP (kubemirror_\\w+) \\[KEY] ", Pattern.MULTILINE);

    /** A label whose values are those of an enumeration, or names that the code has. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(phase|outcome|strategy|result|reason|cause|type|direction"
                            + "|decision|review|part)=\"([^\"]+)\"");

    private static final Pattern TYPE = Pattern.compile("^# TYPE (kubemirror_\\w+) (\\w+)$");
    private static final Pattern SERIES = Pattern.compile("^(kubemirror_\\w+)(?:\\{(.*)})? \\S+$");

    private final Map<String, String> documented = documented();

    @TempDir private Path directory;

    private static Map<String, String> documented() {
        return lines().map(ROW::matcher)
                .flatMap(row -> row.results())
                .collect(
                        Collectors.toMap(
                                row -> row.group(2),
                                row -> row.group(3) + labels(row.group(4)),
                                (first, again) -> "twice: " + first + again,
                                TreeMap::new));
    }

    private static Set<String> labels(String cell) {
        String spelled = cell.replace("mirror", "`resource` `resource_namespace` `selector`");
        return Pattern.compile("`(\\w+)`")
                .matcher(spelled)
                .results()
                .map(label -> label.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> lines() {
        return Unchecked.call(() -> Files.readAllLines(PAGE).stream());
    }

    @Test
    void documented_metrics_match_a_running_kubemirror() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            server.create(pod("a", "x"));
            String upstream = "kubemirror.upstream.server=" + server.url();
            String pods = "kubemirror.resources[0].resource=pods";
            String persistence = "kubemirror.persistence.directory=" + directory;
            StringBuilder all = new StringBuilder();
            String[] on = on(upstream, pods, persistence);
            try (var kubemirror = ApplicationLauncher.with(on)) {
                all.append(used(kubemirror));
            }
            String access = "kubemirror.access.authentication=token-review";
            try (var guarded = ApplicationLauncher.with(upstream, pods, access)) {
                all.append(scraped(guarded));
            }
            try (var usual = ApplicationLauncher.with(upstream, pods)) {
                String scraped = used(usual);
                assertThat(exposed(scraped))
                        .as("those in italics are off")
                        .doesNotContainKeys(marked("*").toArray(String[]::new));
            }
            assertMarked(all.toString());
            assertValues(all.toString());
            Map<String, String> exposed = exposed(all.toString());
            assertThat(exposed).containsAllEntriesOf(documented).hasSameSizeAs(documented);
        }
    }

    /** Those that are off, in italics, are turned on. */
    private static String[] on(String... settings) {
        return Stream.concat(
                        Arrays.stream(settings),
                        marked("*")
                                .map(name -> name.replaceFirst("_(total|seconds)$", ""))
                                .map(name -> name.replace('_', '.'))
                                .map(name -> "management.metrics.enable." + name + "=true"))
                .toArray(String[]::new);
    }

    private static Stream<String> marked(String mark) {
        return lines().map(ROW::matcher)
                .flatMap(Matcher::results)
                .filter(row -> row.group(1).equals(mark))
                .map(row -> row.group(2));
    }

    private static void assertMarked(String scraped) {
        assertThat(marked("**"))
                .hasSize(10)
                .containsExactlyInAnyOrderElementsOf(
                        KEY.matcher(scraped)
                                .results()
                                .map(key -> key.group(1).replaceFirst("_seconds_max$", "_seconds"))
                                .distinct()
                                .toList());
    }

    /** The values of label {@code part} are the items of a list, others are in the meaning. */
    private static void assertValues(String scraped) {
        Set<String> parts = new TreeSet<>();
        Map<String, String> meanings =
                lines().map(ROW::matcher)
                        .flatMap(Matcher::results)
                        .collect(Collectors.toMap(row -> row.group(2), row -> row.group(5)));
        for (String line : scraped.lines().filter(one -> one.startsWith("kubemirror_")).toList()) {
            String meaning =
                    meanings.get(
                            line.replaceFirst("\\{.*", "")
                                    .replaceFirst("_(bucket|count|sum|max)$", ""));
            for (MatchResult label : NAMED.matcher(line).results().toList()) {
                if (label.group(1).equals("part")) {
                    parts.add(label.group(2));
                } else if (meaning != null) {
                    assertThat(meaning).as(line).contains("`" + label.group(2) + "`");
                }
            }
        }
        Pattern item = Pattern.compile("^- `([a-z-]+(?:/[a-z-]+)?)`");
        assertThat(
                        lines().dropWhile(line -> !line.equals("## Memory"))
                                .flatMap(line -> item.matcher(line).results())
                                .map(part -> part.group(1)))
                .containsExactlyInAnyOrderElementsOf(parts);
    }

    private static String used(ConfigurableApplicationContext kubemirror) {
        RestClient local = ApplicationLauncher.api(kubemirror);
        String scraped = "";
        try (WatchReader watch = local.watch(PODS.collectionPath() + "?watch=1")) {
            watch.next();
            // A request is counted once its answer has been sent.
            while (!scraped.contains("kubemirror_requests_total")) {
                scraped = scraped(kubemirror);
            }
        }
        return scraped;
    }

    private static String scraped(ConfigurableApplicationContext kubemirror) {
        return ApplicationLauncher.management(kubemirror).get("/actuator/prometheus").body();
    }

    private static Map<String, String> exposed(String scraped) {
        Map<String, String> types = new TreeMap<>();
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String line : scraped.lines().toList()) {
            TYPE.matcher(line).results().forEach(type -> types.put(type.group(1), type.group(2)));
            SERIES.matcher(line)
                    .results()
                    .forEach(
                            series ->
                                    labels.computeIfAbsent(
                                                    base(series.group(1), types),
                                                    _ -> new TreeSet<>())
                                            .addAll(names(series.group(2))));
        }
        types.keySet().removeIf(name -> isMaximum(name, types));
        types.replaceAll((name, type) -> type + labels.getOrDefault(name, Set.of()));
        return types;
    }

    private static boolean isMaximum(String name, Map<String, String> types) {
        return name.endsWith("_max") && types.containsKey(name.substring(0, name.length() - 4));
    }

    /** The histogram or summary that a series belongs to, or the series itself. */
    private static String base(String name, Map<String, String> types) {
        String stem = name.replaceFirst("_(bucket|count|sum)$", "");
        return types.getOrDefault(stem, "").matches("(histogram|summary).*") ? stem : name;
    }

    private static Set<String> names(String labels) {
        return Arrays.stream((labels == null ? "" : labels).split(",", -1))
                .filter(label -> !label.isEmpty())
                .map(label -> label.substring(0, label.indexOf('=')))
                .filter(label -> !label.equals("le"))
                .collect(Collectors.toSet());
    }
}
