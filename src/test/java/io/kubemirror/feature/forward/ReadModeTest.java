package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests which server answers reads of the newest state, and that no answer is older than an earlier
 * one.
 */
class ReadModeTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";

    private static final FakeForwardingApi SERVER = new FakeForwardingApi();
    @AutoClose private static final ApiFixture SERVED = served(ReadMode.VERIFY);

    /** A revision that the mirror does not reach. */
    private static final long LATER = 900;

    private final FakeForwardingApi server = SERVER;
    private final RestClient client = SERVED.client();

    /** The mirror knows a field that the API server does not. */
    private static ApiFixture served(ReadMode mode) {
        List<SelectableField> indexed = List.of(SelectableField.at("spec.color"));
        ApiFixture.Reads reads = _ -> new ReadPolicy(mode, true, null, "", indexed);
        return ApiFixture.of(Map.of("server", SERVER, "reads", reads), "pods");
    }

    ReadModeTest() {
        SERVED.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
        SERVED.writer().resync().complete(KubeObjects.revision(1));
        // Learns that the history is gone. The server is not away meanwhile, because a read that a
        // test before has given up may still ask for its revision.
        server.isAt(1);
        assertThat(client.get(PODS + "?resourceVersion=0").code()).isEqualTo(200);
        SERVED.restoreGolden();
        server.reset();
        server.isAt(LATER);
    }

    @Test
    void proxied_list_is_the_unmodified_api_server_response() {
        String body = "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"140\"},  \"x\":1}";
        server.answers(_ -> FakeForwardingApi.answer(200, "application/json;x=y", body));

        RestResponse answer =
                client.get(
                        PODS + "?labelSelector=app%20in%20(a,b)&limit=7&timeout=9s&limit=8",
                        "Accept",
                        "application/json;as=Table;v=v1;g=meta.k8s.io, text/html,"
                                + " application/json",
                        "Accept-Encoding",
                        "identity");

        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(body);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json;x=y");
        assertThat(answer.header("Kubemirror-Revision")).isEqualTo("140");
        assertThat(answer.header("Kubemirror-State")).isEqualTo("proxied");
        assertThat(answer.header("Kubemirror-Upstream-Age")).isEqualTo("0");
        assertThat(server.forwarded)
                .singleElement()
                .satisfies(
                        request -> {
                            assertThat(request.credentials()).isEqualTo(CredentialOwner.KUBEMIRROR);
                            assertThat(request.target())
                                    .isEqualTo(
                                            PODS
                                                    + "?labelSelector=app%20in%20%28a%2Cb%29"
                                                    + "&limit=7&timeout=9s");
                            assertThat(header(request, "Accept"))
                                    .isEqualTo(
                                            "application/json;as=Table;v=v1;g=meta.k8s.io,"
                                                    + " application/json");
                            assertThat(header(request, "Accept-Encoding")).isEqualTo("identity");
                        });
    }

    /** Up to 64 KB are read before they are sent. */
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000_000})
    void proxied_list_keeps_the_compression_of_the_server(int size) {
        byte[] noise = new byte[size];
        new Random(1).nextBytes(noise);
        String body =
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"140\"},\"x\":\"%s\"}"
                        .formatted(HexFormat.of().formatHex(noise));
        server.answers(
                request ->
                        header(request, "Accept-Encoding").equals("gzip")
                                ? FakeForwardingApi.zipped(body)
                                : FakeForwardingApi.answer(200, "application/json", body));
        assertThat(client.get(PODS, "Accept-Encoding", "identity").body()).isEqualTo(body);

        RestResponse encoded = client.get(PODS, "Accept-Encoding", "gzip");
        assertThat(encoded.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(encoded.header("Kubemirror-Revision")).isEqualTo("140");
        // The revision in it has been read: nothing older is served.
        assertThat(client.get(PODS + "?resourceVersion=0").header("Kubemirror-State"))
                .isEqualTo("proxied");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PODS + "?resourceVersion=0",
                PODS + "?resourceVersion=110",
                PODS + "?resourceVersion=110&limit=1",
                X + "?resourceVersion=0",
                PODS + "?watch=1",
                "/api/v1/watch/pods"
            })
    void reads_with_a_revision_and_watches_are_served_by_the_mirror(String path) {
        try (WatchClient answer = SERVED.watch(path)) {
            assertThat(answer.code()).isEqualTo(200);
            assertThat(answer.header("Kubemirror-Revision")).isEqualTo("110");
        }
        assertThat(server.forwarded).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods?resourceVersionMatch=Exact,422",
        "/api/v1/namespaces/a/pods/%2e%2e,400",
        "/api/v1/secrets,404"
    })
    void invalid_requests_are_not_forwarded(String path, int code) {
        // As it is, which an ordinary client would correct.
        try (RawClient raw = RawClient.to(SERVED.port()).ask(path)) {
            assertThat(raw.line()).startsWith("HTTP/1.1 " + code);
        }
        assertThat(server.forwarded).isEmpty();
    }

    @Test
    void upstream_401_and_a_redirect_become_502() {
        Status unauthorized = new Status(401, "Unauthorized", "Unauthorized", null);
        server.answers(_ -> Result.failed(new Failure.Refused(unauthorized)));
        assertThat(client.get(PODS).code()).isEqualTo(502);

        server.answers(_ -> FakeForwardingApi.answer(302, "text/plain", "elsewhere"));
        assertThat(client.get(PODS).code()).isEqualTo(502);
    }

    @Test
    void later_pages_come_from_the_source_of_the_first_page() {
        server.answersAt(140);
        String token = ContinueToken.after(KubeObjects.revision(110), "a/x").encode();

        assertThat(client.get(PODS + "?limit=1&continue=" + token).body()).contains("\"110\"");
        String unknown = ContinueToken.after(KubeObjects.revision(90), "a/x").encode();
        assertThat(client.get(PODS + "?continue=" + unknown).body()).contains("\"140\"");
    }

    /** The mirror is at 110 and receives nothing (list-watch.md#fr-4). */
    @Test
    void reads_never_return_a_revision_older_than_a_proxied_one() {
        assertThat(revisionOf(PODS + "?resourceVersion=0")).isEqualTo("110");
        server.answersAt(140);
        assertThat(revisionOf(PODS)).isEqualTo("140");

        server.answersAt(141);
        assertThat(revisionOf(PODS + "?resourceVersion=0&limit=1")).isEqualTo("141");
        assertThat(server.forwarded).last().extracting(PassedRequest::target).isEqualTo(PODS);
        assertThat(revisionOf(PODS + "?resourceVersion=130")).isEqualTo("141");
        assertThat(revisionOf(PODS + "?resourceVersion=141&resourceVersionMatch=NotOlderThan"))
                .isEqualTo("141");
        client.get(X + "?resourceVersion=0");
        assertThat(server.forwarded).last().extracting(PassedRequest::target).isEqualTo(X);
        assertThat(client.get(PODS + "?watch=1").code()).isEqualTo(429);
        assertThat(client.get("/api/v1/watch/pods").code()).isEqualTo(429);

        SERVED.writer().bookmark(KubeObjects.revision(141));
        assertThat(revisionOf(PODS + "?resourceVersion=0")).isEqualTo("141");
        assertThat(client.get(PODS + "?resourceVersion=0").header("Kubemirror-State"))
                .isNotEqualTo("proxied");
        try (WatchClient watch = SERVED.watch(PODS + "?watch=1")) {
            assertThat(watch.code()).isEqualTo(200);
        }
    }

    @Test
    void exact_past_and_future_revisions_are_not_proxied() {
        // Above all revisions of the history that was forgotten before this test
        // (list-watch.md#re-12).
        server.answersAt(240);
        client.get(PODS);

        assertThat(revisionOf(PODS + "?resourceVersion=110&resourceVersionMatch=Exact"))
                .isEqualTo("110");
        assertThat(client.get(PODS + "?resourceVersion=250").code()).isEqualTo(504);
        try (WatchClient watch = SERVED.watch(PODS + "?watch=1&resourceVersion=240")) {
            ApiSamples.delete(SERVED.writer(), "a", "x", 239);
            ApiSamples.delete(SERVED.writer(), "a", "y", 242);
            assertThat(watch.brief()).isEqualTo("DELETED a/y 242");
        }
    }

    /**
     * A server whose revisions went back, for example after a restore from a backup, causes a break
     * (list-watch.md#re-12).
     */
    @Test
    void mirror_reset_discards_the_proxied_revision() {
        server.answersAt(140);
        client.get(PODS);
        server.isAt(50);
        ApiSamples.synchronize(SERVED.writer(), 50, ApiSamples.object("a", "x", 40));

        assertThat(revisionOf(PODS + "?resourceVersion=0")).isEqualTo("50");
    }

    @Test
    void verified_read_is_served_by_the_mirror_after_a_list_of_one_object() {
        server.isAt(110);

        RestResponse answer = client.get(PODS, "Kubemirror-Max-Age", "0");
        assertThat(answer.header("Kubemirror-Revision")).isEqualTo("110");
        assertThat(answer.header("Kubemirror-Upstream-Age")).isEqualTo("0");
        assertThat(client.get(X).code()).isEqualTo(200);
        assertThat(server.lists)
                .hasSize(2)
                .allSatisfy(
                        request -> {
                            assertThat(request).extracting(ListRequest::limit).isEqualTo(1);
                            assertThat(request).extracting(ListRequest::revision).isNull();
                        });
        assertThat(server.forwarded).isEmpty();
    }

    @Test
    void read_is_proxied_if_verification_times_out() {
        server.isAt(111);
        server.answersAt(112);

        assertThat(revisionOf(PODS)).isEqualTo("112");
    }

    /** An API server without the feature would answer with all objects. */
    @Test
    void list_of_shards_is_verified_and_never_proxied() {
        String shard =
                PODS
                        + "?shardSelector=shardRange(object.metadata.uid,"
                        + "'0x0000000000000000','0x10000000000000000')";
        server.isAt(110);
        server.answersAt(140);
        assertThat(revisionOf(shard)).isEqualTo("110");
        assertThat(revisionOf(shard + "&resourceVersion=0")).isEqualTo("110");

        server.isAt(111);
        assertThat(client.get(shard + "&timeout=1s").code()).isEqualTo(504);
        assertThat(server.forwarded).isEmpty();
    }

    /** The API server would refuse the selector. */
    @ParameterizedTest
    @EnumSource(ReadMode.class)
    void list_by_an_indexed_field_is_never_proxied(ReadMode mode) {
        String red = PODS + "?fieldSelector=spec.color%3Dred";
        server.isAt(110);
        server.answersAt(140);

        try (ApiFixture indexing = served(mode)) {
            ApiSamples.fillWithGoldenPods(indexing.writer());
            for (String query : List.of(red, red + "&limit=1")) {
                assertThat(
                                indexing.client()
                                        .get(query)
                                        .json()
                                        .at("/metadata/resourceVersion")
                                        .asString())
                        .isEqualTo("110");
            }
        }
        assertThat(server.forwarded).isEmpty();
    }

    @Test
    void verified_read_returns_503_if_the_api_server_is_unreachable() {
        server.reset();

        RestResponse answer = client.get(PODS);
        assertThat(answer.code()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.body()).contains("the API server is unavailable: connection refused");
        assertThat(client.get(PODS + "?resourceVersion=0").code()).isEqualTo(200);
    }

    @Test
    void incomplete_mirror_proxies_reads_unless_in_cache_mode() {
        server.answersAt(140);
        try (ApiFixture verified = served(ReadMode.VERIFY);
                ApiFixture cached = served(ReadMode.CACHE)) {
            verified.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
            cached.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);

            assertThat(verified.client().get(PODS).body()).isEqualTo(FakeForwardingApi.list(140));
            RestResponse refused = cached.client().get(PODS);
            assertThat(refused.code()).isEqualTo(429);
            assertThat(refused.body()).contains("storage is (re)initializing");
        }
    }

    private String revisionOf(String path) {
        String body = client.get(path).body();
        return JsonTrees.parse(body).path("metadata").path("resourceVersion").asString();
    }

    private static String header(PassedRequest request, String name) {
        return String.join(", ", request.headers().getOrDefault(name, List.of()));
    }

    @Test
    void target_has_the_escaped_segments_and_parameters() {
        Map<String, String> parameters = Map.of("limit", "", "k", "a+b&\u00fc");

        assertThat(target("", "", Map.of())).isEqualTo("/api/v1/configmaps");
        assertThat(target("a b", "x/../\\..", parameters))
                .isEqualTo(
                        "/api/v1/namespaces/a%20b/configmaps/x%2F..%2F%5C.."
                                + "?k=a%2Bb%26%C3%BC&limit=");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "%2e%2E", "x%"})
    void unsafe_path_segments_are_not_forwarded(String segment) {
        assertThatIllegalArgumentException().isThrownBy(() -> target(segment, "x", Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> target("a", segment, Map.of()));
    }

    private static String target(String namespace, String name, Map<String, String> parameters) {
        return ServerReads.target(ServedTypes.CONFIGMAPS, namespace, name, parameters);
    }
}
