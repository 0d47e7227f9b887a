package io.kubemirror.feature.union;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Tests requests for all namespaces where several are mirrored (list-watch.md#unions). */
class UnionTest {

    private final UnionApi api =
            new UnionApi(ApiFixture.scope("pods", "a"), ApiFixture.scope("pods", "b"));
    private final ApiFixture served = api.served;
    private final MirrorWriter a = served.writer(0);
    private final MirrorWriter b = served.writer(1);
    private final ApiClient client = served.client();

    @BeforeEach
    void fill() {
        a.identify(ApiSamples.PODS, DeclaredFields.NONE);
        b.identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(
                a,
                110,
                ApiSamples.object("a", "x", 101, "v"),
                ApiSamples.object("a", "y", 103, "w"));
        ApiSamples.synchronize(b, 110, ApiSamples.object("b", "x", 102, "v"));
        awaitRevision(110);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void awaitRevision(long revision) {
        Awaitility.await()
                .until(() -> api.union().revision().equals(KubeObjects.revision(revision)));
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            JsonNode metadata = item.path("metadata");
            names.add(
                    metadata.path("namespace").asString() + "/" + metadata.path("name").asString());
        }
        return names;
    }

    private static String revision(JsonNode list) {
        return list.path("metadata").path("resourceVersion").asString();
    }

    @Test
    void list_of_all_namespaces_has_one_revision_and_names_its_namespaces() {
        HttpResponse<String> answer = client.get("/api/v1/pods");

        JsonNode list = ApiClient.tree(answer.body());
        assertThat(names(list)).containsExactly("a/x", "a/y", "b/x");
        assertThat(revision(list)).isEqualTo("110");
        assertThat(answer.headers().firstValue("Kubemirror-Namespaces")).contains("a, b");
        assertThat(answer.headers().firstValue("ETag")).isPresent();
        assertThat(client.get("/api/v1/namespaces/a/pods").headers().map())
                .doesNotContainKey("Kubemirror-Namespaces");
    }

    @ParameterizedTest
    @CsvSource({
        "labelSelector=app%3Dv, a/x b/x",
        "fieldSelector=metadata.name%3Dx, a/x b/x",
        "fieldSelector=metadata.namespace%3Db, b/x",
        "fieldSelector=metadata.namespace%21%3Db, a/x a/y",
        "labelSelector=app%3Dnone, ''"
    })
    void selectors_apply_to_all_namespaces(String query, String expected) {
        assertThat(String.join(" ", names(client.json("/api/v1/pods?" + query))))
                .isEqualTo(expected);
    }

    /** A namespace may be ahead. No client sees an earlier state after a later one. */
    @Test
    void most_recent_list_waits_for_what_the_namespaces_show() {
        a.upsert(ApiSamples.object("a", "z", 112));

        HttpResponse<String> recent = client.get("/api/v1/pods");
        assertThat(recent.statusCode()).isEqualTo(429);
        assertThat(recent.body()).contains("clients have already seen revision 112");
        assertThat(
                        client.get(
                                        "/api/v1/pods?watch=1&resourceVersionMatch=NotOlderThan"
                                            + "&sendInitialEvents=true&allowWatchBookmarks=true")
                                .statusCode())
                .isEqualTo(429);
        assertThat(names(client.json("/api/v1/pods?resourceVersion=0"))).doesNotContain("a/z");
        assertThat(client.get("/api/v1/pods?resourceVersion=112").statusCode()).isEqualTo(504);
        assertThat(names(client.json("/api/v1/namespaces/a/pods"))).contains("a/z");

        b.bookmark(KubeObjects.revision(112));

        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(names(client.json("/api/v1/pods"))).contains("a/z"));
    }

    @Test
    void bookmark_of_one_namespace_does_not_make_lists_wait() {
        a.bookmark(KubeObjects.revision(500));

        assertThat(client.get("/api/v1/pods").statusCode()).isEqualTo(200);
    }

    @Test
    void watch_has_the_events_of_all_namespaces_in_order_and_resumes_at_each() {
        try (WatchClient watch = client.watch("/api/v1/pods?watch=1&resourceVersion=110")) {
            assertThat(watch.header("kubemirror-namespaces")).isEqualTo("a, b");
            a.upsert(ApiSamples.object("a", "z", 115));
            b.upsert(ApiSamples.object("b", "z", 112));
            ApiSamples.delete(b, "b", "x", 116);
            a.bookmark(KubeObjects.revision(116));

            assertThat(watch.brief()).isEqualTo("ADDED b/z 112");
            assertThat(watch.brief()).isEqualTo("ADDED a/z 115");
            assertThat(watch.brief()).isEqualTo("DELETED b/x 116");
        }
        try (WatchClient watch = client.watch("/api/v1/pods?watch=1&resourceVersion=112")) {
            assertThat(watch.brief()).isEqualTo("ADDED a/z 115");
            assertThat(watch.brief()).isEqualTo("DELETED b/x 116");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/c/pods",
                "/api/v1/namespaces/c/pods?watch=1",
                "/api/v1/namespaces/c/pods/x",
                "/api/v1/pods?fieldSelector=metadata.namespace%3Dc"
            })
    void namespace_that_is_not_mirrored_is_still_refused(String path) {
        HttpResponse<String> answer = client.get(path);

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("kubemirror mirrors only pods/a, pods/b;");
    }

    @Test
    void object_is_read_from_its_namespace_which_may_be_ahead() {
        a.upsert(ApiSamples.object("a", "x", 112));

        HttpResponse<String> answer = client.get("/api/v1/namespaces/a/pods/x");

        assertThat(answer.body()).contains("\"resourceVersion\":\"112\"");
        assertThat(answer.headers().map()).doesNotContainKey("Kubemirror-Namespaces");
    }

    @Test
    void long_list_of_namespaces_is_cut() {
        Scope[] many =
                IntStream.range(0, 60)
                        .mapToObj(i -> ApiFixture.scope("pods", "namespace-%020d".formatted(i)))
                        .toArray(Scope[]::new);
        try (UnionApi large = new UnionApi(many)) {
            for (int i = 0; i < many.length; i++) {
                large.served.writer(i).identify(ApiSamples.PODS, DeclaredFields.NONE);
                ApiSamples.synchronize(large.served.writer(i), 110);
            }
            Awaitility.await().until(() -> large.union().snapshot().isPresent());

            String names =
                    large.served
                            .client()
                            .get("/api/v1/pods")
                            .headers()
                            .firstValue("Kubemirror-Namespaces")
                            .orElseThrow();

            assertThat(names)
                    .startsWith("namespace-00000000000000000000, namespace-00000000000000000001, ")
                    .endsWith(", and 29 more")
                    .hasSizeLessThan(1_050);
        }
    }

    /** After a restart, one namespace may have a file on disk and another none. */
    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/a/pods, 200",
        "/api/v1/namespaces/b/pods, 429",
        "/api/v1/namespaces/b/pods?watch=1, 429",
        "/api/v1/namespaces/b/pods?fieldSelector=spec.nodeName%3Dn, 429",
        "/api/v1/namespaces/b/pods/x, 429",
        "/api/v1/namespaces/c/pods, 403",
        "/api/v1/pods, 429"
    })
    void configured_namespace_without_a_resolved_type_is_initializing(String path, int code) {
        try (UnionApi restarted =
                new UnionApi(ApiFixture.scope("pods", "a"), ApiFixture.scope("pods", "b"))) {
            restarted.served.writer(0).identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(
                    restarted.served.writer(0), 110, ApiSamples.object("a", "x", 101, "v"));

            assertThat(restarted.served.client().get(path).statusCode()).isEqualTo(code);
        }
    }

    @Test
    void state_of_a_union_follows_its_members() {
        try (WatchClient watch =
                client.watch(
                        "/api/v1/pods?watch=1&resourceVersion=110",
                        "Accept",
                        "text/event-stream")) {
            assertThat(watch.next()).startsWith("retry: ");
            assertThat(watch.next()).isEmpty();

            a.report(new UpstreamStatus(Phase.BACKING_OFF, Instant.EPOCH, Instant.EPOCH, ""));

            assertThat(watch.next()).isEqualTo("event: STATE");
            assertThat(watch.next()).contains("\"state\":\"stale\"");
        }
    }

    @Test
    void metrics_of_a_union_have_a_namespace_of_their_own() {
        assertThat(served.meters())
                .anyMatch(name -> name.contains("watches.open") && name.contains("namespace=*"));
    }

    private static List<String> together(Permission.OnResource wanted, Scope... scopes) {
        List<Mirror> mirrors =
                Stream.of(scopes).map(scope -> Mirrors.of(scope, Mirrors.window())).toList();
        return new MirrorDirectory(MirrorSets.of(mirrors), ApiFixture.POLICIES, () -> 0, () -> true)
                .namespacesTogether(wanted);
    }

    /** The permission that a request for all namespaces needs in their place. */
    @Test
    void permissions_in_all_mirrored_namespaces_replace_one_for_all() {
        Scope union =
                new Scope(
                        ApiFixture.scope("pods", "a").resource(),
                        Selection.everything(),
                        ApiFixture.scope("pods", "a").extent(),
                        true);
        Scope one = ApiFixture.scope("pods", "a");
        Scope other = ApiFixture.scope("pods", "b");
        Scope outside = ApiFixture.scope("pods", "c");
        Scope all = ApiFixture.scope("pods", "");
        Permission.OnResource list = new Permission.OnResource(Verb.LIST, "", "v1", "pods", "", "");
        Permission.OnResource get = new Permission.OnResource(Verb.GET, "", "v1", "pods", "", "x");
        Permission.OnResource services =
                new Permission.OnResource(Verb.LIST, "", "v1", "services", "", "");

        assertThat(together(list, one, other, union)).containsExactly("a", "b");
        assertThat(together(list, one, other, outside, union))
                .as("a field selector may name any of them")
                .containsExactly("a", "b", "c");
        assertThat(together(list, one, other)).isEmpty();
        assertThat(together(list, one, other, union, all)).as("all may answer").isEmpty();
        assertThat(together(get, one, other, union)).isEmpty();
        assertThat(together(services, one, other, union)).isEmpty();
        assertThat(together(list.in("a"), one, other, union)).isEmpty();
    }

    /** The read API with parts of a collection, which a test writes, and all of them together. */
    private static final class UnionApi implements AutoCloseable {

        private final List<UnionReflector> reflectors = new ArrayList<>();
        final ApiFixture served;

        UnionApi(Scope... scopes) {
            Scope all =
                    new Scope(
                            scopes[0].resource(), Selection.everything(), scopes[0].extent(), true);
            served = ApiFixture.of(mirrors -> List.of(unite(all, mirrors)), List.of(scopes));
        }

        private Mirror unite(Scope all, List<Mirror> members) {
            Mirror union = new UnionMirror(all, members);
            reflectors.add(
                    new UnionReflector(
                            new MirrorUnion(
                                    Mirrors.writer(union, System::nanoTime),
                                    (_, _) -> {},
                                    System::nanoTime),
                            Strategy.AUTO,
                            _ -> {}));
            reflectors.getFirst().start();
            return union;
        }

        /** The mirror of all parts together. */
        Mirror union() {
            return reflectors.getFirst().mirror();
        }

        @Override
        public void close() {
            served.close();
            reflectors.forEach(UnionReflector::close);
        }
    }
}
