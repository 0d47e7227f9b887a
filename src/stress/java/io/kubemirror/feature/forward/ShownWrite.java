package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ObjectKey;

/**
 * The mirror receives the deletion of an object that was deleted through kubemirror. No reader
 * shows the object.
 */
public final class ShownWrite implements ConcurrentScenario {

    private static final ObjectKey KEY = new ObjectKey("a/x");

    private final WrittenServer server = new WrittenServer();
    private volatile boolean stale;

    ShownWrite() {
        server.put(KEY.path(), "u", Map.of());
        server.deliverAll();
        server.delete(KEY.path());
    }

    private void read() {
        var position = server.now();
        if (position.isPresent() && position.get().snapshot().get(KEY).isPresent()) {
            stale = true;
        }
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> {
                    server.deliver();
                    read();
                },
                this::read);
    }

    @Override
    public void verify() {
        assertThat(stale).isFalse();
        assertThat(server.now()).isPresent();
    }
}
