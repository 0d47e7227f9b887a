package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.Revision;

import okio.BufferedSource;
import okio.ByteString;

/**
 * Reads the messages of a gRPC response field by field, while they arrive. A message is never in
 * memory as a whole. Used by one thread at a time.
 */
final class ProtobufReader {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;

    /** The type of a field that has been read. */
    private static final int NONE = -1;

    private final BufferedSource source;

    /** The bytes left of the innermost message. */
    private long left;

    private int unread = NONE;

    ProtobufReader(BufferedSource source) {
        this.source = source;
    }

    /** Skips the rest of the message and waits for the next one; false at the end of the stream. */
    boolean nextMessage() throws IOException {
        source.skip(left);
        left = 0;
        unread = NONE;
        if (source.exhausted()) {
            return false;
        }
        if (source.readByte() != 0) {
            throw new MalformedResponseException("a message is compressed");
        }
        left = source.readInt() & 0xffff_ffffL;
        return true;
    }

    /**
     * Moves to the next field, over the present one if it has not been read, and returns its
     * number, 0 at the end of the message.
     */
    int nextField() throws IOException {
        switch (unread) {
            case NONE -> {}
            case VARINT -> varint();
            case FIXED64 -> skip(Long.BYTES);
            case LENGTH_DELIMITED -> skip(length());
            case FIXED32 -> skip(Integer.BYTES);
            default -> throw new MalformedResponseException("a field of an unknown type");
        }
        unread = NONE;
        if (left == 0) {
            return 0;
        }
        long tag = varint();
        unread = (int) tag & 7;
        int field = (int) (tag >>> 3);
        if (field == 0) {
            throw new MalformedResponseException("a field of a message has no number");
        }
        return field;
    }

    /** Returns a number or a flag. */
    long number() throws IOException {
        require(unread == VARINT, "a field of a message has another type");
        unread = NONE;
        return varint();
    }

    /** Returns a revision, which has a next one. */
    Revision revision() throws IOException {
        long number = number();
        require(number >= 0 && number < Long.MAX_VALUE, "a revision is out of range");
        return new Revision(Long.toString(number));
    }

    private long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            consume(1);
            byte next = source.readByte();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedResponseException("a number in a message is too long");
    }

    /** Returns the length of bytes or of a message, whose content has to be read next. */
    long length() throws IOException {
        long length = unread == LENGTH_DELIMITED ? varint() : NONE;
        require(length >= 0 && length <= left, "a field of a message does not fit");
        unread = NONE;
        return length;
    }

    /** Reads the content of a field of bytes. */
    byte[] bytes(long length) throws IOException {
        consume(length);
        return source.readByteArray(length);
    }

    /** Returns a short text or key. */
    ByteString text(int limit) throws IOException {
        long length = length();
        require(length <= limit, "a key or a text is too long");
        return ByteString.of(bytes(length));
    }

    /** Reads the rest of the message. Returns the text that a field of it has, empty for none. */
    String onlyText(int number, int limit) throws IOException {
        String text = "";
        for (int field = nextField(); field != 0; field = nextField()) {
            text = field == number ? text(limit).utf8() : text;
        }
        return text;
    }

    /** Enters a message, and returns what is left of the one around it. */
    long enter() throws IOException {
        long length = length();
        long around = left - length;
        left = length;
        return around;
    }

    /** Leaves a message, all of whose fields have been read. */
    void leave(long around) {
        left = around;
    }

    private void skip(long count) throws IOException {
        consume(count);
        source.skip(count);
    }

    private void consume(long count) throws IOException {
        if (count > left) {
            throw new EOFException("a message is shorter than its fields");
        }
        left -= count;
    }

    private static void require(boolean condition, String problem) throws IOException {
        if (!condition) {
            throw new MalformedResponseException(problem);
        }
    }
}
