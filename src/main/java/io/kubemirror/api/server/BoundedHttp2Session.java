package io.kubemirror.api.server;

import org.eclipse.jetty.http2.BufferingFlowControlStrategy;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The streams of an HTTP/2 connection, whose client cannot make the server queue more than a fixed
 * amount.
 *
 * <p>While a write waits for the client, Jetty queues what the client's frames cause: answers to
 * pings and settings, resets, and window updates. It queues each. Here, window updates of a stream
 * are added up, so at most one of each stream waits, and other frames are limited in their number
 * ({@link FrameLimit}).
 */
final class BoundedHttp2Session extends HTTP2ServerSession {

    private final Grants grants;

    /** Creates a session that has not received anything. */
    BoundedHttp2Session(
            Scheduler scheduler,
            EndPoint client,
            ServerParser parser,
            Generator generator,
            ServerSessionListener listener) {
        this(scheduler, client, parser, generator, listener, new Grants());
    }

    private BoundedHttp2Session(
            Scheduler scheduler,
            EndPoint client,
            ServerParser parser,
            Generator generator,
            ServerSessionListener listener,
            Grants grants) {
        super(scheduler, client, parser, generator, listener, grants);
        this.grants = grants;
    }

    /** Whether a write waits until the client reads. */
    static boolean isWriting(EndPoint client) {
        return client instanceof AbstractEndPoint point && point.getWriteFlusher().isPending();
    }

    /** Ends a request whose window overflows; Jetty resets its stream only. */
    @Override
    public void onWindowUpdate(WindowUpdateFrame frame) {
        HTTP2Stream stream = getStream(frame.getStreamId());
        if (stream != null
                && (long) stream.updateSendWindow(0) + frame.getWindowDelta() > Integer.MAX_VALUE) {
            int error = ErrorCode.FLOW_CONTROL_ERROR.code;
            onStreamFailure(frame.getStreamId(), error, "the window overflows");
        } else {
            super.onWindowUpdate(frame);
        }
    }

    @Override
    public void onWindowUpdate(@Nullable HTTP2Stream stream, WindowUpdateFrame frame) {
        if (grants.add(frame.getStreamId(), frame.getWindowDelta())) {
            super.onWindowUpdate(stream, frame);
        }
    }

    /**
     * Resets a stream that the client has broken, for example with a window update of 0 (RFC 9113,
     * 6.9). Otherwise the end of its request would reset it first, with CANCEL.
     */
    @Override
    public void onStreamFailure(int streamId, int error, String reason) {
        HTTP2Stream stream = getStream(streamId);
        if (stream == null) {
            super.onStreamFailure(streamId, error, reason);
        } else {
            stream.reset(new ResetFrame(streamId, error), Callback.NOOP);
            onStreamFailure(stream, error, reason, new IOException(reason), Callback.NOOP);
        }
    }

    /** The bytes that the client grants to the connection (0) and its streams, until they apply. */
    private static final class Grants extends BufferingFlowControlStrategy {

        /** By the number of the stream. The parsing thread adds, the writing one takes. */
        private final Map<Integer, Integer> sums = new HashMap<>();

        Grants() {
            super(0.5F);
        }

        /** Adds a grant, and returns whether it is the only one of its stream. */
        synchronized boolean add(int stream, int bytes) {
            Integer others = sums.get(stream);
            // A client that grants more than there can be stalls its own stream.
            long sum = others == null ? bytes : (long) others + bytes;
            sums.put(stream, Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE));
            return others == null;
        }

        private synchronized int take(int stream) {
            Integer sum = sums.remove(stream);
            return sum == null ? 0 : sum;
        }

        @Override
        public void onWindowUpdate(
                Session session, @Nullable Stream stream, WindowUpdateFrame frame) {
            int id = frame.getStreamId();
            super.onWindowUpdate(session, stream, new WindowUpdateFrame(id, take(id)));
        }
    }

    /**
     * Limits the frames that carry no data, but cause work: to a number in a second, and to the
     * same number while a write waits for the client. Jetty ends the connection with
     * ENHANCE_YOUR_CALM; one that does not read is closed, because it would not read that either.
     */
    static final class FrameLimit implements RateControl {

        private final int most;
        private final EndPoint client;
        private final RateControl second;

        /** What has been written when a frame was counted last. Guarded by this, as the count. */
        private long written;

        private int unread;

        FrameLimit(int most, EndPoint client) {
            this.most = most;
            this.client = client;
            this.second = new WindowRateControl(most, Duration.ofSeconds(1));
        }

        @Override
        public boolean onEvent(Object frame) {
            boolean few = second.onEvent(frame) && !isTooMany();
            if (!few && isWriting(client)) {
                client.close();
            }
            return few;
        }

        private synchronized boolean isTooMany() {
            Connection connection = client.getConnection();
            long now = connection == null ? 0 : connection.getBytesOut();
            if (now != written || !isWriting(client)) {
                written = now;
                unread = 0;
            }
            return ++unread > most;
        }
    }
}
