package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A time series as Prometheus would record it: each scrape stands for several minutes, so that
 * rules with long waits can be evaluated.
 */
final class ScrapeHistory {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Map<String, List<String>> series = new LinkedHashMap<>();
    private int minutes;

    /** Repeats the last scrape for the given number of minutes. */
    ScrapeHistory then(Scrape scrape, int more) {
        scrape.samples()
                .forEach(
                        (name, value) -> {
                            List<String> values =
                                    series.computeIfAbsent(name, _ -> new ArrayList<>());
                            while (values.size() < minutes) {
                                values.add("_");
                            }
                            for (int i = 0; i < more; i++) {
                                values.add(value.replace("+Inf", "Inf"));
                            }
                        });
        minutes += more;
        return this;
    }

    /**
     * A file for {@code promtool test rules} which says what fires in the last minute.
     *
     * @param alerts the names of the alerts, each for one series
     */
    String expecting(String... alerts) {
        ObjectNode file = JSON.createObjectNode();
        file.putArray("rule_files").add("alerts.yaml");
        ObjectNode test = file.putArray("tests").addObject().put("interval", "1m");
        ArrayNode input = test.putArray("input_series");
        input.addObject()
                .put("series", "up{job=\"kubemirror\",namespace=\"shop\",pod=\"web-1\"}")
                .put("values", "1+0x" + minutes);
        series.forEach(
                (name, values) ->
                        input.addObject()
                                .put("series", scraped(name))
                                .put("values", String.join(" ", values)));
        ObjectNode expected = test.putArray("promql_expr_test").addObject();
        expected.put("expr", "count by (alertname) (ALERTS{alertstate=\"firing\"})");
        expected.put("eval_time", (minutes - 1) + "m");
        ArrayNode samples = expected.putArray("exp_samples");
        for (String alert : alerts) {
            samples.addObject().put("labels", "{alertname=\"" + alert + "\"}").put("value", 1);
        }
        return JSON.writeValueAsString(file);
    }

    /**
     * With the labels that Prometheus adds. A series that had one of them would get another with
     * the prefix {@code exported_} in its place.
     */
    private static String scraped(String name) {
        assertThat(name).doesNotContainPattern("[{,](namespace|pod|job|instance)=");
        String target = "namespace=\"shop\",pod=\"web-1\"";
        return name.endsWith("}")
                ? name.substring(0, name.length() - 1).replaceFirst(",$", "") + "," + target + "}"
                : name + "{" + target + "}";
    }
}
