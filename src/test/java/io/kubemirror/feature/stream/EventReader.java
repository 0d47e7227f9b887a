package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.WatchClient;

import org.jspecify.annotations.Nullable;

/** Reads the events of a stream as a browser does. */
record EventReader(WatchClient client) implements AutoCloseable {

    /**
     * An event.
     *
     * @param id null if it has none
     */
    record Event(String type, @Nullable String id, String data) {}

    /** The next event, after comments and delays. */
    Event next() {
        String type = "";
        String id = null;
        while (true) {
            String line = client.next();
            assertThat(line).isNotEqualTo(WatchClient.CLEAN_END);
            if (line.startsWith("event: ")) {
                type = line.substring(7);
            } else if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("data: ")) {
                assertThat(client.next()).isEmpty();
                return new Event(type, id, line.substring(6));
            } else {
                assertThat(line).matches("|: keep-alive|retry: [1-3][0-9]{3}");
            }
        }
    }

    List<Event> next(int count) {
        return Stream.generate(this::next).limit(count).toList();
    }

    /** Demands that the stream ends cleanly, after any events. */
    void expectEnd() {
        String line = client.next();
        while (!line.equals(WatchClient.CLEAN_END)) {
            assertThat(line).matches("|(event|id|data|retry|): .*");
            line = client.next();
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
