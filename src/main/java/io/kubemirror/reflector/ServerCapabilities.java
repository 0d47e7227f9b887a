package io.kubemirror.reflector;

import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.VersionOutcome;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * What a reflector has learned about its server, and which way to the present state it therefore
 * takes.
 *
 * <p>What a server cannot do is remembered for an hour at most, and not longer than the server has
 * the same version (list-watch.md#up-25). It is remembered for each collection by itself, because
 * groups may be served by servers of their own. Used by one thread; what was learned can be told to
 * any.
 */
final class ServerCapabilities {

    /** So often in a row a watch-list is refused before it is no longer asked for. */
    private static final int REFUSALS = 2;

    private static final Duration MEMORY = Duration.ofHours(1);

    private final Strategy strategy;
    private final UpstreamApi api;
    private final InstantSource clock;
    private int refusals;
    private volatile Instant refusedUntil = Instant.MIN;
    private volatile String refusedBy = "";
    private volatile Instant unwatchableUntil = Instant.MIN;
    private volatile boolean listsExpire;
    private boolean unwatched;

    ServerCapabilities(Strategy strategy, UpstreamApi api, InstantSource clock) {
        this.strategy = strategy;
        this.api = api;
        this.clock = clock;
    }

    /** What has been learned and still counts, in sentences. */
    List<String> describe() {
        Instant now = clock.instant();
        List<String> told = new ArrayList<>();
        if (now.isBefore(unwatchableUntil)) {
            told.add("the server allows no watch of it; asked again after " + unwatchableUntil);
        }
        if (now.isBefore(refusedUntil)) {
            told.add(
                    "the server (%s) did not serve watch-lists, which are therefore not asked for until %s"
                            .formatted(refusedBy, refusedUntil));
        }
        if (listsExpire) {
            told.add("a list took longer than the server remembers, so a watch runs beside it");
        }
        return told;
    }

    /** Whether to ask for the present state as the first events of a watch; may ask the server. */
    boolean mayStream() {
        return switch (strategy) {
            case WATCH_LIST -> true;
            case LIST_WATCH, LIST_WATCH_PARALLEL -> false;
            case AUTO -> mayWatch() && !isRemembered();
        };
    }

    private boolean isRemembered() {
        if (!clock.instant().isBefore(refusedUntil)) {
            return false;
        }
        boolean same = version().equals(refusedBy);
        if (!same) {
            streamed();
        }
        return same;
    }

    /**
     * The server does not know watch-lists: it says so (422) or never ends one
     * (list-watch.md#up-28).
     */
    void streamRefused() {
        refusals++;
        if (refusals >= REFUSALS) {
            refusedBy = version();
            // Last, as it is read first: whoever sees it sees the version that it is about.
            refusedUntil = clock.instant().plus(MEMORY);
        }
    }

    /** A watch-list came to its end. */
    void streamed() {
        refusals = 0;
        refusedUntil = Instant.MIN;
    }

    /** A server that does not tell its version counts as the same as before. */
    private String version() {
        return switch (api.version()) {
            case VersionOutcome.Known known -> known.gitVersion();
            case Failure _ -> refusedBy;
        };
    }

    /** Whether the watch has to run while the pages of a list are fetched. */
    boolean overlaps() {
        return switch (strategy) {
            case LIST_WATCH_PARALLEL -> true;
            case AUTO -> listsExpire;
            case WATCH_LIST, LIST_WATCH -> false;
        };
    }

    /** A list's revision was gone before the list was complete. */
    void listExpired() {
        listsExpire = true;
    }

    /** A list without a watch beside it is complete; its watch has to begin. */
    void listed() {
        unwatched = true;
    }

    /** A watch brought something. */
    void followed() {
        unwatched = false;
    }

    /** The revision of a watch was gone, perhaps because the list before it took too long. */
    void watchExpired() {
        listsExpire = listsExpire || unwatched;
    }

    /** Whether watches are allowed at all (list-watch.md#up-35). */
    boolean mayWatch() {
        return !clock.instant().isBefore(unwatchableUntil);
    }

    /** Watches are not allowed (405). */
    void watchRefused() {
        unwatchableUntil = clock.instant().plus(MEMORY);
    }
}
