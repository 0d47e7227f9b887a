package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.RenewableConnection.AcceptedCall;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;

import okhttp3.Call;
import okhttp3.Response;

import okio.Timeout;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;

/** A watch that is read from the body of an HTTP response. */
final class HttpWatch implements WatchStream {

    private final WatchRequest request;
    private final Call call;
    private final Response response;
    private final ClientSettings settings;
    private final Timeout patience;

    /**
     * This field and all fields below it are guarded by the monitor of this watch. It is held while
     * a thread waits for a frame, because a response must not be closed while it is read.
     * Cancelling the call does not require it.
     */
    private @Nullable FrameReader reader;

    private @Nullable WatchFrame last;

    /**
     * Creates a watch that the server has accepted.
     *
     * @param request the watch request
     * @param accepted the call, used to cancel the watch from another thread, and the response
     * @param settings the limits of frames
     */
    HttpWatch(WatchRequest request, AcceptedCall accepted, ClientSettings settings) {
        this.request = request;
        this.call = accepted.call();
        this.response = accepted.response();
        this.settings = settings;
        this.patience = response.body().source().timeout();
        await(request.initialEvents() ? request.initialSilence() : request.silence());
    }

    /** Sets the timeout of each following read. */
    private void await(Duration silence) {
        patience.timeout(silence.toNanos(), TimeUnit.NANOSECONDS);
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

    private WatchFrame readFrame() {
        try {
            if (reader == null) {
                reader =
                        new FrameReader(
                                request.collection(),
                                ResponseBody.of(response),
                                settings.objectLimit(),
                                settings.incoming());
            }
            return reader.next();
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
}
