package io.kubemirror.api.http;

import java.time.Duration;

/**
 * The {@code timeout} parameter: how long a request may take that is no watch
 * (list-watch.md#de-7a).
 */
public final class RequestTimeout {

    /** What every request gets at most, and by default. */
    public static final Duration MAXIMUM = Duration.ofSeconds(60);

    private RequestTimeout() {}

    /**
     * How long the request may take.
     *
     * @throws Rejection if the parameter is no duration
     */
    public static Duration of(Query query) throws Rejection {
        String text = query.text("timeout");
        if (text.isEmpty()) {
            return MAXIMUM;
        }
        try {
            Duration timeout = GoDuration.parse(text);
            return timeout.isPositive() && timeout.compareTo(MAXIMUM) < 0 ? timeout : MAXIMUM;
        } catch (IllegalArgumentException malformed) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "invalid timeout specified in the request URL - "
                                    + malformed.getMessage()));
        }
    }
}
