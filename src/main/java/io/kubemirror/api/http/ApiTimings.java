package io.kubemirror.api.http;

import java.time.Duration;

/**
 * How long things take.
 *
 * @param freshness how long a request waits for a revision (list-watch.md#li-20)
 * @param bookmarks the time from one bookmark to the next (list-watch.md#bm-4)
 * @param lastBookmark how long before its end a watch gets its last bookmark (list-watch.md#bm-5)
 * @param keepAlive after how much silence a server-sent comment is due (list-watch.md#se-8)
 * @param shortestWatch how long a watch lasts at least if the client does not say; twice this is
 *     never reached (list-watch.md#wa-27)
 */
public record ApiTimings(
        Duration freshness,
        Duration bookmarks,
        Duration lastBookmark,
        Duration keepAlive,
        Duration shortestWatch) {

    /** The API server's own, and the 15 seconds of server-sent events. */
    public static ApiTimings standard() {
        return new ApiTimings(
                Duration.ofSeconds(3),
                Duration.ofSeconds(60),
                Duration.ofSeconds(2),
                Duration.ofSeconds(15),
                Duration.ofMinutes(30));
    }
}
