package io.kubemirror.load;

import module java.base;

/**
 * A line of the table: what was demanded and what was seen.
 *
 * @param what was measured
 * @param demanded in words, empty for what is only a reference
 * @param mirror what kubemirror showed
 * @param api what the API server showed, empty if it was not asked
 * @param ratio of both, or what else the demand is about
 * @param judged the rounds, and which of them meet the demand
 * @param floor what the machine takes for the least that any server has to do, empty if it was not
 *     measured
 */
record ResultRow(
        String what,
        String demanded,
        String mirror,
        String api,
        String ratio,
        Judged judged,
        String floor) {

    ResultRow(
            String what, String demanded, String mirror, String api, String ratio, Judged judged) {
        this(what, demanded, mirror, api, ratio, judged, "");
    }

    /** What the machine can do, beside which the figures of kubemirror are read. */
    static ResultRow reference(String what, String seen) {
        return new ResultRow(what, "", "", "", seen, Judged.NOTHING);
    }

    /** A chapter that did not end as it should; the rows before it are of what it measured. */
    static ResultRow failed(String chapter, Throwable why) {
        return new ResultRow(
                "chapter `" + chapter + "`",
                "ends",
                "failed: " + oneLine(why),
                "",
                "",
                Judged.holds(List.of(false), ends -> ends));
    }

    private static String oneLine(Throwable why) {
        return why.toString().replaceAll("\\s+", " ").replace('|', '/');
    }

    /** The same row, with a floor that explains it if the demand is missed. */
    ResultRow above(String measured) {
        return new ResultRow(what, demanded, mirror, api, ratio, judged, measured);
    }

    /** Whether the row belongs to the one before it. */
    boolean isPart() {
        return what.startsWith("…");
    }

    String markdown() {
        return "| %s | %s | %s | %s | %s | %s | %s |"
                .formatted(what, demanded, mirror, api, ratio, judged.rounds(), judged.answer());
    }
}
