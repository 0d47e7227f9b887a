package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Map;

/**
 * The payload of a record while it is written. The format is described at the package.
 *
 * <p>Used by one thread. Its memory is part of a budget, also beyond its limit, because the objects
 * that it copies are in memory already.
 */
final class RecordBuffer implements AutoCloseable {

    private static final int MIN = 64 * 1024;

    /** A larger buffer, which a large object needed, is not kept. */
    private static final int MAX_KEPT = 2 * 1024 * 1024;

    private final MemoryBudget memory;
    private byte[] bytes = new byte[MIN];
    private int size;

    /** The values of the previous object in the record, which many objects share. */
    private @Nullable Map<String, String> labels;

    private @Nullable Map<String, String> fields;

    RecordBuffer(MemoryBudget memory) {
        this.memory = memory;
        memory.acquire(bytes.length);
    }

    /** Begins a record. */
    void clear() {
        size = 0;
        labels = null;
        fields = null;
        if (bytes.length > MAX_KEPT) {
            resize(MIN);
        }
    }

    int size() {
        return size;
    }

    /** The payload, from index 0 up to the size. */
    byte[] array() {
        return bytes;
    }

    private void resize(int length) {
        memory.acquire(length);
        memory.release(bytes.length);
        bytes = Arrays.copyOf(bytes, length);
    }

    private void reserve(int more) {
        if (size + more > bytes.length) {
            resize(Math.max(size + more, (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
    }

    RecordBuffer octet(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
        return this;
    }

    /** Writes seven bits in each byte, the lowest first, and a set bit before further bytes. */
    RecordBuffer number(long value) {
        reserve(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    RecordBuffer text(String text) {
        return bytes(text.getBytes(UTF_8));
    }

    RecordBuffer bytes(byte[] value) {
        number(value.length);
        reserve(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
        return this;
    }

    RecordBuffer object(KubeObject object) {
        text(object.key().path()).text(object.uid()).text(object.revision().digits());
        values(object.labels(), labels);
        values(object.fields(), fields);
        labels = object.labels();
        fields = object.fields();
        number(object.metadata().start()).number(object.metadata().end());
        number(object.version().start()).number(object.version().end());
        return bytes(object.json());
    }

    private void values(Map<String, String> values, @Nullable Map<String, String> before) {
        if (values.equals(before)) {
            octet(0);
            return;
        }
        octet(1).number(values.size());
        values.forEach((name, value) -> text(name).text(value));
    }

    @Override
    public void close() {
        memory.release(bytes.length);
        bytes = new byte[0];
    }
}
