package io.kubemirror.api.http;

import io.kubemirror.model.GoString;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** The header with a revision that the answer to a read must not be before (list-watch.md#ry-5). */
public final class MinRevision {

    /** The name of the header, on reads, writes, and the answers to writes. */
    public static final String HEADER = "Kubemirror-Min-Revision";

    private MinRevision() {}

    /**
     * Returns the revision in the header of a request, 0 if it is absent.
     *
     * @throws Rejection if the header is not a revision
     */
    public static Revision of(Exchange exchange) throws Rejection {
        return of(exchange.request().getHeader(HEADER));
    }

    /**
     * Returns the revision in a header, 0 if it is absent.
     *
     * @throws Rejection if it is not a revision
     */
    public static Revision of(@Nullable String header) throws Rejection {
        if (header == null) {
            return Revision.ZERO;
        }
        if (!Revision.isDecimal(header)) {
            throw Rejection.badRequest(
                    "invalid " + HEADER + " " + GoString.quote(header) + ": not a revision");
        }
        return new Revision(header);
    }
}
