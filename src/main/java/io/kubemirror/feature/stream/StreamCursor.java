package io.kubemirror.feature.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.Revision;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the cursors of a stream of several resources: the revision that the client has
 * reached in each of them (list-watch.md#ms-4).
 *
 * <p>A cursor ends with a code over itself and over what the request selects, so that one that was
 * changed, cut off, or received from another request is refused. It needs no secret to survive a
 * restart and to be valid at each replica: it grants nothing, because any client may name any
 * revision in any watch that it is permitted.
 *
 * <p>Safe for use by any thread.
 */
final class StreamCursor {

    private static final int CODE_BYTES = 12;

    /** Also the maximum length of a cursor that is read, in characters per resource. */
    private static final int MAX_LENGTH = 128;

    private static final int RADIX = Character.MAX_RADIX;

    private final ByteString request;

    /**
     * Creates the cursors of a request.
     *
     * @param parts what the request selects
     */
    public StreamCursor(List<String> parts) {
        // No part contains this character, so no two requests have the same text.
        String text = "kubemirror/v1/watch\0" + String.join("\0", parts);
        request = ByteString.encodeUtf8(text).sha256();
    }

    /**
     * Returns a cursor.
     *
     * @param reached the revision of each resource, null for one whose initial state is incomplete
     */
    public String encode(List<@Nullable Revision> reached) {
        BigInteger newest =
                reached.stream()
                        .map(one -> one == null ? BigInteger.ZERO : new BigInteger(one.digits()))
                        .reduce(BigInteger.ZERO, BigInteger::max);
        StringBuilder text = new StringBuilder(newest.toString(RADIX));
        for (Revision one : reached) {
            text.append('.');
            if (one != null) {
                text.append(newest.subtract(new BigInteger(one.digits())).toString(RADIX));
            }
        }
        return text + "." + code(text.toString());
    }

    String code(String text) {
        return ByteString.encodeUtf8(text).hmacSha256(request).substring(0, CODE_BYTES).base64Url();
    }

    /**
     * Reads a cursor.
     *
     * @param count the number of resources
     * @return the revision of each resource, null for one whose initial state was incomplete
     * @throws Rejection if it is none of this request
     */
    public List<@Nullable Revision> decode(String cursor, int count) throws Rejection {
        int end = cursor.lastIndexOf('.');
        if (cursor.length() <= MAX_LENGTH * (count + 1) && isOurs(cursor, end)) {
            String[] text = cursor.substring(0, end).split("\\.", -1);
            try {
                if (text.length == count + 1) {
                    return decode(text);
                }
            } catch (IllegalArgumentException forged) {
                // The code needs no secret.
            }
        }
        throw Rejection.badRequest(
                "the cursor was changed, or is that of a request with other resources, another"
                        + " namespace, or other selectors; start without a cursor");
    }

    private static List<@Nullable Revision> decode(String[] text) {
        BigInteger newest = new BigInteger(text[0], RADIX);
        List<@Nullable Revision> reached = new ArrayList<>();
        for (int i = 1; i < text.length; i++) {
            reached.add(
                    text[i].isEmpty()
                            ? null
                            : new Revision(
                                    newest.subtract(new BigInteger(text[i], RADIX)).toString()));
        }
        return reached;
    }

    private boolean isOurs(String cursor, int end) {
        return end > 0
                && MessageDigest.isEqual(
                        code(cursor.substring(0, end)).getBytes(UTF_8),
                        cursor.substring(end + 1).getBytes(UTF_8));
    }
}
