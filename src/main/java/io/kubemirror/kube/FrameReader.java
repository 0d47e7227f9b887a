package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.json.ObjectReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.RecordingInputStream;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchFrame;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the frames of a watch one by one, each as soon as its last byte has arrived.
 *
 * <p>The members of a frame may come in any order, so the type of the event may be known only after
 * the object has been read. Rejected: splitting the stream at line ends, which only the encoder of
 * the API server guarantees.
 */
final class FrameReader {

    private final ResourceCollection collection;
    private final RecordingInputStream input;
    private JsonParser parser;
    private ObjectReader objects;

    /**
     * Creates a reader and waits for the first bytes of the stream.
     *
     * @param collection the watched collection
     * @param body the stream
     * @param limit the maximum size of a frame, in bytes
     * @param incoming the budget for large frames, used until {@link #discard}
     * @throws JacksonException if no byte can be read
     */
    FrameReader(ResourceCollection collection, InputStream body, int limit, MemoryBudget incoming) {
        this.collection = collection;
        this.input = new RecordingInputStream(body, limit, incoming);
        this.parser = input.parser();
        this.objects = new ObjectReader(parser, input, collection, /* changeTimes= */ true);
    }

    /** Waits for the next frame. */
    WatchFrame next() {
        try {
            if (input.needsNewParser()) {
                renewParser();
            }
            JsonToken token = parser.nextToken();
            if (token == null) {
                return new WatchFrame.Ended();
            }
            if (token != JsonToken.START_OBJECT) {
                return new WatchFrame.Untrackable("a watch event is not a JSON object");
            }
            return frame();
        } catch (JacksonException e) {
            return TransportFailure.frame(TransportFailure.of(e, input.atEnd()));
        }
    }

    /** Releases the memory of a large frame. The reader must not be used afterward. */
    void discard() {
        input.discard();
    }

    private void renewParser() {
        parser = input.newParser(parser, "");
        objects = new ObjectReader(parser, input, collection, /* changeTimes= */ true);
    }

    private WatchFrame frame() {
        String type = null;
        boolean objectSeen = false;
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("object") && value == JsonToken.START_OBJECT) {
                objects.read();
                objectSeen = true;
            } else if (name.equals("type") && value == JsonToken.VALUE_STRING) {
                type = parser.getString();
            } else {
                parser.skipChildren();
            }
        }
        WatchFrame frame =
                type == null || !objectSeen
                        ? new WatchFrame.Untrackable("a watch event without a type or an object")
                        : frame(type);
        input.release();
        return frame;
    }

    private WatchFrame frame(String type) {
        return switch (type) {
            case "ADDED" ->
                    change(
                            object ->
                                    new WatchFrame.Added(
                                            object, objects.created(), objects.changed()));
            case "MODIFIED" -> change(object -> new WatchFrame.Modified(object, objects.changed()));
            case "DELETED" -> change(WatchFrame.Deleted::new);
            case "BOOKMARK" -> bookmark();
            case "ERROR" -> new WatchFrame.Failed(StatusReader.read(objects.json(), 500));
            default -> new WatchFrame.Untrackable("a watch event of an unknown type");
        };
    }

    private WatchFrame change(Function<KubeObject, WatchFrame> change) {
        return switch (objects.take()) {
            case ReadResult.Whole whole -> change.apply(whole.object());
            case ReadResult.Foreign foreign -> new WatchFrame.Foreign(foreign.reason());
            case ReadResult.Untrackable untrackable ->
                    new WatchFrame.Untrackable(untrackable.reason());
        };
    }

    private WatchFrame bookmark() {
        if (!objects.isOfType()) {
            return new WatchFrame.Foreign("a bookmark of a type other than the collection's");
        }
        Revision revision = objects.revision();
        return revision == null || revision.isZero()
                ? new WatchFrame.Untrackable("a bookmark without a decimal resource version")
                : new WatchFrame.Bookmark(revision, objects.endsInitialEvents());
    }
}
