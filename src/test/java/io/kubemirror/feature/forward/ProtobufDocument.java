package io.kubemirror.feature.forward;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

/**
 * Writes the protobuf of an API server as a text, without knowing types: the number of each field
 * with its value. Times and revisions, which two servers do not agree on, are stars.
 */
final class ProtobufDocument {

    private static final byte[] MAGIC = {'k', '8', 's', 0};

    /** Seconds since 1970, of this century; nothing else in objects is as large. */
    private static final long MIN_TIME = 1_000_000_000L;

    private final InputStream message;
    private final StringBuilder text = new StringBuilder();

    private ProtobufDocument(byte[] message) {
        this.message = new ByteArrayInputStream(message);
    }

    /** Returns a document as a text; one that is no protobuf is a text already. */
    static String text(byte[] document) {
        int size = MAGIC.length;
        if (document.length < size || Arrays.mismatch(document, MAGIC) < size) {
            return new String(document, UTF_8);
        }
        try {
            return "protobuf " + message(Arrays.copyOfRange(document, size, document.length));
        } catch (IOException e) {
            throw new AssertionError(new String(document, UTF_8), e);
        }
    }

    private static String message(byte[] message) throws IOException {
        ProtobufDocument document = new ProtobufDocument(message);
        while (document.message.available() > 0) {
            document.field();
        }
        return "{" + document.text + "}";
    }

    private void field() throws IOException {
        long tag = number();
        String value =
                switch ((int) tag & 7) {
                    case 0 -> number(number());
                    case 1 -> Arrays.toString(bytes(Long.BYTES));
                    case 2 -> value(bytes((int) number()));
                    case 5 -> Arrays.toString(bytes(Integer.BYTES));
                    default -> throw new IOException("a field of an unknown type");
                };
        text.append(tag >>> 3).append(':').append(value).append(' ');
    }

    private static String number(long number) {
        return number > MIN_TIME ? "*" : Long.toString(number);
    }

    /** What has control characters is a message, or else bytes. */
    private static String value(byte[] value) {
        String string = new String(value, UTF_8);
        if (string.chars().noneMatch(each -> each < ' ' || each == 0xfffd)) {
            return string.matches("\\d{2,}") ? "*" : "\"" + string + "\"";
        }
        try {
            return message(value);
        } catch (IOException bytes) {
            return "\"" + string + "\"";
        }
    }

    private long number() throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = bytes(1)[0];
            number |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IOException("a number has no end");
    }

    private byte[] bytes(int count) throws IOException {
        byte[] bytes = message.readNBytes(Math.max(count, 0));
        if (bytes.length != count) {
            throw new EOFException();
        }
        return bytes;
    }
}
