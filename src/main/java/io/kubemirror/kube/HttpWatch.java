package io.kubemirror.kube;

import io.kubemirror.kube.WatchFrame.Broken.Kind;

import okhttp3.Call;
import okhttp3.Response;

import okio.Timeout;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/** A watch as the body of an HTTP response. */
final class HttpWatch implements WatchConnection {

    private final WatchRequest request;
    private final Call call;
    private final Response response;
    private final int limit;
    private final LongConsumer received;
    private final Timeout patience;

    /** Held while a frame is awaited: a response must not be closed while it is read. */
    private final ReentrantLock reading = new ReentrantLock();

    /** This and the last frame are guarded by the lock; cancelling needs none. */
    private @Nullable FrameReader reader;

    private @Nullable WatchFrame last;

    /**
     * A watch that the server has accepted.
     *
     * @param request what was asked for
     * @param call the call, by which the watch can be ended from another thread
     * @param response the answer
     * @param limit the size of the largest frame, in bytes
     * @param received told how many bytes come
     */
    HttpWatch(
            WatchRequest request, Call call, Response response, int limit, LongConsumer received) {
        this.request = request;
        this.call = call;
        this.response = response;
        this.limit = limit;
        this.received = received;
        this.patience = response.body().source().timeout();
        await(request.initialEvents() ? request.initialSilence() : request.silence());
    }

    /** For how long each read may wait from now on. */
    private void await(Duration silence) {
        patience.timeout(silence.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public WatchFrame next() {
        reading.lock();
        try {
            if (last != null) {
                return last;
            }
            WatchFrame frame = read();
            if (frame instanceof WatchFrame.Bookmark bookmark && bookmark.initialEventsEnd()) {
                await(request.silence());
            }
            if (isLast(frame)) {
                last = frame;
                response.close();
            }
            return frame;
        } finally {
            reading.unlock();
        }
    }

    private WatchFrame read() {
        WatchFrame frame = readFrame();
        return frame instanceof WatchFrame.Broken && call.isCanceled()
                ? new WatchFrame.Broken("closed", Kind.CUT)
                : frame;
    }

    private WatchFrame readFrame() {
        try {
            if (reader == null) {
                reader = new FrameReader(request.collection(), Body.of(response, received), limit);
            }
            return reader.next();
        } catch (IOException e) {
            return Breakage.of(e).frame();
        } catch (JacksonException e) {
            return Breakage.of(e, false).frame();
        }
    }

    private static boolean isLast(WatchFrame frame) {
        return switch (frame) {
            case WatchFrame.Ended _, WatchFrame.Broken _, WatchFrame.Failed _ -> true;
            case WatchFrame.Added _,
                    WatchFrame.Modified _,
                    WatchFrame.Deleted _,
                    WatchFrame.Bookmark _,
                    WatchFrame.Foreign _,
                    WatchFrame.Untrackable _ ->
                    false;
        };
    }

    /** {@inheritDoc} Cancelling ends a read at once, so that the lock comes free. */
    @Override
    public void close() {
        call.cancel();
        reading.lock();
        try {
            response.close();
        } finally {
            reading.unlock();
        }
    }

    @Override
    public ReadAheadWatch ahead(ReadAhead bound) {
        return QueuedWatch.of(this, bound);
    }
}
