package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.kube.json.ObjectReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.RecordingInputStream;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads a list and passes on its items while it arrives. The list is never held in memory as a
 * whole.
 *
 * <p>The members of a list may come in any order, so its kind may be known only at the end
 * (list-watch.md#en-5).
 */
final class ListReader {

    /** With an item that is not read, so that a comma or the end of the items follows. */
    private static final String START_OF_ITEMS = "{\"items\":[\"\"";

    private static final int TOKENS_OF_START = 4;

    private final ResourceCollection collection;
    private final CollectionFormat form;
    private final RecordingInputStream input;
    private final Consumer<KubeObject> objects;

    private @Nullable String kind;
    private @Nullable String resourceVersion;
    private @Nullable String continueToken;
    private boolean itemsSeen;
    private long items;
    private @Nullable ObjectKey remembered;

    /**
     * Creates a reader for one list.
     *
     * @param collection the listed collection
     * @param body the list
     * @param limit the maximum size of an item, in bytes
     * @param incoming the budget for large items
     * @param objects receives the items
     */
    ListReader(
            ResourceCollection collection,
            InputStream body,
            int limit,
            MemoryBudget incoming,
            Consumer<KubeObject> objects) {
        this.collection = collection;
        this.form = CollectionFormat.of(collection);
        this.input = new RecordingInputStream(body, limit, incoming);
        this.objects = objects;
    }

    /** Reads the list to its end. */
    Result<ListMeta> read() {
        try (JsonParser parser = input.parser()) {
            list(parser);
            return Result.of(page());
        } catch (MalformedResponseException e) {
            return Result.failed(TransportFailure.of(e));
        } catch (JacksonException e) {
            return Result.failed(TransportFailure.of(e, input.atEnd()));
        } finally {
            input.discard();
        }
    }

    private void list(JsonParser first) throws MalformedResponseException {
        JsonParser parser = first;
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedResponseException("the response is not a list");
        }
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            JsonToken value = parser.nextToken();
            switch (name) {
                case "kind" -> kind = text(parser);
                case "metadata" -> metadata(parser);
                case "items" -> parser = items(parser, value);
                default -> parser.skipChildren();
            }
        }
        if (parser.nextToken() != null) {
            throw new MalformedResponseException("the response has data after the list");
        }
    }

    private void metadata(JsonParser parser) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            switch (name) {
                case "resourceVersion" -> resourceVersion = text(parser);
                case "continue" -> continueToken = text(parser);
                default -> parser.skipChildren();
            }
        }
    }

    private static @Nullable String text(JsonParser parser) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return parser.getString();
        }
        parser.skipChildren();
        return null;
    }

    /** Returns the parser that has read the last item. */
    private JsonParser items(JsonParser first, JsonToken value) throws MalformedResponseException {
        JsonParser parser = first;
        itemsSeen = value == JsonToken.START_ARRAY || value == JsonToken.VALUE_NULL;
        if (value != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return parser;
        }
        ObjectReader reader = new ObjectReader(parser, input, collection, /* changeTimes= */ false);
        for (JsonToken item = parser.nextToken();
                item != JsonToken.END_ARRAY;
                item = parser.nextToken()) {
            if (item != JsonToken.START_OBJECT) {
                throw new MalformedResponseException("an item of the list is not an object");
            }
            reader.read();
            objects.accept(unrepeated(object(reader.take())));
            input.release();
            if (input.needsNewParser()) {
                parser = amongItems(parser);
                reader = new ObjectReader(parser, input, collection, /* changeTimes= */ false);
            }
        }
        return parser;
    }

    private JsonParser amongItems(JsonParser old) {
        JsonParser parser = input.newParser(old, START_OF_ITEMS);
        for (int i = 0; i < TOKENS_OF_START; i++) {
            parser.nextToken();
        }
        return parser;
    }

    /**
     * Rejects a list that repeats its items endlessly. Of the items whose number is a power of two,
     * the last one is remembered, so any cycle reaches it again.
     */
    private KubeObject unrepeated(KubeObject object) throws MalformedResponseException {
        if (object.key().equals(remembered)) {
            throw new MalformedResponseException("the list contains an object twice");
        }
        items++;
        if (Long.bitCount(items) == 1) {
            remembered = object.key();
        }
        return object;
    }

    private static KubeObject object(ReadResult found) throws MalformedResponseException {
        return switch (found) {
            case ReadResult.Whole(var object) -> object;
            case ReadResult.Foreign(var reason) ->
                    throw new MalformedResponseException("the list contains " + reason);
            case ReadResult.Untrackable(var reason) ->
                    throw new MalformedResponseException("the list contains " + reason);
        };
    }

    private ListMeta page() throws MalformedResponseException {
        if (!itemsSeen || kind == null || !form.isList(kind)) {
            throw new MalformedResponseException("the response is not a list of " + form.kind());
        }
        if (resourceVersion == null
                || !Revision.isDecimal(resourceVersion)
                || resourceVersion.equals("0")) {
            throw new MalformedResponseException(
                    "the list has no resource version and cannot be watched");
        }
        boolean last = continueToken == null || continueToken.isEmpty();
        return new ListMeta(
                new Revision(resourceVersion), last ? null : continueToken, form.listKind(kind));
    }
}
