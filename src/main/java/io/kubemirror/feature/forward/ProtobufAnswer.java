package io.kubemirror.feature.forward;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Reads the metadata of an object from the protobuf of the API server, which clients in Go use for
 * built-in types: an envelope with the type and the object, whose first field is its metadata.
 *
 * <p>Field numbers are those of {@code runtime.Unknown}, {@code meta/v1.ObjectMeta}, {@code
 * meta/v1.Status}, and {@code meta/v1.StatusDetails}, which never change.
 */
final class ProtobufAnswer {

    static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int DELIMITED = 2;

    private final ByteBuffer message;
    private int wireType;

    private ProtobufAnswer(ByteBuffer message) {
        this.message = message;
    }

    /**
     * Returns the members of a document that {@link WrittenObject} reads, as in its JSON.
     *
     * @param beginning the document, or its beginning
     * @throws BufferUnderflowException if the beginning is too short
     * @throws IllegalArgumentException if it is no protobuf
     */
    static ObjectNode read(byte[] beginning) {
        ObjectNode answer = JsonMapper.shared().createObjectNode();
        if (!Arrays.equals(Arrays.copyOf(beginning, MAGIC.length), MAGIC)) {
            throw new IllegalArgumentException("no protobuf of Kubernetes");
        }
        ProtobufAnswer envelope =
                new ProtobufAnswer(ByteBuffer.wrap(beginning).position(MAGIC.length));
        int field = envelope.next();
        while (field > 0 && field != 2) {
            if (field == 1) {
                ProtobufAnswer type = envelope.part();
                type.fields(number -> number == 2 && type.put("kind", answer));
            } else {
                envelope.skip();
            }
            field = envelope.next();
        }
        if (field == 2) {
            // The length of the object, whose fields follow.
            envelope.number();
            envelope.object(answer);
        }
        return answer;
    }

    private void object(ObjectNode answer) {
        boolean status = answer.path("kind").asString("").equals(WrittenObject.STATUS);
        int wanted = status ? 5 : 1;
        int field = next();
        while (field != wanted && field > 0) {
            skip();
            field = next();
        }
        if (field == wanted && status) {
            part().details(answer.putObject("details"));
        } else if (field == wanted) {
            part().metadata(answer.putObject("metadata"));
        }
    }

    private void details(ObjectNode details) {
        fields(
                field ->
                        switch (field) {
                            case 1 -> put("name", details);
                            case 6 -> put("uid", details);
                            default -> false;
                        });
    }

    private void metadata(ObjectNode metadata) {
        fields(
                field ->
                        switch (field) {
                            case 1 -> put("name", metadata);
                            case 5 -> put("uid", metadata);
                            case 6 -> put("resourceVersion", metadata);
                            case 9 -> {
                                bytes();
                                metadata.put("deletionTimestamp", "some time");
                                yield true;
                            }
                            case 10 -> {
                                metadata.put("deletionGracePeriodSeconds", number());
                                yield true;
                            }
                            case 11 -> part().label(metadata.withObject("labels"));
                            case 14 -> {
                                metadata.withArray("finalizers").add(text());
                                yield true;
                            }
                            default -> false;
                        });
    }

    private boolean label(ObjectNode labels) {
        String[] label = {"", ""};
        fields(
                field -> {
                    boolean known = field == 1 || field == 2;
                    if (known) {
                        label[field - 1] = text();
                    }
                    return known;
                });
        labels.put(label[0], label[1]);
        return true;
    }

    private boolean put(String member, ObjectNode to) {
        to.put(member, text());
        return true;
    }

    /**
     * Reads all fields of the message.
     *
     * @param reader gets the number of a field, and returns whether it has read the value
     */
    private void fields(IntPredicate reader) {
        for (int field = next(); field > 0; field = next()) {
            if (!reader.test(field)) {
                skip();
            }
        }
    }

    /** Moves to the next field and returns its number, 0 at the end. */
    private int next() {
        if (!message.hasRemaining()) {
            return 0;
        }
        long tag = number();
        wireType = (int) tag & 7;
        return (int) (tag >>> 3);
    }

    private long number() {
        long value = 0;
        byte last = -1;
        for (int shift = 0; last < 0 && shift < Long.SIZE; shift += 7) {
            last = message.get();
            value |= (long) (last & 0x7f) << shift;
        }
        return value;
    }

    private ProtobufAnswer part() {
        return new ProtobufAnswer(bytes());
    }

    private String text() {
        return StandardCharsets.UTF_8.decode(bytes()).toString();
    }

    private ByteBuffer bytes() {
        if (wireType != DELIMITED) {
            throw new IllegalArgumentException("a field has another type");
        }
        return take(number());
    }

    private ByteBuffer take(long length) {
        if (length < 0 || length > message.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer taken = message.slice(message.position(), (int) length);
        message.position(message.position() + (int) length);
        return taken;
    }

    private void skip() {
        switch (wireType) {
            case 0 -> number();
            case 1 -> take(Long.BYTES);
            case DELIMITED -> bytes();
            case 5 -> take(Integer.BYTES);
            default -> throw new IllegalArgumentException("a field of an unknown type");
        }
    }
}
