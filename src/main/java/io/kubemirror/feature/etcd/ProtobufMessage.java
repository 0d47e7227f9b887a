package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.Revision;

import okio.ByteString;

import org.apache.commons.io.function.IOConsumer;

/** A message of protobuf, whose fields are found in its bytes, so that it takes no more memory. */
record ProtobufMessage(ByteBuffer content) {

    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;

    ProtobufMessage(byte[] content) {
        this(ByteBuffer.wrap(content));
    }

    /** Passes the values of a field on in their order, and returns the last, empty for none. */
    private ByteBuffer values(int wanted, int type, IOConsumer<ByteBuffer> to) throws IOException {
        ByteBuffer in = content.duplicate();
        ByteBuffer last = in.slice(in.position(), 0);
        while (in.hasRemaining()) {
            long tag = varint(in);
            int field = (int) (tag >>> 3);
            require(field != 0, "a field of a message has no number");
            ByteBuffer value = value((int) tag & 7, in);
            if (field == wanted) {
                require(((int) tag & 7) == type, "a field of a message has another type");
                last = value;
                to.accept(value.duplicate());
            }
        }
        return last;
    }

    private static ByteBuffer value(int type, ByteBuffer in) throws IOException {
        int start = in.position();
        switch (type) {
            case VARINT -> varint(in);
            case LENGTH_DELIMITED -> {
                long length = varint(in);
                require(length >= 0 && length <= in.remaining(), "a field does not fit");
                start = in.position();
                in.position(start + (int) length);
            }
            default -> throw new MalformedResponseException("a field of an unknown type");
        }
        return in.slice(start, in.position() - start);
    }

    private static long varint(ByteBuffer in) throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            require(in.hasRemaining(), "a message is shorter than its fields");
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedResponseException("a number in a message is too long");
    }

    /** Returns a number, 0 if there is none. */
    long number(int field) throws IOException {
        ByteBuffer value = values(field, VARINT, _ -> {});
        return value.hasRemaining() ? varint(value) : 0;
    }

    boolean flag(int field) throws IOException {
        return number(field) != 0;
    }

    /** Returns a revision, which has a next one. */
    Revision revision(int field) throws IOException {
        long revision = number(field);
        require(revision >= 0 && revision < Long.MAX_VALUE, "a revision is out of range");
        return new Revision(Long.toString(revision));
    }

    /** Returns the revision of the store, which the header of every response has. */
    Revision header() throws IOException {
        return message(1).revision(3);
    }

    ByteString bytes(int field) throws IOException {
        return ByteString.of(values(field, LENGTH_DELIMITED, _ -> {}));
    }

    /** Returns a message in the message, empty if there is none. */
    ProtobufMessage message(int field) throws IOException {
        return new ProtobufMessage(values(field, LENGTH_DELIMITED, _ -> {}));
    }

    /** Passes the messages of a field on, in their order. */
    void each(int field, IOConsumer<ProtobufMessage> to) throws IOException {
        values(field, LENGTH_DELIMITED, value -> to.accept(new ProtobufMessage(value)));
    }

    boolean isEmpty() {
        return !content.hasRemaining();
    }

    static void require(boolean condition, String problem) throws IOException {
        if (!condition) {
            throw new MalformedResponseException(problem);
        }
    }
}
