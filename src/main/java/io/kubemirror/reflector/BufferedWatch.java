package io.kubemirror.reflector;

import io.kubemirror.model.Revision;
import io.kubemirror.source.UpstreamWatch;
import io.kubemirror.source.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.UpstreamWatch.ReadAheadWatch;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A watch that runs beside a list. Its events are buffered until all pages have arrived, and are
 * then read like those of any other watch (list-watch.md#pp-4).
 *
 * <p>A list may take longer than a server keeps a watch open, so a buffered watch may consist of
 * several watches, each started where the one before ended (list-watch.md#pp-7). Read by one
 * thread, closed by any.
 */
final class BufferedWatch implements WatchStream {

    private final Deque<ReadAheadWatch> parts = new ConcurrentLinkedDeque<>();
    private final Revision start;

    /**
     * Creates a buffered watch that consists of one watch.
     *
     * @param start the revision that it begins after, that of the list's first page
     */
    BufferedWatch(Revision start, UpstreamWatch stream) {
        this.start = start;
        parts.addLast(stream.ahead(ReadAheadLimits.defaults()));
    }

    /** Returns the revision of the list's first page. */
    Revision start() {
        return start;
    }

    /** Appends another watch that starts where this one {@linkplain #reached ended}. */
    void append(UpstreamWatch stream) {
        parts.addLast(stream.ahead(parts.getLast().left()));
    }

    /** Ends the watch at the server. What has arrived can still be read. */
    void stop() {
        parts.getLast().stop();
    }

    /** Returns the revision up to which all events have arrived here, read or not. */
    Revision reached() {
        return parts.stream().map(ReadAheadWatch::newest).reduce(start, Revision::later);
    }

    /** Returns what has arrived and is not read yet, of all watches. */
    ReadAheadLimits buffered() {
        return parts.stream()
                .map(ReadAheadWatch::buffered)
                .reduce(
                        new ReadAheadLimits(0, 0),
                        (a, b) ->
                                new ReadAheadLimits(
                                        a.frames() + b.frames(), a.bytes() + b.bytes()));
    }

    /** Returns whether the watch failed and its events cannot be used (list-watch.md#pp-6). */
    boolean failed() {
        return parts.getLast().ending().map(BufferedWatch::isFailure).orElse(false);
    }

    /**
     * Returns whether another watch can continue from here and there is room for its events
     * (list-watch.md#pp-7).
     */
    boolean mayContinue() {
        ReadAheadWatch last = parts.getLast();
        return !last.left().isNone() && last.ending().map(end -> !isFailure(end)).orElse(false);
    }

    private static boolean isFailure(WatchFrame ending) {
        return ending instanceof WatchFrame.Failed || ending instanceof WatchFrame.Untrackable;
    }

    @Override
    public WatchFrame next() {
        WatchFrame frame = parts.getFirst().next();
        while (parts.size() > 1 && isEnd(frame)) {
            parts.removeFirst().close();
            frame = parts.getFirst().next();
        }
        return frame;
    }

    private static boolean isEnd(WatchFrame frame) {
        return frame instanceof WatchFrame.Ended || frame instanceof WatchFrame.Broken;
    }

    @Override
    public void close() {
        parts.forEach(WatchStream::close);
    }
}
