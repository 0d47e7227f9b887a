package io.kubemirror.upstream.kube;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.ResourceCollection;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the objects of a stream one after another, each in one pass: it extracts the little that is
 * looked at, and takes the rest as the bytes that came (list-watch.md#en-7).
 *
 * <p>Its memory is reused from object to object; what it read is asked of it before the next.
 * Rejected: a tree of each object, which loses the order of members and the spelling of numbers and
 * costs ten times the bytes.
 */
final class ObjectReader {

    private final JsonParser parser;
    private final RecordingInputStream input;
    private final CollectionFormat form;
    private final FieldTree tree;
    private final FieldTree.Node metadata;

    private final @Nullable String[] texts;
    private final Map<String, String> labels = new HashMap<>();
    private final ByteRanges ranges = new ByteRanges();
    private long start;
    private int end;
    private KubeObject.Span metadataSpan = new KubeObject.Span(0, 0);
    private KubeObject.Span versionSpan = new KubeObject.Span(0, 0);

    /**
     * A reader of a collection's objects.
     *
     * @param parser stands at objects when asked to read one
     * @param input what the parser reads from
     * @param collection the collection that the objects should be of
     */
    ObjectReader(JsonParser parser, RecordingInputStream input, ResourceCollection collection) {
        this.parser = parser;
        this.input = input;
        this.form = CollectionFormat.of(collection);
        this.tree = new FieldTree(collection.shape());
        this.metadata = tree.metadata();
        this.texts = new @Nullable String[tree.slots()];
    }

    /** Reads the object whose opening brace is the parser's current token. */
    void read() {
        start = parser.currentTokenLocation().getByteOffset();
        input.hold(start);
        Arrays.fill(texts, null);
        labels.clear();
        ranges.clear();
        members(tree.root());
        end = position();
    }

    private void members(FieldTree.Node node) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            FieldTree.Node child = node.child(name);
            if (child != null) {
                member(child);
            } else {
                parser.nextToken();
                parser.skipChildren();
            }
            if (node.labels() && parser.currentToken() == JsonToken.VALUE_STRING) {
                labels.put(name, parser.getString());
            }
        }
    }

    private void member(FieldTree.Node node) {
        int name = tokenPosition();
        node.clear(texts);
        if (node == metadata || node.labels()) {
            labels.clear();
        }
        JsonToken value = parser.nextToken();
        int valueStart = tokenPosition();
        value(node, value);
        parser.finishToken();
        int valueEnd = position();
        if (node.dropped()) {
            ranges.add(name, valueEnd);
        } else if (node == metadata) {
            metadataSpan = new KubeObject.Span(valueStart, valueEnd);
        } else if (node.is(FieldTree.REVISION)) {
            versionSpan = new KubeObject.Span(valueStart + 1, valueEnd - 1);
        }
    }

    private void value(FieldTree.Node node, JsonToken value) {
        if (value == JsonToken.START_OBJECT) {
            members(node);
        } else if (value == JsonToken.START_ARRAY) {
            parser.skipChildren();
        } else if (node.isWanted() && isText(value)) {
            node.file(texts, parser.getString());
        }
    }

    private static boolean isText(JsonToken value) {
        return value == JsonToken.VALUE_STRING
                || value == JsonToken.VALUE_NUMBER_INT
                || value.isBoolean();
    }

    private int tokenPosition() {
        return Math.toIntExact(parser.currentTokenLocation().getByteOffset() - start);
    }

    private int position() {
        return Math.toIntExact(parser.currentLocation().getByteOffset() - start);
    }

    /** Whether the object that was read is of the collection's type, as far as it says. */
    boolean isOfType() {
        return form.isObject(texts[FieldTree.KIND], texts[FieldTree.API_VERSION]);
    }

    /** The revision of the object that was read, or null if it has none that can be tracked. */
    @Nullable Revision revision() {
        String digits = texts[FieldTree.REVISION];
        if (digits == null || !Revision.isDecimal(digits)) {
            return null;
        }
        boolean plain = digits.length() == versionSpan.end() - versionSpan.start();
        return plain ? new Revision(digits) : null;
    }

    /**
     * Whether the object that was read is marked as the end of the initial events
     * (list-watch.md#bm-10).
     */
    boolean endsInitialEvents() {
        return "true".equals(texts[FieldTree.INITIAL_EVENTS_END]);
    }

    /** When the object that was read was created, or null if it does not say. */
    @Nullable Instant newObject() {
        String text = texts[FieldTree.CREATED];
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException _) {
            return null;
        }
    }

    /** The JSON of the object that was read, whole. */
    byte[] json() {
        return Arrays.copyOf(input.held(), end);
    }

    /** The object that was read. It can be taken once, since it is cut out where it stands. */
    ReadResult take() {
        String name = texts[FieldTree.NAME];
        if (!isOfType()) {
            return new ReadResult.Foreign("an object of another type than the collection's");
        }
        if (name == null || name.isEmpty()) {
            return new ReadResult.Foreign("an object without a name");
        }
        Revision revision = revision();
        if (revision == null) {
            return new ReadResult.Untrackable("an object without a decimal resource version");
        }
        return new ReadResult.Whole(object(name, revision));
    }

    private KubeObject object(String name, Revision revision) {
        int length = ranges.apply(input.held(), end);
        return new KubeObject(
                ObjectKey.of(text(FieldTree.NAMESPACE), name),
                text(FieldTree.UID),
                revision,
                Map.copyOf(labels),
                fields(),
                onOneLine(Arrays.copyOf(input.held(), length)),
                moved(metadataSpan),
                moved(versionSpan));
    }

    /** A server may indent what it sends; a watch line and an event's data must stay one line. */
    private static byte[] onOneLine(byte[] json) {
        for (int i = 0; i < json.length; i++) {
            if (json[i] == '\n' || json[i] == '\r') {
                json[i] = ' ';
            }
        }
        return json;
    }

    private String text(int slot) {
        String text = texts[slot];
        return text == null ? "" : text;
    }

    private Map<String, String> fields() {
        Map<String, String> fields = new HashMap<>();
        for (FieldTree.TrackedField field : tree.fields()) {
            fields.put(field.label(), field.value(texts));
        }
        return Map.copyOf(fields);
    }

    private KubeObject.Span moved(KubeObject.Span span) {
        return new KubeObject.Span(ranges.moved(span.start()), ranges.moved(span.end()));
    }

    /** What an object turned out to be. */
    sealed interface ReadResult {

        /**
         * An object of the collection.
         *
         * @param object the object
         */
        record Whole(KubeObject object) implements ReadResult {}

        /**
         * Something else.
         *
         * @param reason why
         */
        record Foreign(String reason) implements ReadResult {}

        /**
         * An object whose state cannot be placed in time.
         *
         * @param reason why
         */
        record Untrackable(String reason) implements ReadResult {}
    }
}
