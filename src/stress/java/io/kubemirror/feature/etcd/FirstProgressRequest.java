package io.kubemirror.feature.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.interleaving.ConcurrentScenario;

import okio.Buffer;
import okio.BufferedSink;
import okio.Okio;
import okio.Sink;
import okio.Timeout;

/**
 * Progress is requested as soon as etcd has received the request for a watch: the request is sent.
 */
final class FirstProgressRequest implements ConcurrentScenario {

    private static final ProtobufWriter WATCH = new ProtobufWriter().number(1, 1);
    private static final ProtobufWriter PROGRESS = new ProtobufWriter().number(3, 3);

    private final GrpcCall.RequestStream requests = new GrpcCall.RequestStream(WATCH, true);
    private final Buffer received = new Buffer();
    private volatile boolean isReceived;

    private final BufferedSink network =
            Okio.buffer(
                    new Sink() {
                        @Override
                        public void write(Buffer source, long byteCount) {
                            received.write(source, byteCount);
                        }

                        @Override
                        public void flush() {
                            isReceived = true;
                        }

                        @Override
                        public Timeout timeout() {
                            return Timeout.NONE;
                        }

                        @Override
                        public void close() {}
                    });

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::call, this::requestProgress);
    }

    private void call() {
        try {
            requests.writeTo(network);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void requestProgress() {
        while (!isReceived) {
            Thread.onSpinWait();
        }
        try {
            requests.send(PROGRESS.framed());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public void verify() {
        Buffer both = new Buffer().write(WATCH.framed()).write(PROGRESS.framed());
        assertThat(received).isEqualTo(both);
    }
}
