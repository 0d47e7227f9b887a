package io.kubemirror.api.http;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** The encoding of watch events on the wire (list-watch.md#watch-frames, #server-sent-events). */
public enum WatchFraming {
    /** One JSON object per line (list-watch.md#wi-2). */
    JSON_LINES("application/json"),
    /** Server-sent events with the same lines as data (list-watch.md#se-3). */
    SERVER_SENT_EVENTS("text/event-stream");

    private final String contentType;

    /** The types of watch events. The names are those of the wire format. */
    public enum EventType {
        /** An object was created, or existed when the watch began. */
        ADDED,
        /** An object was modified. */
        MODIFIED,
        /** An object was deleted. */
        DELETED,
        /** No change. Everything up to a revision has been sent. */
        BOOKMARK,
        /** The stream ends with an error. */
        ERROR,
        /** The state of the mirror, for server-sent events only (list-watch.md#fr-6). */
        STATE
    }

    WatchFraming(String contentType) {
        this.contentType = contentType;
    }

    /** Returns the content type of the stream. */
    public String contentType() {
        return contentType;
    }

    /**
     * Returns the text before the object of an event.
     *
     * @param id the revision that a client may resume after, or null if it must not resume after
     *     this event (list-watch.md#se-4)
     */
    public String head(EventType type, @Nullable Revision id) {
        String line = "{\"type\":\"" + type + "\",\"object\":";
        return switch (this) {
            case JSON_LINES -> line;
            case SERVER_SENT_EVENTS ->
                    "event: " + type + (id == null ? "" : "\nid: " + id) + "\ndata: " + line;
        };
    }

    /**
     * Returns the text before the Status of an error.
     *
     * @param forget whether the client must not resume at its position (list-watch.md#se-4)
     */
    public String errorHead(boolean forget) {
        String head = head(EventType.ERROR, null);
        return forget ? head.replace("\ndata: ", "\nid:\ndata: ") : head;
    }

    /** Returns the text after the object of an event. */
    public String tail() {
        return switch (this) {
            case JSON_LINES -> "}\n";
            case SERVER_SENT_EVENTS -> "}\n\n";
        };
    }
}
