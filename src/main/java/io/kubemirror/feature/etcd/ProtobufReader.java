package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.Revision;

import okio.ByteString;

/** Reads the fields of a message of protobuf, one after the other. Used by one thread at a time. */
final class ProtobufReader {

    /** The number of the header in all responses. */
    static final int HEADER = 1;

    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;

    private final byte[] message;
    private final int end;
    private int at;

    private int type;
    private long number;

    ProtobufReader(byte[] message) {
        this(message, 0, message.length);
    }

    private ProtobufReader(byte[] message, int start, int end) {
        this.message = message;
        this.at = start;
        this.end = end;
    }

    /** Moves to the next field, and returns its number, 0 at the end of the message. */
    int next() throws IOException {
        if (at == end) {
            return 0;
        }
        long tag = varint();
        type = (int) tag & 7;
        number =
                switch (type) {
                    case VARINT, LENGTH_DELIMITED -> varint();
                    default -> throw new MalformedResponseException("a field of an unknown type");
                };
        if (type == LENGTH_DELIMITED) {
            require(number >= 0 && number <= end - at, "a field of a message does not fit");
            at += (int) number;
        }
        int field = (int) (tag >>> 3);
        require(field != 0, "a field of a message has no number");
        return field;
    }

    private long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            require(at < end, "a message is shorter than its fields");
            byte next = message[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedResponseException("a number in a message is too long");
    }

    /** Returns a number or a flag. */
    long number() throws IOException {
        require(type == VARINT, "a field of a message has another type");
        return number;
    }

    /** Returns a revision, which has a next one. */
    Revision revision() throws IOException {
        long revision = number();
        require(revision >= 0 && revision < Long.MAX_VALUE, "a revision is out of range");
        return new Revision(Long.toString(revision));
    }

    /** Returns the revision of the store, which the header of every response has. */
    Revision header() throws IOException {
        ProtobufReader header = message();
        Revision revision = Revision.ZERO;
        for (int field = header.next(); field != 0; field = header.next()) {
            revision = field == 3 ? header.revision() : revision;
        }
        return revision;
    }

    /** Returns a message in the message. */
    ProtobufReader message() throws IOException {
        require(type == LENGTH_DELIMITED, "a field of a message has another type");
        return new ProtobufReader(message, at - (int) number, at);
    }

    ByteString bytes() throws IOException {
        ProtobufReader content = message();
        return ByteString.of(message, content.at, content.end - content.at);
    }

    static void require(boolean condition, String problem) throws IOException {
        if (!condition) {
            throw new MalformedResponseException(problem);
        }
    }
}
