package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.pairs.Door.Answer;
import io.kubemirror.testing.JsonTrees;

import okhttp3.Call;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.io.IOException;

/** Follows one collection by a list and watches, as informers do. */
final class WatchFollower extends Follower {

    private final Door door;
    private final String target;
    private final String prefix;
    private final boolean conflated;
    private final boolean mayExpire;

    /** Where the next watch begins; negative if a list comes first. */
    private long revision = -1;

    /**
     * Creates it.
     *
     * @param target the path of the collection
     * @param prefix of the keys of its objects
     * @param mayExpire whether the row explains that the history of a mirror is gone
     */
    WatchFollower(Door door, String target, String prefix, boolean conflated, boolean mayExpire) {
        this.door = door;
        this.target = target;
        this.prefix = prefix;
        this.conflated = conflated;
        this.mayExpire = mayExpire;
    }

    @Override
    @Nullable Call connect() throws IOException {
        if (revision < 0) {
            Answer list = door.get(target);
            if (list.code() != 200) {
                return null;
            }
            JsonNode json = list.json();
            forget("");
            json.path("items").forEach(item -> apply(prefix, "ADDED", item, true));
            revision = JsonTrees.revision(json);
        }
        String watch = target + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + revision;
        return door.open(watch, "Kubemirror-Conflate", Boolean.toString(conflated));
    }

    @Override
    void refused(int code) {
        assertThat(code).as(toString()).isIn(429, 410, 404, 500, 502, 503, 504);
        if (code == 410) {
            expire(Integer.toString(code));
        }
    }

    private void expire(String why) {
        assertThat(mayExpire).as("%s may be told to list: %s", this, why).isTrue();
        revision = -1;
    }

    @Override
    void read(Response response, String line) {
        door.check(target + "?watch", response, line);
        JsonNode event = JsonTrees.parse(line);
        JsonNode object = event.path("object");
        String type = event.path("type").asString();
        switch (type) {
            case "ERROR" -> expire(line);
            case "BOOKMARK" -> revision = JsonTrees.revision(object);
            default -> {
                assertThat(JsonTrees.revision(object)).as(line).isGreaterThan(revision);
                revision = JsonTrees.revision(object);
                apply(prefix, type, object, !conflated);
            }
        }
    }

    @Override
    public String toString() {
        return "the watch of " + target;
    }
}
