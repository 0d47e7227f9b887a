package io.kubemirror.kube.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the objects of a stream one after another, each in a single pass. It extracts the few
 * members that are needed and keeps the rest as the original bytes (list-watch.md#en-7).
 *
 * <p>The reader reuses its memory, so its results must be retrieved before the next object is read.
 * Rejected: a tree of each object, which loses the order of members and the spelling of numbers and
 * costs ten times the memory.
 */
public final class ObjectReader {

    private final JsonParser parser;
    private final RecordingInputStream input;
    private final CollectionFormat form;
    private final FieldTree tree;
    private final FieldTree.Node metadata;
    private final boolean changeTimes;

    private final @Nullable String[] texts;
    private final Map<String, String> labels = new HashMap<>();
    private final ByteRanges ranges = new ByteRanges();
    private @Nullable Revision stored;
    private long start;
    private int end;
    private KubeObject.Span metadataSpan = new KubeObject.Span(0, 0);
    private KubeObject.Span versionSpan = new KubeObject.Span(0, 0);

    /**
     * Creates a reader for the objects of a collection.
     *
     * @param parser positioned at an object when {@link #read} is called
     * @param input the input of the parser
     * @param collection the expected collection
     * @param changeTimes whether {@link #changed} is needed
     */
    public ObjectReader(
            JsonParser parser,
            RecordingInputStream input,
            ResourceCollection collection,
            boolean changeTimes) {
        this(
                parser,
                input,
                CollectionFormat.of(collection),
                new FieldTree(collection.shape()),
                changeTimes);
    }

    ObjectReader(
            JsonParser parser,
            RecordingInputStream input,
            CollectionFormat form,
            FieldTree tree,
            boolean changeTimes) {
        this.parser = parser;
        this.input = input;
        this.form = form;
        this.tree = tree;
        this.metadata = tree.metadata();
        this.changeTimes = changeTimes;
        this.texts = new @Nullable String[tree.slots()];
    }

    /**
     * Reads an object whose revision is not part of it. A {@code metadata.resourceVersion} in its
     * JSON is ignored and replaced.
     */
    void read(Revision revision) {
        stored = revision;
        read();
    }

    /** Reads the object whose opening brace is the parser's current token. */
    public void read() {
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
                skipped(node.partial);
            }
            if (node.labels && parser.currentToken() == JsonToken.VALUE_STRING) {
                labels.put(name, parser.getString());
            }
        }
    }

    private void skipped(boolean isCut) {
        int name = isCut ? tokenPosition() : 0;
        parser.nextToken();
        parser.skipChildren();
        if (isCut) {
            cut(name);
        }
    }

    /** Cuts the member whose value has just been read. */
    private void cut(int name) {
        parser.finishToken();
        ranges.add(name, position());
    }

    private void member(FieldTree.Node node) {
        int name = tokenPosition();
        node.clear(texts);
        if (node == metadata || node.labels) {
            labels.clear();
        }
        JsonToken value = parser.nextToken();
        int valueStart = tokenPosition();
        value(node, value);
        if (isCut(node, value)) {
            cut(name);
        } else if (node == metadata) {
            metadataSpan = new KubeObject.Span(valueStart, position());
        } else if (node.slot == FieldTree.REVISION) {
            parser.finishToken();
            versionSpan = new KubeObject.Span(valueStart + 1, position() - 1);
        }
    }

    private boolean isCut(FieldTree.Node node, JsonToken value) {
        return node.dropped
                || (node.partial && value != JsonToken.START_OBJECT)
                || (stored != null && node.slot == FieldTree.REVISION);
    }

    private void value(FieldTree.Node node, JsonToken value) {
        if (value == JsonToken.START_OBJECT) {
            members(node);
        } else if (value == JsonToken.START_ARRAY) {
            if (changeTimes && node.slot == FieldTree.CHANGED) {
                texts[FieldTree.CHANGED] = ObjectTimes.latestChange(parser);
            } else {
                parser.skipChildren();
            }
        } else if (node.slot >= 0 && isText(value)) {
            texts[node.slot] = parser.getString();
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

    /** Returns whether the object has the type of the collection, as far as it declares one. */
    public boolean isOfType() {
        return form.isObject(texts[FieldTree.KIND], texts[FieldTree.API_VERSION]);
    }

    /** Returns the revision of the object, or null if it has no revision that can be tracked. */
    public @Nullable Revision revision() {
        if (stored != null) {
            return stored;
        }
        String digits = texts[FieldTree.REVISION];
        if (digits == null || !Revision.isDecimal(digits)) {
            return null;
        }
        boolean plain = digits.length() == versionSpan.end() - versionSpan.start();
        return plain ? new Revision(digits) : null;
    }

    /**
     * Returns whether the object is marked as the end of the initial events (list-watch.md#bm-10).
     */
    public boolean endsInitialEvents() {
        return "true".equals(texts[FieldTree.INITIAL_EVENTS_END]);
    }

    /** Returns the creation time of the object, or null if it has none. */
    public @Nullable Instant created() {
        return ObjectTimes.parse(texts[FieldTree.CREATED]);
    }

    /**
     * Returns the latest time at which the server recorded a change of the object in its {@code
     * managedFields}, or null if there is none.
     */
    public @Nullable Instant changed() {
        return ObjectTimes.parse(texts[FieldTree.CHANGED]);
    }

    /** Returns the complete JSON of the object. */
    public byte[] json() {
        return Arrays.copyOf(input.held(), end);
    }

    /**
     * Returns the object. May be called once for each object, because the members that are not
     * stored are cut in place.
     */
    public ReadResult take() {
        String name = texts[FieldTree.NAME];
        if (!isOfType()) {
            return new ReadResult.Foreign("an object of a type other than the collection's");
        }
        if (name == null || name.isEmpty()) {
            return new ReadResult.Foreign("an object without a name");
        }
        Revision revision = revision();
        if (revision == null) {
            return new ReadResult.Untrackable("an object without a decimal resource version");
        }
        return new ReadResult.Whole(cut(name, revision));
    }

    private KubeObject cut(String name, Revision revision) {
        int length = ranges.apply(input.held(), end);
        KubeObject.Span at = moved(metadataSpan);
        return stored == null
                ? object(
                        name, revision, Arrays.copyOf(input.held(), length), at, moved(versionSpan))
                : spliced(name, revision, length, at);
    }

    private KubeObject object(
            String name,
            Revision revision,
            byte[] json,
            KubeObject.Span metadataAt,
            KubeObject.Span versionAt) {
        return new KubeObject(
                ObjectKey.of(text(FieldTree.NAMESPACE), name),
                text(FieldTree.UID),
                revision,
                Map.copyOf(labels),
                fields(),
                onOneLine(json),
                metadataAt,
                versionAt);
    }

    /** Puts the revision first into the metadata, which has at least a name after it. */
    private KubeObject spliced(String name, Revision revision, int length, KubeObject.Span at) {
        byte[] member = ("\"resourceVersion\":\"" + revision + "\",").getBytes(UTF_8);
        int head = at.start() + 1;
        int afterMember = head + member.length;
        byte[] json = Arrays.copyOf(input.held(), length + member.length);
        System.arraycopy(member, 0, json, head, member.length);
        System.arraycopy(input.held(), head, json, afterMember, length - head);
        return object(
                name,
                revision,
                json,
                new KubeObject.Span(at.start(), at.end() + member.length),
                // Without the quote and the comma after the digits.
                new KubeObject.Span(afterMember - 2 - revision.digits().length(), afterMember - 2));
    }

    /**
     * Removes line breaks. A server may indent its JSON, but a watch frame and the data of a
     * server-sent event must stay on one line.
     */
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

    /** The result of reading an object. */
    public sealed interface ReadResult {

        /**
         * An object of the collection.
         *
         * @param object the object
         */
        record Whole(KubeObject object) implements ReadResult {}

        /**
         * An object that does not belong to the collection.
         *
         * @param reason the cause
         */
        record Foreign(String reason) implements ReadResult {}

        /**
         * An object without a usable revision.
         *
         * @param reason the cause
         */
        record Untrackable(String reason) implements ReadResult {}
    }

    /** Reads the times that an API server writes into objects. */
    static final class ObjectTimes {

        private ObjectTimes() {}

        /**
         * Returns the latest time of {@code managedFields}, empty for none. All have the format of
         * the API server.
         *
         * @param parser positioned at the start of the array; afterward at its end
         */
        static String latestChange(JsonParser parser) {
            String latest = "";
            for (JsonToken entry = parser.nextToken();
                    entry != null && entry != JsonToken.END_ARRAY;
                    entry = parser.nextToken()) {
                String name = entry == JsonToken.START_OBJECT ? parser.nextName() : null;
                while (name != null) {
                    JsonToken value = parser.nextToken();
                    if (name.equals("time") && value == JsonToken.VALUE_STRING) {
                        String time = parser.getString();
                        latest = time.compareTo(latest) > 0 ? time : latest;
                    } else {
                        parser.skipChildren();
                    }
                    name = parser.nextName();
                }
                parser.skipChildren();
            }
            return latest;
        }

        /** Returns the instant of a text, null if it is none. */
        static @Nullable Instant parse(@Nullable String text) {
            try {
                return text == null ? null : Instant.parse(text);
            } catch (DateTimeParseException _) {
                return null;
            }
        }
    }
}
