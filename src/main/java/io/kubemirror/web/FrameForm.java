package io.kubemirror.web;

/** The forms in which a change is encoded at most once and then shared by all clients (FA-7). */
enum FrameForm {
    /** An object came, as a JSON line. */
    LINE_ADDED(EventType.ADDED, Wire.JSON_LINES),
    /** An object changed, as a JSON line. */
    LINE_MODIFIED(EventType.MODIFIED, Wire.JSON_LINES),
    /** An object went, as a JSON line. */
    LINE_DELETED(EventType.DELETED, Wire.JSON_LINES),
    /** An object came, as a server-sent event. */
    SENT_ADDED(EventType.ADDED, Wire.SERVER_SENT_EVENTS),
    /** An object changed, as a server-sent event. */
    SENT_MODIFIED(EventType.MODIFIED, Wire.SERVER_SENT_EVENTS),
    /** An object went, as a server-sent event. */
    SENT_DELETED(EventType.DELETED, Wire.SERVER_SENT_EVENTS);

    private final EventType type;
    private final Wire wire;

    FrameForm(EventType type, Wire wire) {
        this.type = type;
        this.wire = wire;
    }

    /** The form of an object that came. */
    static FrameForm added(Wire wire) {
        return wire == Wire.JSON_LINES ? LINE_ADDED : SENT_ADDED;
    }

    /** The form of an object that changed. */
    static FrameForm modified(Wire wire) {
        return wire == Wire.JSON_LINES ? LINE_MODIFIED : SENT_MODIFIED;
    }

    /** The form of an object that went. */
    static FrameForm deleted(Wire wire) {
        return wire == Wire.JSON_LINES ? LINE_DELETED : SENT_DELETED;
    }

    /** The type of the event. */
    EventType type() {
        return type;
    }

    /** How it is put on the wire. */
    Wire wire() {
        return wire;
    }
}
