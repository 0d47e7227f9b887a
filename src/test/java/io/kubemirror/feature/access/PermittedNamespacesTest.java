package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Identity;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Tests clients that may read some of the namespaces that they ask for (list-watch.md#pn-1). */
@Timeout(60)
class PermittedNamespacesTest {

    private static final Duration ALLOWED = Duration.ofMinutes(1);
    private static final Duration GRACE = Duration.ofMinutes(5);
    private static final String CONTINUES = "/api/v1/pods?watch=1&resourceVersion=100";
    private static final String STREAM = "/kubemirror/v1/watch?resource=pods";
    private static final String[] BOB = {"Authorization", "Bearer t-bob"};

    private final ScriptedReviews reviews = new ScriptedReviews();
    private final FakeForwardingApi server = new FakeForwardingApi();
    private final AtomicLong now = new AtomicLong();
    private volatile ReadPolicy policy = ApiFixture.SERVE_STALE;
    private final CompletableFuture<MirrorDirectory> directory = new CompletableFuture<>();
    private final AtomicReference<AccessControl> access = new AtomicReference<>(limiting());

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    Map.of(
                            "access",
                            new ReplacedAccess(),
                            "server",
                            server,
                            "policies",
                            (ReadPolicies) _ -> policy),
                    "pods",
                    "nodes");

    private final ApiClient client = served.client();

    /** What decides until another one is set. */
    private final class ReplacedAccess implements AccessControl {

        /** That of what decides next may be longer than a test. */
        private final Duration interval = access.get().recheckInterval();

        @Override
        public boolean isOpen() {
            return access.get().isOpen();
        }

        @Override
        public Duration recheckInterval() {
            return interval;
        }

        @Override
        public AccessDecision check(Credentials credentials, Permission permission)
                throws InterruptedException {
            return access.get().check(credentials, permission);
        }
    }

    private AccessControl limiting() {
        return reviews.limiting(now::get, ALLOWED, GRACE, directory::resultNow);
    }

    @BeforeEach
    void fill() {
        directory.complete(served.bean(MirrorDirectory.class));
        served.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(
                served.writer(),
                100,
                ApiSamples.object("a", "one", 11),
                ApiSamples.object("a-b", "two", 12),
                ApiSamples.object("b", "three", 13),
                ApiSamples.object("c", "four", 14));
        reviews.know("t-bob", "bob");
        reviews.permit("bob", "a");
        reviews.permit("bob", "b");
    }

    @Test
    void list_of_all_namespaces_has_those_in_which_the_client_may_list() {
        HttpResponse<String> answer = client.get("/api/v1/pods", BOB);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(names(answer.body())).containsExactly("one", "three");
        assertThat(answer.headers().firstValue("Kubemirror-Namespaces")).contains("a, b");
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods?fieldSelector=metadata.name%21%3Done,        three",
        "/api/v1/pods?fieldSelector=metadata.namespace%3Da,        one",
        "/api/v1/pods?fieldSelector=metadata.namespace%3Dc,        ''",
        "/api/v1/pods?sortBy=-metadata.name,                       three one",
        "/api/v1/pods?resourceVersion=0,                           one three"
    })
    void limit_holds_with_whatever_else_selects_and_sorts(String path, String names) {
        assertThat(String.join(" ", names(client.get(path, BOB).body()))).isEqualTo(names);
    }

    @Test
    void counts_and_pages_do_not_count_what_is_hidden() {
        JsonNode page = client.json("/api/v1/pods?limit=1", BOB);

        assertThat(page.at("/metadata/remainingItemCount").isMissingNode()).isTrue();
        assertThat(names(page.toString())).containsExactly("one");
        String token = page.at("/metadata/continue").asString();
        assertThat(names(client.get("/api/v1/pods?limit=5&continue=" + token, BOB).body()))
                .containsExactly("three");
        assertThat(client.get("/api/v1/pods?count=only", BOB).body())
                .contains("\"remainingItemCount\":2");
    }

    @ParameterizedTest
    @EnumSource(
            value = ReadMode.class,
            names = {"PROXY", "VERIFY"})
    void list_never_comes_from_the_api_server_which_would_not_limit_it(ReadMode mode) {
        policy = new ReadPolicy.Whole(mode, null);
        server.isAt(100);
        server.answersAt(140);

        assertThat(names(client.get("/api/v1/pods", BOB).body())).containsExactly("one", "three");
        server.isAt(111);
        assertThat(client.get("/api/v1/pods?timeout=1s", BOB).statusCode()).isEqualTo(504);
        assertThat(server.forwarded).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/c/pods",
                "/api/v1/namespaces/c/pods/four",
                "/api/v1/namespaces/c/pods?watch=1",
                "/api/v1/nodes",
                "/api/v1/nodes?watch=1",
                "/kubemirror/v1/watch?resource=pods&namespace=c"
            })
    void what_the_client_names_itself_is_forbidden_as_before(String path) {
        MirrorWriter nodes = served.writer(1);
        nodes.identify(ApiSamples.NODES, DeclaredFields.NONE);
        ApiSamples.synchronize(nodes, 100, ApiSamples.object("", "node", 20));

        assertThat(client.get(path, BOB).statusCode()).isEqualTo(403);
    }

    @Test
    void client_that_may_read_one_name_reads_it_in_all_namespaces() {
        reviews.know("t-eve", "eve");
        reviews.permitNamed("eve", "three");
        String[] eve = {"Authorization", "Bearer t-eve"};
        String named = "/api/v1/pods?fieldSelector=metadata.name%3Dthree";

        assertThat(names(client.get(named, eve).body())).containsExactly("three");
        assertThat(client.get("/api/v1/pods", eve).statusCode()).isEqualTo(403);
    }

    @Test
    void client_that_may_read_no_namespace_is_forbidden() {
        reviews.know("t-eve", "eve");

        assertThat(client.get("/api/v1/pods", "Authorization", "Bearer t-eve").body())
                .contains("cannot list resource")
                .contains("at the cluster scope");
    }

    @Test
    void client_is_forbidden_if_there_are_too_many_namespaces_to_review() {
        for (int i = 4; i < PermittedNamespaces.MAX_NAMESPACES; i++) {
            served.writer().upsert(ApiSamples.object("n" + i, "one", 100 + i));
        }
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(200);

        served.writer().upsert(ApiSamples.object("one-more", "one", 1_000));
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(403);
    }

    @Test
    void watch_has_the_events_of_permitted_namespaces_only() {
        try (WatchClient watch = watchAfterList()) {
            assertThat(watch.header("Kubemirror-Namespaces")).isEqualTo("a, b");
            assertThat(served.watcherInfos())
                    .as("what the client has asked for, without the names that it may read")
                    .extracting(WatcherInfo::selection)
                    .containsExactly("");
            served.writer().upsert(ApiSamples.object("c", "hidden", 101));
            served.writer().upsert(ApiSamples.object("b", "seen", 102));
            ApiSamples.delete(served.writer(), "c", "hidden", 103);
            ApiSamples.delete(served.writer(), "b", "seen", 104);

            assertThat(watch.brief()).startsWith("ADDED").contains("seen");
            assertThat(watch.brief()).startsWith("DELETED").contains("seen");
        }
    }

    @Test
    void clients_with_different_limits_do_not_share_what_they_are_sent() {
        reviews.know("t-carl", "carl");
        reviews.permit("carl", "c");
        String[] carl = {"Authorization", "Bearer t-carl"};
        String watch =
                "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        + "&allowWatchBookmarks=true";
        try (WatchClient first = client.watch(watch, BOB);
                WatchClient second = client.watch(watch, carl)) {
            assertThat(first.brief()).contains("one");
            assertThat(first.brief()).contains("three");
            assertThat(first.brief()).startsWith("BOOKMARK");
            assertThat(second.brief()).contains("four");
            assertThat(second.brief()).startsWith("BOOKMARK");
        }
        String tag = client.get("/api/v1/pods", BOB).headers().firstValue("ETag").orElseThrow();
        assertThat(
                        client.get(
                                        "/api/v1/pods",
                                        "Authorization",
                                        "Bearer t-carl",
                                        "If-None-Match",
                                        tag)
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void stream_limits_each_of_its_resources() {
        try (WatchClient stream = client.watch(STREAM, BOB)) {
            String begin = stream.next();
            String then = stream.next();
            assertThat(begin + then).contains("one").contains("three").doesNotContain("four");
            served.writer().upsert(ApiSamples.object("c", "hidden", 101));
            served.writer().upsert(ApiSamples.object("a", "seen", 102));
            String line = stream.next();
            while (!line.contains("seen")) {
                assertThat(line).doesNotContain("hidden");
                line = stream.next();
            }
        }
    }

    @Test
    void stream_ends_when_the_client_may_read_another_namespace() {
        try (WatchClient stream = client.watch(STREAM, BOB)) {
            assertThat(stream.next() + stream.next()).contains("one").contains("three");
            reviews.permit("bob", "c");
            pass();

            expectEndOfStream(stream);
        }
        try (WatchClient stream = client.watch(STREAM, BOB)) {
            String line = stream.next();
            while (!line.contains("four")) {
                line = stream.next();
            }
        }
    }

    @Test
    void stream_of_all_namespaces_ends_when_the_client_may_read_some() {
        reviews.permit("bob");
        try (WatchClient stream = client.watch(STREAM, BOB)) {
            assertThat(stream.next()).contains("two");
            reviews.forbid("bob");
            pass();

            expectEndOfStream(stream);
        }
    }

    /** As when a limit was forgotten. */
    @Test
    void stream_ends_when_an_access_control_without_its_limit_finds_another_one() {
        try (WatchClient stream = client.watch(STREAM, BOB)) {
            assertThat(stream.next()).contains("one");
            reviews.forbid("bob", "b");
            access.set(limiting());

            expectEndOfStream(stream);
        }
    }

    /** The stream says that a state is lost, and shows nothing that the client may not read now. */
    private void expectEndOfStream(WatchClient stream) {
        String line = stream.next();
        while (!line.contains("\"ERROR\"")) {
            line = stream.next();
        }
        assertThat(line).contains("\"code\":410");
        served.writer().upsert(ApiSamples.object("c", "hidden", 200));
        served.writer().upsert(ApiSamples.object("a", "late", 201));
        line = stream.next();
        while (line.startsWith("{")) {
            assertThat(line).doesNotContain("hidden").doesNotContain("four");
            line = stream.next();
        }
        assertThat(line).isEqualTo(WatchClient.CLEAN_END);
    }

    @Test
    void watch_expires_when_the_client_may_read_another_namespace() {
        try (WatchClient watch = watchAfterList()) {
            reviews.permit("bob", "c");
            pass();

            expectExpired(watch);
        }
        assertThat(names(client.get("/api/v1/pods", BOB).body()))
                .containsExactly("one", "three", "four");
    }

    @Test
    void watch_expires_when_the_client_may_read_one_namespace_less() {
        try (WatchClient watch = watchAfterList()) {
            reviews.forbid("bob", "b");
            pass();

            expectExpired(watch);
        }
        String body = client.get("/api/v1/pods", BOB).body();
        assertThat(names(body)).as(body).containsExactly("one");
    }

    @Test
    void watch_expires_when_the_client_may_read_all_namespaces() {
        try (WatchClient watch = watchAfterList()) {
            reviews.permit("bob");
            pass();

            expectExpired(watch);
        }
        served.writer().upsert(ApiSamples.object("c", "later", 120));
        assertThat(client.get("/api/v1/pods", BOB).headers().firstValue("Kubemirror-Namespaces"))
                .isEmpty();
    }

    @Test
    void watch_of_all_namespaces_expires_when_the_client_may_read_some() {
        reviews.permit("bob");
        try (WatchClient watch = watchAfterList()) {
            reviews.forbid("bob");
            pass();

            expectExpired(watch);
        }
    }

    @Test
    void client_does_not_continue_where_it_has_seen_other_namespaces() {
        String page = client.get("/api/v1/pods?limit=1", BOB).body();
        String token = ApiClient.tree(page).at("/metadata/continue").asString();
        served.writer().upsert(ApiSamples.object("a", "later", 110));
        reviews.permit("bob", "c");
        pass();
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(200);

        try (WatchClient watch = client.watch("/api/v1/pods?watch=1&resourceVersion=105", BOB)) {
            expectExpired(watch);
        }
        assertThat(
                        client.get(
                                        "/api/v1/pods?resourceVersion=105"
                                                + "&resourceVersionMatch=Exact",
                                        BOB)
                                .statusCode())
                .isEqualTo(410);
        assertThat(client.get("/api/v1/pods?limit=1&continue=" + token, BOB).statusCode())
                .isEqualTo(410);
        try (WatchClient watch = client.watch("/api/v1/pods?watch=1&resourceVersion=110", BOB)) {
            served.writer().upsert(ApiSamples.object("c", "newest", 111));
            assertThat(watch.brief()).contains("newest");
        }
    }

    /** Nothing tells the state that it has seen from the present one. */
    @Test
    void client_of_a_quiet_mirror_does_not_continue_where_it_has_seen_other_namespaces() {
        watchAfterList().close();
        reviews.permit("bob", "c");
        pass();
        expectExpiredUntilListed();
    }

    /** The access control before may have limited it. */
    @Test
    void client_does_not_continue_under_an_access_control_that_does_not_know_its_limit() {
        reviews.permit("bob");
        watchAfterList().close();
        access.set(limiting());

        expectExpiredUntilListed();
    }

    /** It has not seen the namespaces of its limit. */
    @Test
    void client_does_not_continue_after_a_list_that_nobody_has_answered() {
        policy = new ReadPolicy.Whole(ReadMode.VERIFY, null);
        server.isAt(111);
        assertThat(client.get("/api/v1/pods?timeout=1s", BOB).statusCode()).isEqualTo(504);

        try (WatchClient watch = client.watch(CONTINUES, BOB)) {
            expectExpired(watch);
        }
    }

    @Test
    void watch_that_begins_with_its_state_continues_without_a_list() {
        try (WatchClient watch = client.watch("/api/v1/pods?watch=1", BOB)) {
            assertThat(watch.brief()).contains("one");
        }
        try (WatchClient watch = client.watch(CONTINUES, BOB)) {
            served.writer().upsert(ApiSamples.object("a", "newest", 111));
            assertThat(watch.brief()).contains("newest");
        }
    }

    @Test
    void watch_needs_its_permission_wherever_the_client_may_list() {
        reviews.permitList("bob", "c");

        assertThat(names(client.get("/api/v1/pods", BOB).body()))
                .containsExactly("one", "three", "four");
        assertThat(client.get(CONTINUES, BOB).body())
                .contains("\"code\":403")
                .contains("cannot watch resource");
    }

    @Test
    void identities_of_one_name_in_different_groups_do_not_end_the_watches_of_each_other() {
        reviews.know("t-other", new Identity("bob", "", List.of("operators"), Map.of()));
        reviews.permit("operators");
        try (WatchClient watch = watchAfterList()) {
            String[] other = {"Authorization", "Bearer t-other"};
            assertThat(names(client.get("/api/v1/pods", other).body())).hasSize(4);
            served.writer().upsert(ApiSamples.object("a", "newest", 111));

            assertThat(watch.brief()).contains("newest");
        }
    }

    @Test
    void limit_survives_api_server_outage_for_the_grace_period_only() {
        try (WatchClient watch = watchAfterList()) {
            reviews.away(true);
            int asked = reviews.asked();
            pass();
            Awaitility.await().until(() -> reviews.asked() > asked);
            assertThat(names(client.get("/api/v1/pods", BOB).body()))
                    .containsExactly("one", "three");
            served.writer().upsert(ApiSamples.object("c", "hidden", 101));
            served.writer().upsert(ApiSamples.object("b", "seen", 102));
            assertThat(watch.brief()).startsWith("ADDED").contains("seen");

            now.addAndGet(GRACE.toNanos());
            watch.expectCleanEnd();
        }
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(503);
    }

    @Test
    void watch_ends_when_no_namespace_is_left() {
        // A check that has read one of two as permitted would find that one alone.
        reviews.forbid("bob", "b");
        try (WatchClient watch = watchAfterList()) {
            reviews.forbid("bob", "a");
            pass();

            watch.expectCleanEnd();
        }
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(403);
    }

    /** Clients take 403 as final. */
    @Test
    void client_is_told_to_come_again_while_the_mirror_has_no_content() {
        served.writer().drop();

        HttpResponse<String> answer = client.get("/api/v1/pods", BOB);

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.headers().firstValue("Kubemirror-Namespaces")).isEmpty();
        ApiSamples.synchronize(served.writer(), 200, ApiSamples.object("a", "one", 150));
        String body = client.get("/api/v1/pods", BOB).body();
        assertThat(names(body)).as(body).containsExactly("one");
    }

    @Test
    void watch_goes_on_when_a_namespace_has_lost_its_last_object() {
        try (WatchClient watch = watchAfterList()) {
            served.writer().delete(ObjectKey.of("a", "one"), new Revision("101"));
            assertThat(watch.next()).contains("DELETED").contains("one");
            pass();
            assertThat(client.get("/api/v1/pods?watch=1&timeoutSeconds=1", BOB).statusCode())
                    .isEqualTo(200);
            served.writer().upsert(ApiSamples.object("a", "new", 102));

            assertThat(watch.next()).contains("ADDED").contains("new");
        }
    }

    @Test
    void namespace_that_gets_its_first_object_is_seen_after_the_next_check() {
        reviews.permit("bob", "d");
        try (WatchClient watch = watchAfterList()) {
            served.writer().upsert(ApiSamples.object("d", "first", 101));

            expectExpired(watch);
        }
        assertThat(names(client.get("/api/v1/pods", BOB).body()))
                .containsExactly("one", "three", "first");
    }

    private void expectExpiredUntilListed() {
        try (WatchClient watch = client.watch(CONTINUES, BOB)) {
            expectExpired(watch);
        }
        try (WatchClient watch = watchAfterList()) {
            served.writer().upsert(ApiSamples.object("c", "newest", 111));
            assertThat(watch.brief()).contains("newest");
        }
    }

    private WatchClient watchAfterList() {
        assertThat(client.get("/api/v1/pods", BOB).statusCode()).isEqualTo(200);
        return client.watch(CONTINUES, BOB);
    }

    private static List<String> names(String list) {
        List<String> names = new ArrayList<>();
        ApiClient.tree(list)
                .at("/items")
                .forEach(item -> names.add(item.at("/metadata/name").asString()));
        return names;
    }

    private static void expectExpired(WatchClient watch) {
        String line = watch.next();
        while (!line.contains("\"ERROR\"")) {
            assertThat(line).doesNotContain("hidden").startsWith("{");
            line = watch.next();
        }
        assertThat(line).contains("\"code\":410").contains("\"Expired\"");
    }

    private void pass() {
        now.addAndGet(ALLOWED.toNanos());
    }
}
