package io.kubemirror.upstream.kube;

import io.kubemirror.upstream.ReadAheadLimits;
import io.kubemirror.upstream.ReadAheadWatch;
import io.kubemirror.upstream.WatchConnection;
import io.kubemirror.upstream.WatchFrame;
import io.kubemirror.upstream.WatchFrame.Broken.BrokenKind;
import io.kubemirror.upstream.WatchRequest;

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
    private final ClientSettings settings;
    private final LongConsumer received;
    private final Timeout patience;

    /** Held while a frame is awaited: a response must not be closed while it is read. */
    private final ReentrantLock reading = new ReentrantLock();

    /** These are guarded by the lock; cancelling needs none. */
    private Duration longest = Duration.ZERO;

    private @Nullable FrameReader reader;

    private @Nullable WatchFrame last;

    /**
     * A watch that the server has accepted.
     *
     * @param request what was asked for
     * @param call the call, by which the watch can be ended from another thread
     * @param response the answer
     * @param settings bound its frames
     * @param received told how many bytes come
     */
    HttpWatch(
            WatchRequest request,
            Call call,
            Response response,
            ClientSettings settings,
            LongConsumer received) {
        this.request = request;
        this.call = call;
        this.response = response;
        this.settings = settings;
        this.received = received;
        this.patience = response.body().source().timeout();
        await(request.initialEvents() ? request.initialSilence() : request.silence());
    }

    /** For how long each read may wait from now on. */
    private void await(Duration silence) {
        patience.timeout(silence.toNanos(), TimeUnit.NANOSECONDS);
        longest = silence.multipliedBy(2);
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
                end();
            }
            return frame;
        } finally {
            reading.unlock();
        }
    }

    private WatchFrame read() {
        WatchFrame frame = readFrame();
        return frame instanceof WatchFrame.Broken && call.isCanceled()
                ? new WatchFrame.Broken("closed", BrokenKind.CUT)
                : frame;
    }

    private WatchFrame readFrame() {
        try {
            // One that sends something, but never a whole frame, is as dead as a silent one.
            patience.deadline(longest.toNanos(), TimeUnit.NANOSECONDS);
            if (reader == null) {
                reader =
                        new FrameReader(
                                request.collection(),
                                ResponseBody.of(response, received),
                                settings.objectLimit(),
                                settings.incoming());
            }
            return reader.next();
        } catch (IOException e) {
            return TransportFailure.of(e).frame();
        } catch (JacksonException e) {
            return TransportFailure.of(e, false).frame();
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
            end();
        } finally {
            reading.unlock();
        }
    }

    private void end() {
        response.close();
        if (reader != null) {
            reader.discard();
        }
    }

    @Override
    public ReadAheadWatch ahead(ReadAheadLimits bound) {
        return QueuedWatch.of(this, bound, settings.incoming());
    }
}
