package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.kube.json.ResponseTimeout.PortionTimeout;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadWatch;

import okhttp3.Call;
import okhttp3.Response;

import okio.Timeout;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;

/** A watch that is read from the body of an HTTP response. */
final class HttpWatch implements UpstreamWatch {

    private final WatchRequest request;
    private final Call call;
    private final Response response;
    private final ClientSettings settings;
    private final LongConsumer received;
    private final Timeout patience;

    /**
     * This field and all fields below it are guarded by the monitor of this watch. It is held while
     * a thread waits for a frame, because a response must not be closed while it is read.
     * Cancelling the call does not require it.
     */
    private Duration longest = Duration.ZERO;

    /** The number of bytes of the present frame that have arrived since the deadline was set. */
    private long arrived;

    private @Nullable FrameReader reader;

    private @Nullable WatchFrame last;

    /**
     * Creates a watch that the server has accepted.
     *
     * @param request the watch request
     * @param call the call, used to cancel the watch from another thread
     * @param response the response
     * @param settings the limits of frames
     * @param received receives the number of bytes that arrive
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

    /** Sets the timeout of each following read. */
    private void await(Duration silence) {
        patience.timeout(silence.toNanos(), TimeUnit.NANOSECONDS);
        longest = silence.multipliedBy(2);
    }

    @Override
    public synchronized WatchFrame next() {
        if (last != null) {
            return last;
        }
        WatchFrame frame = read();
        if (frame instanceof WatchFrame.Bookmark bookmark && bookmark.initialEventsEnd()) {
            await(request.silence());
        }
        if (frame instanceof WatchFrame.End) {
            last = frame;
            end();
        }
        return frame;
    }

    private WatchFrame read() {
        WatchFrame frame = readFrame();
        boolean isCut =
                frame instanceof WatchFrame.Broken || frame instanceof WatchFrame.Untrackable;
        return isCut && call.isCanceled() ? new WatchFrame.Broken("closed", BrokenKind.CUT) : frame;
    }

    /**
     * Sets the deadline of the next portion of a frame that has begun: a server that drips is as
     * dead as a silent one.
     */
    private void awaitPortion() {
        Duration drip = settings.readTimeout().multipliedBy(2);
        Duration limit = drip.compareTo(longest) < 0 ? drip : longest;
        patience.deadline(limit.toNanos(), TimeUnit.NANOSECONDS);
        arrived = 0;
    }

    private void received(long bytes) {
        received.accept(bytes);
        arrived += bytes;
        if (arrived >= PortionTimeout.PORTION) {
            awaitPortion();
        }
    }

    private WatchFrame readFrame() {
        try {
            // A connection that sends bytes but never begins a frame is as dead as a silent one.
            patience.deadline(longest.toNanos(), TimeUnit.NANOSECONDS);
            arrived = 0;
            if (reader == null) {
                reader =
                        new FrameReader(
                                request.collection(),
                                ResponseBody.of(response, this::received, ResponseBody.UNLIMITED),
                                settings.objectLimit(),
                                settings.incoming());
            }
            return reader.next(this::awaitPortion);
        } catch (IOException e) {
            return TransportFailure.frame(TransportFailure.of(e));
        } catch (JacksonException e) {
            return TransportFailure.frame(TransportFailure.of(e, false));
        }
    }

    /**
     * {@inheritDoc} Cancelling the call ends a pending read immediately, which releases the
     * monitor.
     */
    @Override
    public void close() {
        call.cancel();
        end();
    }

    private synchronized void end() {
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
