package io.kubemirror.deploy;

import module java.base;

/**
 * A PromQL query, parsed for its metrics and label matchers only.
 *
 * @param text the query
 */
record PromQuery(String text) {

    /**
     * The metrics of kubemirror and its JVM by their prefixes, and the one that Prometheus adds.
     */
    private static final Pattern SELECTOR =
            Pattern.compile(
                    "\\b((?:kubemirror|jvm|process|system|http)_[a-z0-9_]+|up(?=\\{))(?:\\{([^}]*)})?");

    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|=)\"([^\"$]*)\"");

    /**
     * What a query demands of a metric.
     *
     * @param metric the metric
     * @param label one of its labels
     * @param value a value that the label has to have in some series
     */
    record LabelMatcher(String metric, String label, String value) {}

    /** The metrics that it reads. */
    Set<String> metrics() {
        return SELECTOR.matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toSet());
    }

    /** The values of labels that it selects by, each alternative for itself. */
    List<LabelMatcher> demands() {
        return SELECTOR.matcher(text)
                .results()
                .filter(selector -> selector.group(2) != null)
                .flatMap(
                        selector ->
                                MATCHER.matcher(selector.group(2))
                                        .results()
                                        .flatMap(matcher -> demands(selector, matcher)))
                .toList();
    }

    private static Stream<LabelMatcher> demands(MatchResult selector, MatchResult matcher) {
        return Stream.of(matcher.group(3).split("\\|", -1))
                .map(value -> new LabelMatcher(selector.group(1), matcher.group(1), value));
    }
}
