package io.kubemirror.feature.etcd;

import okio.Buffer;
import okio.ByteString;

/**
 * Writes the fields of one protobuf message. Fields with default values are left out, as protobuf
 * demands.
 */
final class ProtobufWriter {

    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;

    private final Buffer message = new Buffer();

    ProtobufWriter number(int field, long value) {
        if (value != 0) {
            varint(((long) field << 3) | VARINT);
            varint(value);
        }
        return this;
    }

    ProtobufWriter flag(int field) {
        return number(field, 1);
    }

    ProtobufWriter bytes(int field, ByteString value) {
        return value.size() == 0 ? this : delimited(field, value);
    }

    ProtobufWriter text(int field, String value) {
        return bytes(field, ByteString.encodeUtf8(value));
    }

    /** Adds a message, which is written even if it is empty. */
    ProtobufWriter message(int field, ProtobufWriter value) {
        return delimited(field, value.message.snapshot());
    }

    private ProtobufWriter delimited(int field, ByteString value) {
        varint(((long) field << 3) | LENGTH_DELIMITED);
        varint(value.size());
        message.write(value);
        return this;
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            message.writeByte((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        message.writeByte((int) rest);
    }

    /** Returns the message with the prefix of gRPC: not compressed, and its length. */
    ByteString framed() {
        return new Buffer()
                .writeByte(0)
                .writeInt((int) message.size())
                .write(message.snapshot())
                .readByteString();
    }
}
