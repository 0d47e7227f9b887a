package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.model.DurationRange;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * Watches of clients.
 *
 * @param bookmarkInterval Interval of bookmarks. A client may ask for another one with
 *     bookmarkIntervalSeconds.
 * @param timeout Duration of watches without timeoutSeconds, chosen at random for each.
 * @param batch Limits of what a watch writes at once.
 */
public record WatchProperties(
        @DefaultValue("60s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(seconds = 1, message = "is too short; use 1s or more")
                Duration bookmarkInterval,
        @DefaultValue("30m..60m") DurationRange timeout,
        @DefaultValue @Valid BatchProperties batch) {

    /** Returns the API server's timing with these durations. */
    public ApiTimings timings() {
        ApiTimings standard = ApiTimings.standard();
        return new ApiTimings(
                standard.freshness(),
                bookmarkInterval,
                standard.lastBookmark(),
                standard.keepAlive(),
                timeout);
    }

    /**
     * Limits of what a watch writes at once.
     *
     * @param maxBytes Size at which a batch of events is written; the last event may exceed it.
     * @param maxEvents Number of events at which a batch is written.
     * @param maxDelay How long an event waits for others before it is written, at most 10s. Fewer
     *     writes of more events each, but every event is that much later.
     */
    public record BatchProperties(
            @DefaultValue("128KB") DataSize maxBytes,
            @DefaultValue("512") @Min(value = 1, message = "is too small; use 1 or more")
                    int maxEvents,
            @DefaultValue("0s")
                    @DurationMin(message = "is negative; use 0 or a time such as 50ms")
                    @DurationMax(
                            seconds = 10,
                            message = "is too long; use 10s or less, for example 50ms")
                    Duration maxDelay) {}
}
