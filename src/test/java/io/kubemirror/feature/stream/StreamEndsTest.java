package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.feature.stream.EventReader.Event;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a stream of several resources ends, (list-watch.md#ms-6). */
@Timeout(120)
class StreamEndsTest {

    private static final String DEPLOYMENTS = "deployments.apps";
    private static final List<String> RESOURCES = List.of("pods", DEPLOYMENTS, "nodes");
    private static final List<ResourceType> TYPES =
            List.of(ApiSamples.PODS, ApiSamples.DEPLOYMENTS, ApiSamples.NODES);
    private static final String STREAM =
            "/kubemirror/v1/watch?stateBookmarks=false&resource="
                    + String.join("&resource=", RESOURCES);

    private static ApiFixture serving(Map<String, Object> beans, String... arguments) {
        ApiFixture served = ApiFixture.of(beans, RESOURCES.toArray(String[]::new), arguments);
        for (int i = 0; i < TYPES.size(); i++) {
            served.writer(i).identify(TYPES.get(i), DeclaredFields.NONE);
            ApiSamples.synchronize(served.writer(i), 100);
        }
        return served;
    }

    private static EventReader watch(ApiFixture served, String... headers) {
        return new EventReader(served.client().watch(STREAM, headers));
    }

    private static Event readStates(EventReader watch) {
        List<Event> ends = watch.next(TYPES.size());
        assertThat(ends).allMatch(event -> event.data().contains("initial-events-end"));
        return ends.getLast();
    }

    private static void awaitNoWatches(ApiFixture served) {
        WaitLimit.until(() -> served.openWatches() == 0);
    }

    @Test
    void stream_ends_cleanly_at_its_timeout_and_resumes() {
        try (ApiFixture served = serving(Map.of())) {
            String id;
            try (EventReader watch =
                    new EventReader(served.client().watch(STREAM + "&timeoutSeconds=1"))) {
                id = Objects.requireNonNull(readStates(watch).id());
                watch.expectEnd();
            }
            awaitNoWatches(served);
            served.writer(2).upsert(ApiSamples.object("", "n", 101));
            try (EventReader watch = watch(served, "Last-Event-ID", id)) {
                assertThat(watch.next().data())
                        .startsWith("{\"resource\":\"nodes\",\"type\":\"ADDED\"");
            }
        }
    }

    @Test
    void stream_ends_when_the_permission_to_watch_a_resource_is_revoked() {
        ScriptedAccess access = new ScriptedAccess().know("t-anna");
        String[] token = {"Authorization", "Bearer t-anna"};
        try (ApiFixture served = serving(Map.of("access", access));
                EventReader watch = watch(served, token)) {
            readStates(watch);
            assertThat(served.watcherInfos()).extracting(WatcherInfo::user).containsOnly("anna");
            access.forbid("deployments");

            watch.expectEnd();
            awaitNoWatches(served);
            assertThat(served.client().get(STREAM, token).statusCode()).isEqualTo(403);
        }
    }

    @Test
    void client_that_does_not_read_costs_one_batch_and_misses_nothing() {
        ClientMemory memory = ClientMemory.of(MemoryBudget.of(64L << 20));
        try (ApiFixture served = serving(Map.of("few", memory));
                WatchClient late = WatchClient.openStalled(served.port(), STREAM)) {
            int last = fallBehind(served);
            assertThat(memory.responses().used()).isBetween(1L, 256L << 10);
            WaitLimit.until(() -> served.gauge("kubemirror.watch.lag") > 0);
            late.readOn();
            EventReader reader = new EventReader(late);
            int[] next = {100, 100, 100};
            for (int count = 0; count < (last - 99) * TYPES.size(); count++) {
                String line = reader.next().data();
                int type = type(line);
                assertThat(line).contains("\"resourceVersion\":\"" + next[type] + "\"");
                next[type]++;
            }
        }
    }

    private static int type(String line) {
        for (int type = 0; type < TYPES.size(); type++) {
            if (line.contains("\"resource\":\"" + RESOURCES.get(type) + "\"")) {
                return type;
            }
        }
        throw new AssertionError(line);
    }

    /** Changes all resources until the client has something that it does not take. */
    private static int fallBehind(ApiFixture served) {
        int revision = 100;
        while (served.backlog() < 200) {
            revision++;
            change(served, revision);
        }
        return revision;
    }

    private static void change(ApiFixture served, int revision) {
        for (int i = 0; i < TYPES.size(); i++) {
            String namespace = TYPES.get(i).namespaced() ? "b" : "";
            String name = "p".repeat(10_000) + revision % 50;
            served.writer(i).upsert(ApiSamples.object(namespace, name, revision));
        }
    }
}
