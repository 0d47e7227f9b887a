package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.JsonTrees;

import okhttp3.Call;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.HashSet;
import java.util.Set;

/** Follows all collections of a namespace, or of all of them, by one stream. */
final class StreamFollower extends Follower {

    private final Door door;
    private final String target;
    private String cursor = "";

    /** The resources whose initial state has begun and not ended. */
    private final Set<String> incomplete = new HashSet<>();

    StreamFollower(Door door, String target) {
        this.door = door;
        this.target = target;
    }

    @Override
    @Nullable Call connect() {
        incomplete.forEach(this::forget);
        incomplete.clear();
        return door.open(target + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
    }

    @Override
    void refused(int code) {
        assertThat(code).as(toString()).isIn(400, 429, 404, 500, 502, 503, 504);
        if (code == 400) {
            // A cursor belongs to one configuration, and to one process without files.
            cursor = "";
            forget("");
        }
    }

    @Override
    void read(Response response, String line) {
        door.check(target, response, line);
        JsonNode event = JsonTrees.parse(line);
        String resource = event.path("resource").asString() + " ";
        JsonNode object = event.path("object");
        String type = event.path("type").asString();
        switch (type) {
            case "ERROR" -> {
                assertThat(event.has("cursor")).as(line).isTrue();
                forget(resource);
            }
            case "BOOKMARK" -> incomplete.remove(resource);
            default -> {
                boolean initial = event.path("initial").asBoolean(false);
                if (initial && incomplete.add(resource)) {
                    forget(resource);
                }
                apply(resource, type, object, !initial);
            }
        }
        cursor = event.path("cursor").asString(cursor);
    }

    @Override
    public String toString() {
        return "the stream " + target;
    }
}
