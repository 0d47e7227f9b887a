package io.kubemirror.web;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A form in which something can be answered, and which of them a client wants (spec 2.1). */
enum Representation {
    /** Plain JSON; of watches one event a line. */
    JSON("application", "json"),
    /** Watches as server-sent events (SE-1). */
    EVENT_STREAM("text", "event-stream"),
    /** Discovery of everything in one document (DI-6). */
    AGGREGATED("application", "json");

    /** What lists, gets and most of discovery offer. */
    static final List<Representation> OF_DOCUMENTS = List.of(JSON);

    /** What watches offer. */
    static final List<Representation> OF_WATCHES = List.of(JSON, EVENT_STREAM);

    /** What {@code /api} and {@code /apis} offer. */
    static final List<Representation> OF_DISCOVERY = List.of(JSON, AGGREGATED);

    private static final Comparator<MediaRange> PREFERENCE =
            Comparator.comparingDouble(MediaRange::quality)
                    .reversed()
                    .thenComparingInt(MediaRange::wildcards);

    private final String type;
    private final String subtype;

    Representation(String type, String subtype) {
        this.type = type;
        this.subtype = subtype;
    }

    /**
     * Chooses what the client wants most (NE-1 to NE-11).
     *
     * @param accept the {@code Accept} header, null if there is none
     * @param offered what can be had, the default first
     * @throws Rejection if the client wants none of it (E-406)
     */
    static Representation choose(@Nullable String accept, List<Representation> offered)
            throws Rejection {
        if (accept == null || accept.isBlank()) {
            return offered.getFirst();
        }
        List<MediaRange> ranges =
                Arrays.stream(accept.split(",", -1))
                        .map(MediaRange::parse)
                        .sorted(PREFERENCE)
                        .toList();
        for (MediaRange range : ranges) {
            Optional<Representation> match =
                    offered.stream().filter(form -> form.isIn(range)).findFirst();
            if (match.isPresent()) {
                return match.get();
            }
        }
        throw new Rejection(
                StatusErrors.notAcceptable(
                        offered.stream()
                                .map(form -> form.type + "/" + form.subtype)
                                .distinct()
                                .collect(Collectors.joining(", "))));
    }

    private boolean isIn(MediaRange range) {
        return range.covers(type, subtype)
                && range.parameters().getOrDefault("stream", "watch").equals("watch")
                && isTransformedAs(range);
    }

    /**
     * Whether the parameters that ask for another kind of object ask for this one (NE-9, NE-11).
     */
    private boolean isTransformedAs(MediaRange range) {
        String as = range.parameter("as");
        String group = range.parameter("g");
        String version = range.parameter("v");
        return this == AGGREGATED
                ? as.equals("APIGroupDiscoveryList")
                        && group.equals("apidiscovery.k8s.io")
                        && version.equals("v2")
                : as.isEmpty() && group.isEmpty() && version.isEmpty();
    }
}
