package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.eclipse.jetty.websocket.core.exception.WebSocketTimeoutException;

/**
 * A WebSocket is upgraded while an object changes, and its client accepts the first write and no
 * further one: the watch sends every event, and the idle timeout finds a pending write if there is
 * one.
 */
public class StalledWebSocket extends WatchScenario {

    private final List<OutgoingEntry> messages = new ArrayList<>();
    private final List<Callback> pending = new ArrayList<>();
    private Predicate<WebSocketTimeoutException> idle = _ -> false;
    private int accepted;

    StalledWebSocket() {
        this(1);
    }

    private StalledWebSocket(int accepted) {
        this.accepted = accepted;
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        WebSocketSink sink = new WebSocketSink(MemoryBudget.unlimited());
        WatchConnection watch = watch(spawner, sink);
        WebSocketSink.UpgradedConnection connection = sink.new UpgradedConnection(watch, () -> {});
        CoreSession client = new Client(spawner);
        return List.of(
                () -> connection.onOpen(client, Callback.NOOP),
                () -> writer().upsert(ApiSamples.object("a", "y", 12)));
    }

    @Override
    public void verify() {
        assertThat(messages).as("an event for each object").hasSize(2);
        assertThat(open()).as("the watch goes on").isOne();
        assertThat(idle.test(new WebSocketTimeoutException("idle")))
                .as("a timeout closes the connection")
                .isEqualTo(!pending.isEmpty());
    }

    /** A connection that Jetty has upgraded. */
    private final class Client extends CoreSession.Empty {

        private final Spawner jetty;

        Client(Spawner jetty) {
            this.jetty = jetty;
        }

        @Override
        public void addIdleTimeoutListener(Predicate<WebSocketTimeoutException> listener) {
            idle = listener;
        }

        @Override
        public void sendFrame(OutgoingEntry message) {
            messages.add(message);
            Callback written = message.getCallback();
            if (accepted == 0) {
                pending.add(written);
            } else if (!message.isBatch()) {
                accepted--;
                jetty.spawn(written::succeeded);
            }
        }
    }

    /** The client accepts every write: no timeout closes the connection. */
    public static final class ReadByClient extends StalledWebSocket {

        ReadByClient() {
            super(2);
        }
    }
}
