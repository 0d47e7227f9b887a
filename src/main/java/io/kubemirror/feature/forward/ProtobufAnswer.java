package io.kubemirror.feature.forward;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

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

    private final InputStream message;
    private int wireType;

    private ProtobufAnswer(InputStream message) {
        this.message = message;
    }

    /**
     * Reads the beginning of a document; the rest stays unread.
     *
     * @param deletion whether the request deletes the object
     * @throws IOException if the document is shorter, or no protobuf
     */
    static Optional<WrittenObject> read(InputStream document, boolean deletion) throws IOException {
        if (!Arrays.equals(document.readNBytes(MAGIC.length), MAGIC)) {
            return Optional.empty();
        }
        WrittenObject.Draft draft = new WrittenObject.Draft(deletion);
        ProtobufAnswer envelope = new ProtobufAnswer(document);
        for (int field = envelope.field(); field > 0; field = envelope.field()) {
            switch (field) {
                case 1 -> envelope.part().type(draft);
                case 2 -> {
                    // The length of the object, whose fields follow.
                    envelope.number();
                    return envelope.object(draft);
                }
                default -> envelope.skip();
            }
        }
        return Optional.empty();
    }

    private void type(WrittenObject.Draft draft) throws IOException {
        for (int field = field(); field > 0; field = field()) {
            if (field == 2) {
                draft.kind = text();
            } else {
                skip();
            }
        }
    }

    private Optional<WrittenObject> object(WrittenObject.Draft draft) throws IOException {
        boolean status = draft.kind.equals(WrittenObject.STATUS);
        int wanted = status ? 5 : 1;
        int field = field();
        while (field != wanted && field > 0) {
            skip();
            field = field();
        }
        if (field == wanted && status) {
            part().details(draft);
        } else if (field == wanted) {
            part().metadata(draft);
        }
        return draft.object();
    }

    private void details(WrittenObject.Draft draft) throws IOException {
        for (int field = field(); field > 0; field = field()) {
            switch (field) {
                case 1 -> draft.detailName = text();
                case 6 -> draft.detailUid = text();
                default -> skip();
            }
        }
    }

    private void metadata(WrittenObject.Draft draft) throws IOException {
        for (int field = field(); field > 0; field = field()) {
            switch (field) {
                case 1 -> draft.name = text();
                case 5 -> draft.uid = text();
                case 6 -> draft.revision = text();
                case 9 -> {
                    skip();
                    draft.deleting = true;
                }
                case 10 -> draft.kept |= number() != 0;
                case 11 -> part().label(draft);
                case 14 -> {
                    skip();
                    draft.kept = true;
                }
                default -> skip();
            }
        }
    }

    private void label(WrittenObject.Draft draft) throws IOException {
        String key = "";
        String value = "";
        for (int field = field(); field > 0; field = field()) {
            switch (field) {
                case 1 -> key = text();
                case 2 -> value = text();
                default -> skip();
            }
        }
        draft.labels.put(key, value);
    }

    /** Moves to the next field and returns its number, 0 at the end. */
    private int field() throws IOException {
        int first = message.read();
        if (first < 0) {
            return 0;
        }
        long tag = number(first);
        wireType = (int) tag & 7;
        return (int) (tag >>> 3);
    }

    private long number() throws IOException {
        return number(next());
    }

    private long number(int first) throws IOException {
        long value = first & 0x7f;
        int last = first;
        for (int shift = 7; last >= 0x80 && shift < Long.SIZE; shift += 7) {
            last = next();
            value |= (long) (last & 0x7f) << shift;
        }
        return value;
    }

    private int next() throws IOException {
        int next = message.read();
        if (next < 0) {
            throw new EOFException();
        }
        return next;
    }

    private ProtobufAnswer part() throws IOException {
        return new ProtobufAnswer(new ByteArrayInputStream(bytes()));
    }

    private String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    private byte[] bytes() throws IOException {
        long length = wireType == DELIMITED ? number() : -1;
        if (length < 0 || length > WrittenObject.MAX_LENGTH) {
            throw new IOException("a field has another type or is too long");
        }
        byte[] bytes = message.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return bytes;
    }

    private void skip() throws IOException {
        switch (wireType) {
            case 0 -> number();
            // Read, because what is skipped is not recorded for the client.
            case 1 -> message.readNBytes(Long.BYTES);
            case DELIMITED -> bytes();
            case 5 -> message.readNBytes(Integer.BYTES);
            default -> throw new IOException("a field of an unknown type");
        }
    }
}
