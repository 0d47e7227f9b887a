package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Change;

/**
 * Continues one watch whose client has fallen behind, even out of the history, without all changes
 * in between. Confined to the runs of the watch.
 */
public interface CatchUp extends AutoCloseable {

    /** A way to continue watches, which a feature adds. A client has to ask for it. */
    interface Provider {

        /** Whether a request asks for it. Its watch then has bookmarks unless it says otherwise. */
        boolean isWanted(Exchange exchange);

        /**
         * Begins with a watch that wants it.
         *
         * @param signal signals the watch
         */
        CatchUp begin(CollectionRequest wanted, Exchange exchange, Runnable signal);
    }

    /** What a watch continues with. */
    sealed interface Outcome {

        /** The watch gets what follows as any other does. */
        record Ordinary(Reading reading) implements Outcome {}

        /**
         * The client gets what it has missed, without the changes in between.
         *
         * @param events the events, in the order of their revisions
         * @param next the position after them
         */
        record Missed(List<Change> events, Cursor next) implements Outcome {}

        /** There is no memory for what the client has missed, so the watch ends. */
        record NoMemory() implements Outcome {}
    }

    /** Records the position at which the watch begins. */
    void begin(Cursor cursor);

    /**
     * Returns what the watch continues with.
     *
     * @param reading what follows the cursor
     * @param cursor everything up to it has been sent
     * @param resumed whether nothing has been read yet, so that the client may know more than the
     *     state at the cursor
     */
    Outcome next(Reading reading, Cursor cursor, boolean resumed);

    /** Whether other readers need the memory. A watch that is writing then ends. */
    boolean isAborted();

    /** Releases all memory. */
    @Override
    void close();
}
