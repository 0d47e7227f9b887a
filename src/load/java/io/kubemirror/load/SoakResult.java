package io.kubemirror.load;

import module java.base;

/**
 * What changes over hours: the first of them beside the last, or halves of less than two hours.
 *
 * @param minutes all of them
 */
record SoakResult(List<SoakMinute> minutes) {

    private static final int HOUR = 60;

    /** Growth is not judged by less: what a JVM compiles and caches at first is no leak. */
    private static final int JUDGED = 2 * HOUR;

    private static final double MEGABYTES_PER_HOUR = 5;
    private static final double FACTOR = 1.5;

    List<ResultRow> rows() {
        SoakMinute last = minutes.getLast();
        return List.of(
                wrong(last),
                resident(),
                compared(
                        "… live heap after a full collection, first and last %d min",
                        " MB", SoakMinute::heap),
                compared("… threads, first and last %d min", "", SoakMinute::threads),
                compared("… open files, first and last %d min", "", SoakMinute::files),
                compared(
                        "… from sending a change to its receipt, p99 of a minute, first and last %d"
                                + " min",
                        " ms", SoakMinute::lag));
    }

    private ResultRow wrong(SoakMinute last) {
        return new ResultRow(
                "%d min, %,d writes, %,d clients, %d cuts of all connections to the API server, %d restarts of it: wrong, missing, or disordered changes at a client for each of three types"
                        .formatted(
                                minutes.size(),
                                last.writes(),
                                last.clients(),
                                last.cuts(),
                                last.restarts()),
                "none",
                "%,d of %,d delivered; CPU %.1f %% of a core"
                        .formatted(last.wrong(), last.events(), 100 * last.cpu() / last.seconds()),
                "",
                "",
                Judged.holds(List.of(last), minute -> minute.wrong() == 0));
    }

    private ResultRow resident() {
        double growth = growth();
        return new ResultRow(
                "… resident memory, first and last %d min; growth from the second hour on"
                        .formatted(span()),
                "at most %.0f MB an hour".formatted(MEGABYTES_PER_HOUR),
                "%.0f MB, %.0f MB"
                        .formatted(first(SoakMinute::resident), last(SoakMinute::resident)),
                "",
                isLong() ? "%+.1f MB an hour".formatted(growth) : "",
                isLong() ? Judged.atMost(MEGABYTES_PER_HOUR, List.of(growth)) : Judged.NOTHING);
    }

    private ResultRow compared(String what, String unit, ToDoubleFunction<SoakMinute> figure) {
        double ratio = last(figure) / first(figure);
        return new ResultRow(
                what.formatted(span()),
                "at most %.1f times".formatted(FACTOR),
                "%.0f%s, %.0f%s".formatted(first(figure), unit, last(figure), unit),
                "",
                "%.2f".formatted(ratio),
                isLong() ? Judged.atMost(FACTOR, List.of(ratio)) : Judged.NOTHING);
    }

    private boolean isLong() {
        return minutes.size() >= JUDGED;
    }

    /** How many minutes are compared. */
    private int span() {
        return Math.clamp(minutes.size() / 2, 1, HOUR);
    }

    private double first(ToDoubleFunction<SoakMinute> figure) {
        return Medians.of(minutes.subList(0, span()), figure);
    }

    private double last(ToDoubleFunction<SoakMinute> figure) {
        return Medians.of(minutes.subList(minutes.size() - span(), minutes.size()), figure);
    }

    /** The slope of the line of least squares through resident memory, in MB an hour. */
    private double growth() {
        List<SoakMinute> late = minutes.subList(Math.min(HOUR, minutes.size() / 2), minutes.size());
        double time = late.stream().mapToDouble(SoakMinute::seconds).average().orElse(0);
        double size = late.stream().mapToDouble(SoakMinute::resident).average().orElse(0);
        double products = 0;
        double squares = 0;
        for (SoakMinute minute : late) {
            products += (minute.seconds() - time) * (minute.resident() - size);
            squares += (minute.seconds() - time) * (minute.seconds() - time);
        }
        return products / squares * Duration.ofHours(1).toSeconds();
    }
}
