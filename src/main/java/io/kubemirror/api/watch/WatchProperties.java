package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.model.DurationRange;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.Assert;

/**
 * Watches of clients.
 *
 * @param bookmarkInterval Interval of bookmarks, unless the client asks for another.
 * @param timeout Duration of watches without timeoutSeconds, chosen at random for each.
 * @param batch Limits of what a watch writes at once.
 * @param rebalanceAbove Number of open watches above which some end, so that their clients continue
 *     at another replica; 0 for no limit.
 */
public record WatchProperties(
        @DefaultValue("60s") @DurationUnit(ChronoUnit.SECONDS) Duration bookmarkInterval,
        @DefaultValue("30m..60m") DurationRange timeout,
        @DefaultValue BatchProperties batch,
        @DefaultValue("0") int rebalanceAbove) {

    /** Refuses bookmarks without a pause, and a negative number of watches. */
    public WatchProperties {
        Assert.isTrue(
                bookmarkInterval.compareTo(Duration.ofSeconds(1)) >= 0,
                "kubemirror.watches.bookmark-interval is too short; use 1s or more");
        Assert.isTrue(rebalanceAbove >= 0, "kubemirror.watches.rebalance-above is negative");
    }

    /**
     * Limits of what a watch writes at once.
     *
     * @param maxEvents Number of events at which a batch is written.
     * @param maxDelay How long an event waits for others before it is written, at most 10s.
     */
    public record BatchProperties(
            @DefaultValue("512") int maxEvents, @DefaultValue("0s") Duration maxDelay) {

        /** Refuses limits of nothing, and a long delay. */
        public BatchProperties {
            Assert.isTrue(
                    maxEvents > 0
                            && !maxDelay.isNegative()
                            && maxDelay.compareTo(Duration.ofSeconds(10)) <= 0,
                    "kubemirror.watches.batch has a limit below 1, or a max-delay beyond 10s");
        }
    }
}
