package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.feature.stream.StreamTest.EventReader.Event;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One stream of several resources (list-watch.md#streams). */
class StreamTest {

    private static final List<String> RESOURCES = List.of("pods", "deployments.apps", "nodes");
    private static final List<ResourceType> TYPES =
            List.of(ApiSamples.PODS, ApiSamples.DEPLOYMENTS, ApiSamples.NODES);
    private static final String STREAM =
            "/kubemirror/v1/watch?resource=pods&resource=deployments.apps&resource=nodes";

    private static final String QUIET = STREAM + "&stateBookmarks=false";

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    new Window(8, 8, Duration.ofSeconds(75), 1 << 20),
                    RESOURCES.toArray(String[]::new));

    private final RestClient client = served.client();

    StreamTest() {
        ApiSamples.fillWithGoldenPods(served.writer());
        for (int i = 1; i < TYPES.size(); i++) {
            served.writer(i).identify(TYPES.get(i), DeclaredFields.NONE);
            ApiSamples.synchronize(served.writer(i), 100);
        }
    }

    private EventReader watch(String more, String... headers) {
        return new EventReader(served.watch(STREAM + more, headers));
    }

    private EventReader resume(String id) {
        return watch("&stateBookmarks=false", "Last-Event-ID", id);
    }

    @Test
    void each_resource_has_its_state_and_the_end_of_it_and_then_its_changes() {
        try (EventReader watch = watch("&stateBookmarks=false")) {
            assertThat(watch.client().code()).isEqualTo(200);
            assertThat(watch.client().header("Content-Type")).isEqualTo("text/event-stream");
            List<Event> events = watch.next(6);
            assertThat(events)
                    .filteredOn(event -> event.type().equals("ADDED"))
                    .hasSize(3)
                    .allMatch(event -> event.id() == null)
                    .allMatch(
                            event ->
                                    event.data()
                                            .startsWith(
                                                    "{\"resource\":\"pods\",\"type\":\"ADDED\""));
            assertThat(events)
                    .filteredOn(event -> event.data().contains("initial-events-end"))
                    .hasSize(3)
                    .allMatch(event -> event.id() != null);
            assertThat(events.getLast().id()).isEqualTo("110,100,100");
            served.writer(1).upsert(ApiSamples.object("a", "web", 112));
            Event added = watch.next();
            assertThat(added.id()).isEqualTo("110,112,100");
            assertThat(added.data())
                    .startsWith(
                            "{\"resource\":\"deployments.apps\",\"type\":\"ADDED\",\"object\":{");
            ApiSamples.delete(served.writer(), "a", "x", 113);
            Event deleted = watch.next();
            assertThat(deleted.id()).isEqualTo("113,112,100");
            assertThat(deleted.data()).startsWith("{\"resource\":\"pods\",\"type\":\"DELETED\"");
        }
    }

    /** More than a connection takes at once, so that the watches wait for their turns. */
    @Test
    void changes_of_all_resources_come_in_their_order() {
        try (EventReader watch = watch("&stateBookmarks=false")) {
            watch.next(6);
            int[] next = {200, 200, 200};
            for (int revision = 200; revision < 208; revision++) {
                for (int i = 0; i < TYPES.size(); i++) {
                    String name = "p".repeat(50_000) + revision;
                    served.writer(i).upsert(ApiSamples.object(i == 2 ? "" : "b", name, revision));
                }
            }
            for (Event event : watch.next(24)) {
                int type = type(event.data());
                assertThat(event.data()).contains("\"resourceVersion\":\"" + next[type] + "\"");
                assertThat(Objects.requireNonNull(event.id()).split(",", -1)[type])
                        .isEqualTo("" + next[type]);
                next[type]++;
            }
        }
    }

    private static int type(String data) {
        return IntStream.range(0, RESOURCES.size())
                .filter(i -> data.contains("\"resource\":\"" + RESOURCES.get(i) + "\""))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stream_ends_cleanly_at_its_timeout_and_continues_after_its_last_id() {
        String id;
        try (EventReader watch = watch("&stateBookmarks=false&timeoutSeconds=1")) {
            id = Objects.requireNonNull(watch.next(6).getLast().id());
            watch.expectEnd();
        }
        WaitLimit.until(() -> served.openWatches() == 0);
        served.writer(2).upsert(ApiSamples.object("", "n", 115));

        try (EventReader watch = resume(id)) {
            Event next = watch.next();
            assertThat(next.id()).isEqualTo("110,100,115");
            assertThat(next.data()).startsWith("{\"resource\":\"nodes\",\"type\":\"ADDED\"");
        }
    }

    private static ApiFixture serving(Map<String, Object> beans) {
        ApiFixture served = ApiFixture.of(beans, RESOURCES.toArray(String[]::new));
        for (int i = 0; i < TYPES.size(); i++) {
            served.writer(i).identify(TYPES.get(i), DeclaredFields.NONE);
            ApiSamples.synchronize(served.writer(i), 100);
        }
        return served;
    }

    @Test
    void stream_ends_when_the_permission_to_watch_a_resource_is_revoked() {
        ScriptedAccess access = new ScriptedAccess().know("t-anna");
        String[] token = {"Authorization", "Bearer t-anna"};
        try (ApiFixture guarded = serving(Map.of("access", access));
                EventReader watch = new EventReader(guarded.watch(QUIET, token))) {
            watch.next(TYPES.size());
            assertThat(guarded.watcherInfos()).extracting(WatcherInfo::user).containsOnly("anna");
            access.forbid("deployments");

            watch.expectEnd();
            WaitLimit.until(() -> guarded.openWatches() == 0);
            assertThat(guarded.client().get(QUIET, token).code()).isEqualTo(403);
        }
    }

    @Test
    void client_that_does_not_read_costs_one_batch_and_misses_nothing() {
        ClientMemory memory = ClientMemory.of(MemoryBudget.of(64L << 20));
        try (ApiFixture large = serving(Map.of("few", memory));
                WatchClient late = WatchClient.openStalled(large.port(), QUIET)) {
            int last = fallBehind(large);
            assertThat(memory.responses().used()).isBetween(1L, 256L << 10);
            WaitLimit.until(() -> large.gauge("kubemirror.watch.lag") > 0);
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

    @ParameterizedTest
    @ValueSource(strings = {"deployments.apps", "deployments.v1.apps", "pods", "pods.v1."})
    void resource_is_named_as_in_the_configuration(String name) {
        try (EventReader watch =
                new EventReader(served.watch("/kubemirror/v1/watch?resource=" + name))) {
            assertThat(watch.client().code()).isEqualTo(200);
            assertThat(watch.next().data()).contains("\"resource\":\"" + name + "\"");
        }
    }

    /** An application waits for 429, and gives up at 404. */
    @ParameterizedTest
    @ValueSource(strings = {"deployments.apps", "deployments.v1.apps"})
    void resource_that_is_configured_with_a_version_is_awaited(String name) {
        try (ApiFixture starting = ApiFixture.of("deployments.v1.apps")) {
            assertThat(starting.client().get("/kubemirror/v1/watch?resource=" + name).code())
                    .isEqualTo(429);
        }
    }

    /** Reads the states of all resources, and returns the id of the end. */
    private String readStates() {
        try (EventReader watch = watch("&stateBookmarks=false")) {
            return Objects.requireNonNull(watch.next(6).getLast().id());
        }
    }

    /** More changes of the pods than their history has. */
    private void outrunHistory() {
        for (int i = 0; i < 20; i++) {
            served.writer().upsert(ApiSamples.object("a", "x", 120 + i));
        }
    }

    @Test
    void only_the_resource_whose_history_is_gone_begins_again() {
        String id = readStates();
        outrunHistory();
        served.writer(1).upsert(ApiSamples.object("a", "web", 150));
        Event error;
        try (EventReader watch = resume(id)) {
            error = watch.next();
            while (!error.type().equals("ERROR")) {
                error = watch.next();
            }
            assertThat(error.data()).contains("\"resource\":\"pods\"", "\"code\":410");
            assertThat(error.id()).startsWith(",");
            watch.expectEnd();
        }
        try (EventReader watch = resume(",100,100")) {
            List<Event> events = watch.next(5);
            assertThat(events)
                    .filteredOn(event -> event.data().contains("\"resource\":\"pods\""))
                    .hasSize(4)
                    .anyMatch(event -> event.data().contains("\"resourceVersion\":\"139\""))
                    .last()
                    .matches(event -> event.data().contains("initial-events-end"));
            assertThat(events)
                    .filteredOn(event -> event.data().contains("deployments.apps"))
                    .singleElement()
                    .matches(event -> event.data().contains("\"name\":\"web\""));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sortBy=metadata.name", "count=only"})
    void stream_has_no_order(String query) {
        RestResponse answer = client.get(STREAM + "&" + query);
        assertThat(answer.code()).isEqualTo(400);
        assertThat(answer.body()).contains(" is not supported");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1,2", "1,2,3,4", "a,b,c", "1,2,-3"})
    void id_that_is_no_position_is_refused(String id) {
        RestResponse answer = client.get(STREAM, "Last-Event-ID", id);
        assertThat(answer.code()).isEqualTo(400);
    }

    @Test
    void stream_is_sent_as_server_sent_events_alone() {
        assertThat(client.get(STREAM, "Accept", "application/json").code()).isEqualTo(406);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/stream/refusals.csv",
            delimiter = '|',
            quoteCharacter = '\'')
    void request_that_cannot_be_served_says_why(String query, int code, String why) {
        RestResponse answer = client.get("/kubemirror/v1/watch" + query);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.body()).contains(why);
    }

    @Test
    void removed_mirror_ends_the_stream_cleanly_and_its_watches_are_gone() {
        try (EventReader watch = watch("&stateBookmarks=false")) {
            watch.next(6);
            WaitLimit.until(() -> served.openWatches() == 3);
            served.removeMirrors();
            watch.expectEnd();
        }
    }

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
}
