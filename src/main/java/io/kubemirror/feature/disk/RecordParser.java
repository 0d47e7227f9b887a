package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.KubeObject.Span;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the payload of a record that {@link RecordBuffer} wrote.
 *
 * <p>All methods throw an {@link IllegalArgumentException} or an {@link IndexOutOfBoundsException}
 * if the payload makes no sense.
 */
final class RecordParser {

    private final byte[] bytes;
    private final int end;
    private int position;
    private Map<String, String> labels = Map.of();
    private Map<String, String> fields = Map.of();

    RecordParser(byte[] bytes, int length) {
        this.bytes = bytes;
        this.end = length;
    }

    /** Returns the whole payload. */
    byte[] all() {
        return Arrays.copyOf(bytes, end);
    }

    boolean isAtEnd() {
        return position == end;
    }

    int octet() {
        skip(1);
        return bytes[position - 1];
    }

    private int skip(int length) {
        if (length < 0 || length > end - position) {
            throw new IndexOutOfBoundsException("the record is too short");
        }
        position += length;
        return position - length;
    }

    long number() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int next = octet();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number is too long");
    }

    int length() {
        return Math.toIntExact(number());
    }

    String text() {
        int length = length();
        return new String(bytes, skip(length), length, UTF_8);
    }

    byte[] bytes() {
        int length = length();
        int start = skip(length);
        return Arrays.copyOfRange(bytes, start, start + length);
    }

    Revision revision() {
        return new Revision(text());
    }

    KubeObject object() {
        ObjectKey key = new ObjectKey(text());
        String uid = text();
        Revision revision = revision();
        labels = values(labels);
        fields = values(fields);
        Span metadata = new Span(length(), length());
        Span version = new Span(length(), length());
        return new KubeObject(key, uid, revision, labels, fields, bytes(), metadata, version);
    }

    private Map<String, String> values(Map<String, String> before) {
        if (octet() == 0) {
            return before;
        }
        int size = length();
        Map<String, String> values = HashMap.newHashMap(Math.min(size, 64));
        for (int i = 0; i < size; i++) {
            values.put(text(), text());
        }
        return Map.copyOf(values);
    }
}
