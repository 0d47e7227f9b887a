package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.DurationRange;

/**
 * The intervals and durations of requests and watches.
 *
 * @param freshness the maximum time that a request waits for a revision (list-watch.md#li-20)
 * @param bookmarks the interval between bookmarks if the client requests none (list-watch.md#bm-4)
 * @param lastBookmark the time between the last bookmark of a watch and its end
 *     (list-watch.md#bm-4)
 * @param keepAlive the idle time after which a keep-alive comment of server-sent events is due
 *     (list-watch.md#se-8)
 * @param watches the duration of a watch if the client requests none (list-watch.md#wa-27)
 */
public record ApiTimings(
        Duration freshness,
        Duration bookmarks,
        Duration lastBookmark,
        Duration keepAlive,
        DurationRange watches) {

    /** Returns the API server's values, and 15 seconds for server-sent events. */
    public static ApiTimings standard() {
        return new ApiTimings(
                Duration.ofSeconds(3),
                Duration.ofSeconds(60),
                Duration.ofSeconds(2),
                Duration.ofSeconds(15),
                new DurationRange(Duration.ofMinutes(30), Duration.ofMinutes(60)));
    }
}
