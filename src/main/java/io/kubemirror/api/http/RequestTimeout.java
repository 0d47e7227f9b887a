package io.kubemirror.api.http;

import java.time.Duration;

/**
 * The {@code timeout} parameter: the maximum duration of a request that is not a watch
 * (list-watch.md#de-7a).
 */
public final class RequestTimeout {

    /** The default and the maximum. */
    public static final Duration MAXIMUM = Duration.ofSeconds(60);

    private RequestTimeout() {}

    /**
     * Returns the timeout of a request.
     *
     * @throws Rejection if the parameter is not a duration
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
