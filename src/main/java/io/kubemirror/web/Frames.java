package io.kubemirror.web;

import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import java.io.ByteArrayOutputStream;

/**
 * Encodes the events of a watch, from the stored bytes of its objects.
 *
 * <p>What is made of a change is kept with the change and shared by all clients (design rule 4).
 * Initial events are made for each client, as there is nothing to keep them with.
 */
final class Frames {

    private static final byte[] KEEP_ALIVE = TypeMeta.bytes(": keep-alive\n\n");

    private final byte[] opening;
    private final Wire wire;

    /** Frames for the objects of a type. */
    Frames(ResourceType type, Wire wire) {
        this.opening = new TypeMeta(type).opening();
        this.wire = wire;
    }

    /** How they are put on the wire. */
    Wire wire() {
        return wire;
    }

    /**
     * A change as somebody sees it.
     *
     * @param logged keeps the frame
     * @param view what the change is to whoever gets the frame (EV-1 to EV-6)
     */
    byte[] change(LoggedChange logged, Change view) {
        FrameForm form =
                switch (view) {
                    case Change.Added _ -> FrameForm.added(wire);
                    case Change.Modified _ -> FrameForm.modified(wire);
                    case Change.Deleted _ -> FrameForm.deleted(wire);
                };
        return logged.frame(form, _ -> encode(form, view));
    }

    /** An object that was there from the beginning; nobody may resume after it (SE-4). */
    byte[] initial(KubeObject object) {
        return whole(wire.head(EventType.ADDED, null), object);
    }

    /**
     * Everything up to a revision has been sent (BM-2).
     *
     * @param endsInitialEvents whether this is what the initial events end with (BM-10)
     */
    byte[] bookmark(Revision revision, boolean endsInitialEvents) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(256);
        frame.writeBytes(TypeMeta.bytes(wire.head(EventType.BOOKMARK, revision)));
        frame.writeBytes(opening);
        String annotations =
                endsInitialEvents
                        ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}"
                        : "";
        frame.writeBytes(
                TypeMeta.bytes(
                        "\"metadata\":{\"resourceVersion\":\""
                                + revision
                                + "\""
                                + annotations
                                + "}}"
                                + wire.tail()));
        return frame.toByteArray();
    }

    /** The stream ends with an error (ST-4, WA-23). */
    byte[] error(Status status) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(256);
        frame.writeBytes(TypeMeta.bytes(wire.errorHead(status.isExpired())));
        frame.writeBytes(StatusJson.bytes(status));
        frame.writeBytes(TypeMeta.bytes(wire.tail()));
        return frame.toByteArray();
    }

    /** How long a server-sent client waits before it connects again (SE-8). */
    static byte[] retry(int millis) {
        return TypeMeta.bytes("retry: " + millis + "\n\n");
    }

    /** A sign of life without meaning, of server-sent events only (SE-8, WI-2). */
    static byte[] keepAlive() {
        return KEEP_ALIVE;
    }

    private byte[] encode(FrameForm form, Change view) {
        String head = form.wire().head(form.type(), view.revision());
        return switch (view) {
            case Change.Added added -> whole(head, added.object());
            case Change.Modified modified -> whole(head, modified.object());
            case Change.Deleted deleted -> gone(head, deleted);
        };
    }

    private byte[] whole(String head, KubeObject object) {
        byte[] json = object.json();
        ByteArrayOutputStream frame = begin(head, json.length);
        frame.write(json, 1, json.length - 1);
        frame.writeBytes(TypeMeta.bytes(wire.tail()));
        return frame.toByteArray();
    }

    /** The previous object with the revision of the change (EV-3, EV-5). */
    private byte[] gone(String head, Change.Deleted change) {
        byte[] json = change.previous().json();
        KubeObject.Span version = change.previous().version();
        ByteArrayOutputStream frame = begin(head, json.length);
        frame.write(json, 1, version.start() - 1);
        frame.writeBytes(TypeMeta.bytes(change.revision().digits()));
        frame.write(json, version.end(), json.length - version.end());
        frame.writeBytes(TypeMeta.bytes(wire.tail()));
        return frame.toByteArray();
    }

    private ByteArrayOutputStream begin(String head, int length) {
        ByteArrayOutputStream frame =
                new ByteArrayOutputStream(head.length() + opening.length + length + 32);
        frame.writeBytes(TypeMeta.bytes(head));
        frame.writeBytes(opening);
        return frame;
    }
}
