package io.kubemirror.load;

/**
 * A line of the table: what was demanded and what was seen.
 *
 * @param what was measured
 * @param demanded in words, empty for what is only a reference
 * @param mirror what kubemirror showed
 * @param api what the API server showed, empty if it was not asked
 * @param ratio of both, or what else the demand is about
 * @param met whether the demand is met
 */
record ResultRow(
        String what, String demanded, String mirror, String api, String ratio, boolean met) {

    /** What the machine can do, beside which the figures of kubemirror are read. */
    static ResultRow reference(String what, String seen) {
        return new ResultRow(what, "", "", "", seen, true);
    }

    String markdown() {
        return "| %s | %s | %s | %s | %s | %s |"
                .formatted(what, demanded, mirror, api, ratio, answer());
    }

    private String answer() {
        return demanded.isEmpty() ? "" : met ? "yes" : "**no**";
    }
}
