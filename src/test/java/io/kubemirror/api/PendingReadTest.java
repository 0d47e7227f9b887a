package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads that must not be before a revision that the mirror has not reached. The API server answers
 * them, but never in the place of a mirror that hides a part of each object, because it answers
 * with all of it (list-watch.md#ca-4c).
 */
class PendingReadTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";
    private static final String MIN = "Kubemirror-Min-Revision";

    private static final FakeForwardingApi SERVER = new FakeForwardingApi();

    private static final ReadPolicy HIDING =
            new ReadPolicy(ReadMode.CACHE, false, null, "drop=\"data\"", List.of());

    @AutoClose
    private static final ApiFixture SERVED = ApiFixture.golden(beans(_ -> Mirrors.READS));

    @AutoClose private static final ApiFixture HIDDEN = ApiFixture.golden(beans(_ -> HIDING));

    private final RestClient client = SERVED.client();
    private final RestClient hidden = HIDDEN.client();

    private static Map<String, Object> beans(ApiFixture.Reads reads) {
        return Map.of("server", SERVER, "reads", reads);
    }

    PendingReadTest() {
        // Learns that the history is gone.
        SERVER.isAt(1);
        for (ApiFixture one : List.of(SERVED, HIDDEN)) {
            one.writer().resync().complete(KubeObjects.revision(1));
            assertThat(one.client().get(PODS + "?resourceVersion=0").code()).isEqualTo(200);
            one.restoreGolden();
        }
        SERVER.reset();
        SERVER.answersAt(120);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/pending-reads.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void read_is_answered_by_who_may_answer_it_and_can(
            String mirror, String target, String min, int code, int forwarded, String part) {
        boolean whole = mirror.equals("whole");
        if (!whole) {
            SERVER.isAt(240);
        }

        RestResponse answer = (whole ? client : hidden).get(target, MIN, min);

        assertThat(answer.code()).isEqualTo(code);
        assertThat(SERVER.forwarded).hasSize(forwarded);
        assertThat(answer.headers() + answer.body()).containsIgnoringCase(part);
    }

    @ParameterizedTest
    @ValueSource(longs = {90, 110, 240})
    void page_is_never_that_of_the_api_server(long revision) {
        String token = ContinueToken.after(KubeObjects.revision(revision), "a/x").encode();

        SERVER.isAt(240);

        hidden.get(PODS + "?limit=1&continue=" + token, MIN, "99999999");
        assertThat(SERVER.forwarded).isEmpty();
    }

    private static Scope labeled(String namespace, Extent extent, String labels) {
        LabelSelector selector = Unchecked.call(() -> LabelSelectorParser.parse(labels));
        return new Scope(
                new ResourceName("pods"),
                new Selection(namespace, selector, FieldSelector.everything()),
                extent);
    }

    /** Mirrors of parts, none of which reaches what clients ask for. */
    private ApiFixture parts(Scope... scopes) {
        ApiFixture parts =
                ApiFixture.of(
                        beans(scope -> scope.extent() == Extent.METADATA ? HIDING : Mirrors.READS),
                        scopes);
        for (int i = 0; i < scopes.length; i++) {
            parts.writer(i).identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(parts.writer(i), 110);
        }
        return parts;
    }

    static Stream<Arguments> lateMirrors() {
        Scope shown = labeled("a", Extent.WHOLE, "public=true");
        return Stream.of(
                // The API server does not know which objects are mirrored (list-watch.md#ca-7).
                arguments(shown, labeled("b", Extent.WHOLE, "public=true"), 403, 0),
                arguments(
                        labeled("", Extent.WHOLE, "public=true"),
                        labeled("", Extent.METADATA, ""),
                        504,
                        0),
                arguments(
                        labeled("a", Extent.WHOLE, ""), labeled("b", Extent.METADATA, ""), 200, 1));
    }

    @ParameterizedTest
    @MethodSource("lateMirrors")
    void only_a_whole_object_of_a_late_mirror_of_its_namespace_is_read_from_the_api_server(
            Scope one, Scope other, int code, int forwarded) {
        try (ApiFixture parts = parts(one, other)) {
            assertThat(parts.client().get(X, MIN, "115").code()).isEqualTo(code);
            assertThat(SERVER.forwarded).hasSize(forwarded);
        }
    }

    /** The last write may have taken it out of what the mirror selects. */
    @Test
    void selected_object_of_a_late_mirror_is_not_read_from_the_api_server() {
        try (ApiFixture part = parts(labeled("", Extent.WHOLE, "app=v"))) {
            part.writer().upsert(ApiSamples.object("a", "x", 111, "v"));

            assertThat(part.client().get(X, MIN, "111").code()).isEqualTo(200);
            assertThat(part.client().get(X, MIN, "115").code()).isEqualTo(504);
            assertThat(SERVER.forwarded).isEmpty();
        }
    }
}
