package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.http.WatchFraming.EventType;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Encodes the events of a watch from the stored bytes of the objects.
 *
 * <p>The encoded frame of a change is stored with the change and shared by all clients (design rule
 * 4). Initial events are encoded for each client, because there is nothing to store them with.
 */
public final class FrameEncoder {

    /** The empty key of bookmarks, which no other object has. */
    private static final ObjectKey BOOKMARK = new ObjectKey("");

    /** The annotation with the state of the mirror; its time has the suffix {@code -since}. */
    private static final String STATE_ANNOTATION = "kubemirror.io/state";

    /** The annotation with the revision after which a conflated watch has left out changes. */
    private static final String GAP_ANNOTATION = "kubemirror.io/gap";

    private static final byte[] KEEP_ALIVE = bytes(": keep-alive\n\n");

    private final ObjectEncoder form;
    private final WatchFraming framing;
    private final FrameFormat added;
    private final FrameFormat modified;
    private final FrameFormat deleted;

    /**
     * A frame format. Each change is encoded at most once per format, and the frame is shared by
     * all clients (list-watch.md#fa-7).
     *
     * @param type the type of the event
     * @param framing the framing on the wire
     * @param shape the parts of the object that are written
     * @param version the version of the shape
     */
    private record FrameFormat(
            EventType type, WatchFraming framing, ResponseShape shape, String version) {

        FrameFormat(EventType type, Representation form) {
            this(type, form.framing(), form.shape(), form.version());
        }
    }

    /**
     * Creates an encoder.
     *
     * @param form writes the objects
     * @param representation the negotiated representation, from which the form was created
     */
    public FrameEncoder(ObjectEncoder form, Representation representation) {
        this.form = form;
        this.framing = representation.framing();
        this.added = new FrameFormat(EventType.ADDED, representation);
        this.modified = new FrameFormat(EventType.MODIFIED, representation);
        this.deleted = new FrameFormat(EventType.DELETED, representation);
    }

    /** Returns whether objects can be written in the negotiated format (list-watch.md#ne-33). */
    public boolean areWritable() {
        return added.shape() != ResponseShape.METADATA_LIST;
    }

    /** Returns the framing on the wire. */
    public WatchFraming watchFraming() {
        return framing;
    }

    /**
     * Encodes a change as a client sees it. The frame of a removed object contains the last state
     * that the client saw, with the revision of the change (list-watch.md#ev-3, #ev-5).
     *
     * @param logged stores the frame
     * @param view the change from the point of view of the client (list-watch.md#ev-1 to #ev-6)
     */
    public byte[] change(LoggedChange logged, Change view) {
        return switch (view) {
            case Change.Added change -> shared(logged, added, change::object);
            case Change.Modified change -> shared(logged, modified, change::object);
            case Change.Deleted change ->
                    shared(logged, deleted, () -> change.previous().at(change.revision()));
        };
    }

    private byte[] shared(LoggedChange logged, FrameFormat frame, Supplier<KubeObject> object) {
        Supplier<byte[]> encoder =
                () -> encode(frame.type(), logged.change().revision(), object.get());
        return form.isShared() ? logged.frame(frame, encoder) : encoder.get();
    }

    /** Encodes an event for one client that has missed changes before it (list-watch.md#cw-1). */
    public byte[] missed(Change event) {
        return switch (event) {
            case Change.Added added -> encode(EventType.ADDED, added.revision(), added.object());
            case Change.Modified modified ->
                    encode(EventType.MODIFIED, modified.revision(), modified.object());
            case Change.Deleted gone ->
                    encode(EventType.DELETED, gone.revision(), gone.previous().at(gone.revision()));
        };
    }

    /** Encodes an initial event, after which clients must not resume (list-watch.md#se-4). */
    public byte[] initial(KubeObject object) {
        return encode(EventType.ADDED, null, object);
    }

    /**
     * Encodes a bookmark: all changes up to a revision have been sent (list-watch.md#bm-2).
     *
     * @param endsInitialEvents whether the bookmark ends the initial events (list-watch.md#bm-10)
     */
    public byte[] bookmark(Revision revision, boolean endsInitialEvents) {
        String end = endsInitialEvents ? "\"k8s.io/initial-events-end\":\"true\"" : "";
        return encode(EventType.BOOKMARK, revision, bookmarkObject(revision, end));
    }

    /**
     * Encodes a bookmark after a gap (list-watch.md#cw-4).
     *
     * @param from the revision after which changes have been left out
     */
    public byte[] gap(Revision revision, Revision from) {
        String annotation = "\"" + GAP_ANNOTATION + "\":\"" + from + "\"";
        return encode(EventType.BOOKMARK, revision, bookmarkObject(revision, annotation));
    }

    /**
     * Encodes the state of the mirror: as an event of its own for server-sent events, otherwise as
     * annotations of a bookmark (list-watch.md#fr-6, #fr-7).
     *
     * @param revision all changes up to it have been sent
     * @param state the state as in the header {@code Kubemirror-State}
     * @param since when it began
     */
    public byte[] state(Revision revision, String state, Instant since) {
        String time = since.truncatedTo(ChronoUnit.SECONDS).toString();
        return switch (framing) {
            case SERVER_SENT_EVENTS ->
                    bytes(
                            framing.head(EventType.STATE, null)
                                    + "{\"state\":\"%s\",\"since\":\"%s\",\"revision\":\"%s\"}"
                                            .formatted(state, time, revision)
                                    + framing.tail());
            case JSON_LINES ->
                    encode(
                            EventType.BOOKMARK,
                            revision,
                            bookmarkObject(
                                    revision,
                                    "\"%s\":\"%s\",\"%s-since\":\"%s\""
                                            .formatted(
                                                    STATE_ANNOTATION,
                                                    state,
                                                    STATE_ANNOTATION,
                                                    time)));
        };
    }

    /**
     * Returns a bookmark as an object with nothing but a revision, as it appears in every format of
     * a watch (list-watch.md#bm-2, #bm-10, #ne-28, #ne-32).
     */
    private static KubeObject bookmarkObject(Revision revision, String annotations) {
        String opening = "{\"metadata\":";
        String member = "{\"resourceVersion\":\"";
        String end = annotations.isEmpty() ? "\"}" : "\",\"annotations\":{" + annotations + "}}";
        String metadata = member + revision + end;
        int start = opening.length();
        int version = start + member.length();
        return new KubeObject(
                BOOKMARK,
                "",
                revision,
                Map.of(),
                Map.of(),
                bytes(opening + metadata + "}"),
                new KubeObject.Span(start, start + metadata.length()),
                new KubeObject.Span(version, version + revision.digits().length()));
    }

    /** Returns whether an object is a bookmark. */
    static boolean isBookmark(KubeObject object) {
        return object.key().equals(BOOKMARK);
    }

    /** Encodes an error that ends the stream (list-watch.md#st-4, #wa-23). */
    public byte[] error(Status status) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(256);
        frame.writeBytes(bytes(framing.errorHead(status.isExpired())));
        frame.writeBytes(GoJson.status(status));
        frame.writeBytes(bytes(framing.tail()));
        return frame.toByteArray();
    }

    /** Encodes the reconnection delay for clients of server-sent events (list-watch.md#se-8). */
    public static byte[] retry(int millis) {
        return bytes("retry: " + millis + "\n\n");
    }

    /** Encodes a keep-alive comment, for server-sent events only (list-watch.md#se-8, #wi-2). */
    public static byte[] keepAlive() {
        return KEEP_ALIVE;
    }

    private byte[] encode(EventType type, @Nullable Revision id, KubeObject object) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(object.json().length + 256);
        frame.writeBytes(bytes(framing.head(type, id)));
        try {
            form.write(object, frame);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        frame.writeBytes(bytes(framing.tail()));
        return frame.toByteArray();
    }
}
