package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.BufferUtil;
import org.junit.jupiter.api.Test;

/**
 * A watch ends when its client disconnects, and no byte that the client sends is lost
 * (list-watch.md#fa-9).
 */
class DisconnectListenerTest {

    private final CountDownLatch closed = new CountDownLatch(1);
    private final ByteArrayEndPoint client =
            new ByteArrayEndPoint() {
                @Override
                public void onClose(Throwable cause) {
                    super.onClose(cause);
                    closed.countDown();
                }
            };
    private final AtomicInteger disconnects = new AtomicInteger();

    @Test
    void end_of_the_input_of_a_client_ends_its_watch() {
        DisconnectListener.register(client, disconnects::incrementAndGet);
        client.addInputEOF();
        assertThat(disconnects).hasValue(1);
    }

    @Test
    void broken_connection_ends_its_watch() {
        DisconnectListener.register(client, disconnects::incrementAndGet);
        client.close();
        assertThat(disconnects).hasValue(1);
    }

    @Test
    void early_request_of_a_client_is_returned_to_its_connection() throws Exception {
        ReadingConnection connection = new ReadingConnection(client);
        client.setConnection(connection);
        DisconnectListener.register(client, disconnects::incrementAndGet);
        client.addInput("GET");
        assertThat(connection.returned.take()).isEqualTo("G");
        assertThat(rest()).isEqualTo("ET");
        assertThat(disconnects).hasValue(0);
    }

    @Test
    void connection_that_cannot_take_back_input_is_closed() throws Exception {
        client.setConnection(new IdleConnection(client));
        DisconnectListener.register(client, disconnects::incrementAndGet);
        client.addInput("GET");
        closed.await();
        assertThat(client.isOpen()).isFalse();
        assertThat(disconnects).hasValue(1);
    }

    @Test
    void stopped_listener_reads_nothing_and_ends_nothing() throws IOException {
        DisconnectListener disconnectListener =
                DisconnectListener.register(client, disconnects::incrementAndGet);
        disconnectListener.stop();
        assertThat(client.isFillInterested()).isFalse();
        client.addInput("GET");
        disconnectListener.succeeded();
        assertThat(rest()).isEqualTo("GET");
        client.close();
        disconnectListener.failed(new IOException());
        assertThat(disconnects).hasValue(0);
    }

    /** What ends a watch may wait for others, for example to write to a log. */
    @Test
    void disconnect_is_reported_while_no_lock_is_held() {
        List<DisconnectListener> listeners = new ArrayList<>();
        List<Boolean> free = new ArrayList<>();
        listeners.add(
                DisconnectListener.register(client, () -> free.add(canStop(listeners.getFirst()))));

        client.addInputEOF();

        assertThat(free).containsExactly(true);
    }

    private static boolean canStop(DisconnectListener listener) {
        return CompletableFuture.runAsync(listener::stop, task -> new Thread(task).start())
                .thenApply(_ -> true)
                .completeOnTimeout(false, 10, TimeUnit.SECONDS)
                .join();
    }

    private String rest() throws IOException {
        ByteBuffer buffer = BufferUtil.allocate(10);
        client.fill(buffer);
        return BufferUtil.toString(buffer);
    }

    /** Takes everything back. */
    private static final class ReadingConnection extends AbstractConnection
            implements Connection.UpgradeTo {

        private final BlockingQueue<String> returned = new LinkedBlockingQueue<>();

        ReadingConnection(ByteArrayEndPoint client) {
            super(client, Runnable::run);
        }

        @Override
        public void onUpgradeTo(ByteBuffer buffer) {
            returned.add(BufferUtil.toString(buffer));
            BufferUtil.clear(buffer);
        }

        @Override
        public void onFillable() {}
    }

    /** Takes nothing back. */
    private static final class IdleConnection extends AbstractConnection {

        IdleConnection(ByteArrayEndPoint client) {
            super(client, Runnable::run);
        }

        @Override
        public void onFillable() {}
    }
}
