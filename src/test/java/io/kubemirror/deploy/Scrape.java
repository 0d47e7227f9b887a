package io.kubemirror.deploy;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;

import org.awaitility.Awaitility;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The metrics that Prometheus reads from a process.
 *
 * @param text the exposition
 */
record Scrape(String text) {

    private static final Pattern SAMPLE =
            Pattern.compile("^(?<series>(?<name>[a-zA-Z_:][\\w:]*)(\\{.*})?) (?<value>\\S+)$");

    private static final String HEAP_USE = "jvm_memory_usage_after_gc{";

    static Scrape of(ConfigurableApplicationContext application) {
        RestClient client = ApplicationLauncher.management(application);
        return new Scrape(client.get("/actuator/prometheus").body());
    }

    /** Scrapes again and again until there is what a test waits for. */
    static Scrape await(ConfigurableApplicationContext application, Predicate<Scrape> condition) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> of(application), condition);
    }

    /**
     * The values of all series, as they are written, but for the use of the heap, which other tests
     * share.
     */
    Map<String, String> samples() {
        Map<String, String> samples = new LinkedHashMap<>();
        text.lines()
                .map(SAMPLE::matcher)
                .filter(Matcher::matches)
                .forEach(sample -> samples.put(sample.group("series"), sample.group("value")));
        samples.replaceAll((series, value) -> series.startsWith(HEAP_USE) ? "0.1" : value);
        return samples;
    }

    /** The names of all series. */
    Set<String> names() {
        return samples().keySet().stream()
                .map(series -> series.replaceFirst("\\{.*", ""))
                .collect(Collectors.toSet());
    }

    /** Whether a series has a label with a value. */
    boolean has(String name, String label, String value) {
        String matcher = label + "=\"" + value + "\"";
        return samples().keySet().stream()
                .anyMatch(series -> series.startsWith(name + "{") && series.contains(matcher));
    }

    /** The sum of what series of a name hold in which some label has a value. */
    double sum(String name, String label, String value) {
        String matcher = label + "=\"" + value + "\"";
        return samples().entrySet().stream()
                .filter(sample -> sample.getKey().startsWith(name + "{"))
                .filter(sample -> sample.getKey().contains(matcher))
                .mapToDouble(sample -> Double.parseDouble(sample.getValue()))
                .sum();
    }
}
