package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.http.WatchFraming.EventType;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

/**
 * Encodes the events of a watch from the stored bytes of the objects.
 *
 * <p>The encoded frame of a change is stored with the change and shared by all clients (design rule
 * 4). Initial events are shared by the clients that are being sent them at the same time.
 */
public final class FrameEncoder {

    /** The empty key of bookmarks, which no other object has. */
    private static final ObjectKey BOOKMARK = new ObjectKey("");

    /** The annotation with the state of the mirror; its time has the suffix {@code -since}. */
    private static final String STATE_ANNOTATION = "kubemirror.io/state";

    private static final byte[] KEEP_ALIVE = bytes(": keep-alive\n\n");

    private final ObjectEncoder form;
    private final Representation representation;
    private final SharedBodies bodies;
    private final boolean shares;

    /**
     * A frame format. Each change is encoded at most once per format, and the frame is shared by
     * all clients (list-watch.md#fa-7).
     *
     * @param type the type of the event
     * @param framing the framing on the wire
     * @param shape the parts of the object that are written
     * @param version the version of the shape
     * @param dropped whether the object is written without {@code managedFields}
     */
    private record FrameFormat(
            EventType type,
            WatchFraming framing,
            ResponseShape shape,
            String version,
            boolean dropped) {

        FrameFormat(EventType type, Representation form) {
            this(type, form.framing(), form.shape(), form.version(), form.dropsManagedFields());
        }
    }

    /**
     * Creates an encoder.
     *
     * @param form writes the objects
     * @param representation the negotiated representation, from which the form was created
     * @param bodies what clients share that begin with the same state
     */
    public FrameEncoder(ObjectEncoder form, Representation representation, SharedBodies bodies) {
        this.form = form;
        this.representation = representation;
        this.bodies = bodies;
        this.shares = form.isShared();
    }

    /** Returns whether objects can be written in the negotiated format (list-watch.md#ne-31). */
    public boolean areWritable() {
        return representation.shape() != ResponseShape.METADATA_LIST;
    }

    /** Returns the framing on the wire. */
    public WatchFraming watchFraming() {
        return representation.framing();
    }

    /**
     * Encodes a change as a client sees it. The frame of a removed object contains the last state
     * that the client saw, with the revision of the change (list-watch.md#ev-3, #ev-5).
     *
     * @param logged stores the frame
     * @param view the change from the point of view of the client (list-watch.md#ev-1 to #ev-4)
     */
    public byte[] change(LoggedChange logged, Change view) {
        if (!shares) {
            return encode(view);
        }
        return logged.frame(new FrameFormat(type(view), representation), () -> encode(view));
    }

    private static EventType type(Change view) {
        return switch (view) {
            case Change.Added _ -> EventType.ADDED;
            case Change.Modified _ -> EventType.MODIFIED;
            case Change.Deleted _ -> EventType.DELETED;
        };
    }

    private byte[] encode(Change event) {
        KubeObject object =
                switch (event) {
                    case Change.Added added -> added.object();
                    case Change.Modified modified -> modified.object();
                    case Change.Deleted gone -> gone.previous().at(gone.revision());
                };
        return encode(type(event), event.revision(), object);
    }

    /**
     * Encodes the initial events, after which clients must not resume (list-watch.md#se-4), each
     * when it is needed. The caller must close what is returned when it has been sent.
     */
    public SharedBodies.Parts initial(Snapshot state, Selection selection) {
        ListPage page = ListPage.whole(state, selection, "");
        return shares
                ? bodies.join(
                        new InitialKey(
                                state, selection, new FrameFormat(EventType.ADDED, representation)),
                        () -> new InitialFrames(page.objects().iterator()))
                : new InitialFrames(page.objects().iterator());
    }

    /**
     * What has equal initial events.
     *
     * @param state compared by its identity
     */
    private record InitialKey(Snapshot state, Selection selection, FrameFormat format) {}

    /** The initial events for the objects of a state. */
    private final class InitialFrames implements SharedBodies.Parts {

        private final Iterator<KubeObject> objects;

        InitialFrames(Iterator<KubeObject> objects) {
            this.objects = objects;
        }

        @Override
        public byte @Nullable [] next() {
            return objects.hasNext() ? encode(EventType.ADDED, null, objects.next()) : null;
        }

        @Override
        public void skip(int parts) {
            for (int i = 0; i < parts; i++) {
                objects.next();
            }
        }
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
     * Encodes the state of the mirror: as an event of its own for server-sent events, otherwise as
     * annotations of a bookmark (list-watch.md#fr-6, #fr-7).
     *
     * @param revision all changes up to it have been sent
     * @param state the state as in the header {@code Kubemirror-State}
     * @param since when it began
     */
    public byte[] state(Revision revision, String state, Instant since) {
        String time = since.truncatedTo(ChronoUnit.SECONDS).toString();
        return switch (representation.framing()) {
            case SERVER_SENT_EVENTS ->
                    bytes(
                            watchFraming().head(EventType.STATE, null)
                                    + "{\"state\":\"%s\",\"since\":\"%s\",\"revision\":\"%s\"}"
                                            .formatted(state, time, revision)
                                    + watchFraming().tail());
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
     * a watch (list-watch.md#bm-2, #bm-10, #ne-28, #ne-30).
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
    public static boolean isBookmark(KubeObject object) {
        return object.key().equals(BOOKMARK);
    }

    /** Encodes an error that ends the stream (list-watch.md#st-4, #wa-22). */
    public byte[] error(Status status) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(256);
        frame.writeBytes(bytes(watchFraming().errorHead(status.isExpired())));
        frame.writeBytes(GoJson.status(status));
        frame.writeBytes(bytes(watchFraming().tail()));
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
        frame.writeBytes(bytes(watchFraming().head(type, id)));
        try {
            form.write(object, frame);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        frame.writeBytes(bytes(watchFraming().tail()));
        return frame.toByteArray();
    }
}
