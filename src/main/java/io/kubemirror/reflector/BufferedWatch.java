package io.kubemirror.reflector;

import io.kubemirror.model.Revision;
import io.kubemirror.upstream.ReadAheadLimits;
import io.kubemirror.upstream.ReadAheadWatch;
import io.kubemirror.upstream.WatchConnection;
import io.kubemirror.upstream.WatchFrame;
import io.kubemirror.upstream.WatchStream;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The watch that runs beside a list: what it brings waits until the pages are in, and is read like
 * any other watch then (list-watch.md#pp-4).
 *
 * <p>A list may take longer than a server lets a watch live, so a tail may consist of several
 * watches, each begun where the one before ended (list-watch.md#pp-7). Read by one thread, closed
 * by any.
 */
final class BufferedWatch implements WatchStream {

    private final Deque<ReadAheadWatch> parts = new ConcurrentLinkedDeque<>();
    private final Revision start;

    /**
     * A tail of one watch.
     *
     * @param start the revision that it begins after, that of the list's first page
     */
    BufferedWatch(Revision start, WatchConnection stream) {
        this.start = start;
        parts.addLast(stream.ahead(ReadAheadLimits.defaults()));
    }

    /** The revision of the list's first page. */
    Revision start() {
        return start;
    }

    /** Goes on with another watch, begun where this one {@linkplain #reached reached}. */
    void append(WatchConnection stream) {
        parts.addLast(stream.ahead(parts.getLast().left()));
    }

    /** The revision up to which everything has arrived here, whether it has been read or not. */
    Revision reached() {
        return parts.stream().map(ReadAheadWatch::newest).reduce(start, Revision::later);
    }

    /** Whether nothing can be made of what has arrived (list-watch.md#pp-6). */
    boolean failed() {
        return parts.getLast().ending().map(BufferedWatch::isFailure).orElse(false);
    }

    /**
     * Whether another watch can go on from here, and there is room for what it brings
     * (list-watch.md#pp-7).
     */
    boolean mayContinue() {
        ReadAheadWatch last = parts.getLast();
        return !last.left().isNone() && last.ending().map(end -> !isFailure(end)).orElse(false);
    }

    private static boolean isFailure(WatchFrame ending) {
        return switch (ending) {
            case WatchFrame.Failed _, WatchFrame.Untrackable _ -> true;
            case WatchFrame.Broken broken ->
                    broken.kind() == WatchFrame.Broken.BrokenKind.MALFORMED;
            case WatchFrame.Added _,
                    WatchFrame.Modified _,
                    WatchFrame.Deleted _,
                    WatchFrame.Bookmark _,
                    WatchFrame.Foreign _,
                    WatchFrame.Ended _ ->
                    false;
        };
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
