package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.KubeObject.Span;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

/**
 * The payload of a record: values one after the other. Methods with a value write it at the end;
 * those without one read the next, and throw a {@link RuntimeException} if it makes no sense.
 *
 * <p>Used by one thread, either for writing or for reading.
 */
final class Payload {

    private static final int MIN = 1024;

    private ByteBuffer bytes;

    /** Creates an empty payload. */
    Payload() {
        this(ByteBuffer.allocate(MIN));
    }

    /** Creates a payload for reading. */
    Payload(ByteBuffer written) {
        bytes = written;
    }

    /** Returns what has been written. */
    ByteBuffer written() {
        return bytes.duplicate().flip();
    }

    private ByteBuffer reserve(int more) {
        if (more > bytes.remaining()) {
            int needed = Math.max(2 * bytes.capacity(), bytes.position() + more);
            bytes = ByteBuffer.allocate(needed).put(bytes.flip());
        }
        return bytes;
    }

    Payload octet(int value) {
        reserve(1).put((byte) value);
        return this;
    }

    int octet() {
        return bytes.get();
    }

    Payload number(long value) {
        reserve(Long.BYTES).putLong(value);
        return this;
    }

    long number() {
        return bytes.getLong();
    }

    Payload bytes(byte[] value) {
        reserve(Integer.BYTES + value.length).putInt(value.length).put(value);
        return this;
    }

    byte[] bytes() {
        byte[] value = new byte[length()];
        bytes.get(value);
        return value;
    }

    /** Nothing is longer, or has more parts, than there are bytes. */
    private int length() {
        int length = bytes.getInt();
        if (length > bytes.remaining()) {
            throw new IllegalArgumentException("the record is too short");
        }
        return length;
    }

    Payload text(String value) {
        return bytes(value.getBytes(UTF_8));
    }

    String text() {
        int length = length();
        int start = bytes.position();
        bytes.position(start + length);
        return new String(bytes.array(), start, length, UTF_8);
    }

    Payload revision(Revision value) {
        return text(value.digits()).number(value.part());
    }

    Revision revision() {
        return new Revision(text(), (int) number());
    }

    <T> Payload list(Collection<T> values, BiConsumer<T, Payload> write) {
        reserve(Integer.BYTES).putInt(values.size());
        values.forEach(value -> write.accept(value, this));
        return this;
    }

    <T> List<T> list(Function<Payload, T> read) {
        return IntStream.range(0, length()).mapToObj(_ -> read.apply(this)).toList();
    }

    Payload object(KubeObject object) {
        text(object.key().path()).text(object.uid()).revision(object.revision());
        map(object.labels()).map(object.fields());
        return bytes(object.json()).span(object.metadata()).span(object.version());
    }

    KubeObject object() {
        return new KubeObject(
                new ObjectKey(text()), text(), revision(), map(), map(), bytes(), span(), span());
    }

    private Payload map(Map<String, String> values) {
        return list(
                values.entrySet(), (entry, to) -> to.text(entry.getKey()).text(entry.getValue()));
    }

    private Map<String, String> map() {
        return list(from -> Map.entry(from.text(), from.text())).stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Payload span(Span span) {
        reserve(2 * Integer.BYTES).putInt(span.start()).putInt(span.end());
        return this;
    }

    private Span span() {
        return new Span(bytes.getInt(), bytes.getInt());
    }
}
