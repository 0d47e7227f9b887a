package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.Tags;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** How a stream of several resources ends, and one of its resources (list-watch.md#ms-6). */
@Timeout(120)
class WatchMultiplexerEndsTest {

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

    private static void readStates(WatchClient watch) {
        for (int i = 0; i < TYPES.size(); i++) {
            assertThat(watch.next()).contains("initial-events-end");
        }
    }

    private static void awaitNoWatches(ApiFixture served) {
        WaitLimit.until(() -> served.openWatches() == 0);
    }

    @Test
    void stream_ends_cleanly_at_its_timeout_and_resumes() {
        try (ApiFixture served = serving(Map.of())) {
            String cursor;
            try (WatchClient watch = served.client().watch(STREAM + "&timeoutSeconds=1")) {
                String line = "";
                for (int i = 0; i < TYPES.size(); i++) {
                    line = watch.next();
                }
                cursor = line.replaceFirst("\\{\"cursor\":\"([^\"]*)\".*", "$1");
                watch.expectCleanEnd();
            }
            awaitNoWatches(served);
            served.writer(2).upsert(ApiSamples.object("", "n", 101));
            try (WatchClient watch = served.client().watch(STREAM + "&cursor=" + cursor)) {
                assertThat(watch.next()).contains("\"type\":\"ADDED\",\"resource\":\"nodes\"");
            }
        }
    }

    @Test
    void streams_end_one_after_the_other_at_shutdown_like_watches() throws Exception {
        try (ApiFixture served = serving(Map.of());
                WatchClient first = served.client().watch(STREAM);
                WatchClient second = served.client().watch(STREAM);
                WatchClient single = served.client().watch("/api/v1/pods?watch=1")) {
            readStates(first);
            readStates(second);
            WatchRegistry registry = served.bean(WatchRegistry.class);
            WaitLimit.until(() -> registry.size() == 3);
            List<Duration> waits = new ArrayList<>();
            registry.end(Duration.ofSeconds(10), waits::add);
            assertThat(waits).containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(5));
            first.expectCleanEnd();
            second.expectCleanEnd();
            assertThat(single.code()).isEqualTo(200);
            awaitNoWatches(served);
            assertThat(registry.size()).isZero();
            assertThat(served.client().get(STREAM).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void only_the_resource_whose_permission_is_revoked_ends() {
        ScriptedAccess access = new ScriptedAccess().know("t-anna");
        String[] token = {"Authorization", "Bearer t-anna"};
        try (ApiFixture served = serving(Map.of("access", access));
                WatchClient watch = served.client().watch(STREAM, token)) {
            readStates(watch);
            assertThat(served.watcherInfos()).extracting(WatcherInfo::user).containsOnly("anna");
            access.forbid("deployments");

            assertThat(watch.next())
                    .startsWith("{\"type\":\"ERROR\",\"resource\":\"deployments.apps\",")
                    .contains("\"reason\":\"Forbidden\"", "\"code\":403");
            served.writer(1).upsert(ApiSamples.object("a", "web", 101));
            served.writer(0).upsert(ApiSamples.object("a", "x", 102));
            assertThat(watch.next()).contains("\"type\":\"ADDED\",\"resource\":\"pods\"");
            served.writer(2).upsert(ApiSamples.object("", "n", 103));
            assertThat(watch.next()).contains("\"type\":\"ADDED\",\"resource\":\"nodes\"");
            assertThat(served.openWatches()).isEqualTo(2);
            assertThat(served.client().get(STREAM, token).statusCode()).isEqualTo(403);

            access.forbid();
            assertThat(List.of(watch.next(), watch.next()))
                    .allMatch(line -> line.contains("\"code\":403"));
            watch.expectCleanEnd();
            awaitNoWatches(served);
        }
    }

    @Test
    void keep_alive_comments_continue_after_the_first_resource_is_revoked() {
        ScriptedAccess access = new ScriptedAccess().know("t-anna");
        Map<String, Object> beans =
                Map.of("access", access, "timing", keptAlive(Duration.ofMillis(20)));
        String[] headers = {"Authorization", "Bearer t-anna", "Accept", "text/event-stream"};
        try (ApiFixture served = serving(beans);
                WatchClient watch = served.client().watch(STREAM, headers)) {
            readTo(watch, ": keep-alive");
            access.forbid("pods");

            readTo(watch, "event: ERROR");
            assertThat(readTo(watch, "data: ")).contains("\"code\":403", "pods");
            readTo(watch, ": keep-alive");
            readTo(watch, ": keep-alive");
        }
    }

    private static ApiTimings keptAlive(Duration silence) {
        ApiTimings standard = ApiTimings.standard();
        return new ApiTimings(
                standard.freshness(),
                standard.bookmarks(),
                standard.lastBookmark(),
                silence,
                standard.watches());
    }

    private static String readTo(WatchClient watch, String start) {
        String line = watch.next();
        while (!line.startsWith(start)) {
            line = watch.next();
        }
        return line;
    }

    @Test
    void client_that_does_not_read_costs_one_batch_and_misses_nothing() {
        ClientMemory memory = ClientMemory.of(MemoryBudget.ofProcess(64L << 20));
        try (ApiFixture served = serving(Map.of("few", memory));
                WatchClient late = WatchClient.openStalled(served.port(), STREAM)) {
            int last = fallBehind(served);
            assertThat(memory.responses().used()).isBetween(1L, 256L << 10);
            late.readOn();
            readStates(late);
            int[] next = {101, 101, 101};
            for (int count = 0; count < (last - 100) * TYPES.size(); count++) {
                String line = late.next();
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

    /** A resource is selected again on a thread of its own, while the connection goes on. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void resource_is_selected_again_without_the_request_which_may_have_ended(
            CapturedOutput output) {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch selects = new CountDownLatch(1);
        AtomicBoolean again = new AtomicBoolean();
        ReadPolicies policies =
                _ -> {
                    if (again.get()) {
                        selects.countDown();
                        WaitLimit.interruptibly(ended::await);
                    }
                    return ApiFixture.SERVE_STALE;
                };
        try (ApiFixture served = serving(Map.of("policies", policies));
                WatchClient watch = served.client().watch(STREAM)) {
            readStates(watch);
            again.set(true);
            ApiSamples.synchronize(served.writer(0), 50);
            WaitLimit.interruptibly(selects::await);
            served.bean(WatchRegistry.class).end();
            watch.expectCleanEnd();
            awaitNoWatches(served);
            ended.countDown();
            // The one that was reset, the two others, and the one that was opened too late.
            WaitLimit.until(() -> served.timed("kubemirror.watch.duration", Tags.empty()) == 4);
        } finally {
            ended.countDown();
        }
        assertThat(output).doesNotContain("A watch of several resources failed");
    }
}
