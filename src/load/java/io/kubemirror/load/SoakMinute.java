package io.kubemirror.load;

import module java.base;

/**
 * What was seen at the end of a minute; a line of a table.
 *
 * @param seconds since the beginning
 * @param resident memory of the sidecar, in MB
 * @param heap what was alive after its last full collection, in MB; 0 before the first
 * @param threads of the sidecar that the system knows
 * @param files that the sidecar has open, sockets included
 * @param cpu processor time of the sidecar since its start, in seconds
 * @param lag from when a change was sent to the API server until a client had it, for 99 % of those
 *     in this minute, in milliseconds
 * @param longest the same for the slowest, which may have waited for a server that was away
 * @param writes changes since the beginning
 * @param events that the sidecar has delivered since the beginning
 * @param clients that have come since the beginning
 * @param cuts how often all connections to the API server have been cut
 * @param restarts how often the API server has been restarted
 * @param resyncs how often the sidecar has synchronized again
 * @param lists how often those that follow have listed
 * @param wrong changes that were wrong, missing, or out of order at those that follow
 */
record SoakMinute(
        long seconds,
        double resident,
        double heap,
        int threads,
        int files,
        double cpu,
        double lag,
        double longest,
        long writes,
        long events,
        long clients,
        int cuts,
        int restarts,
        long resyncs,
        long lists,
        long wrong) {

    /** The names of the columns. */
    static String header() {
        return Stream.of(SoakMinute.class.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.joining(",", "", "\n"));
    }

    /** The line. */
    String csv() {
        return "%d,%.1f,%.1f,%d,%d,%.2f,%.1f,%.1f,%d,%d,%d,%d,%d,%d,%d,%d%n"
                .formatted(
                        seconds, resident, heap, threads, files, cpu, lag, longest, writes, events,
                        clients, cuts, restarts, resyncs, lists, wrong);
    }
}
