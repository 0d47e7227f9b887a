package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** What reads wait for after an answer of the API server, and what they ask it. */
class AnswerTrackerTest {

    private static final Map<String, String> NONE = Map.of();

    private final WrittenServer server = new WrittenServer();

    private void assertNextEventsAreAwaited() {
        assertThat(server.now()).isEmpty();
        server.deliverAll();
        assertThat(server.now()).isPresent();
    }

    @Test
    void write_tells_its_revision_and_the_next_read_waits_for_it() {
        AnswerTracker write = server.begin("PUT", WrittenServer.pathOf("a/x"));
        KubeObject object = server.put("a/x", "u", NONE);

        assertThat(WrittenServer.answer(write, 200, WrittenServer.json(object)))
                .isEqualTo(Map.of("Kubemirror-Min-Revision", object.revision().digits()));
        assertNextEventsAreAwaited();
        assertThat(server.requests).isEmpty();
    }

    @Test
    void deletion_tells_the_newest_revision_of_the_server() {
        KubeObject object = server.put("a/x", "u", NONE);
        server.deliverAll();
        AnswerTracker write = server.begin("DELETE", WrittenServer.pathOf("a/x"));
        server.remove("a/x");

        assertThat(WrittenServer.answer(write, 200, WrittenServer.deleted(object)))
                .isEqualTo(Map.of("Kubemirror-Min-Revision", "3"));
        assertThat(server.requests).hasSize(1);
        assertNextEventsAreAwaited();
    }

    /** A client that gets one of these has seen a newer state than the mirror may have. */
    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/feature/forward/refusals.csv", quoteCharacter = '\'')
    void refusal_proves_a_newer_state(String method, String path, int code) {
        server.put("a/x", "u", NONE);
        WrittenServer.answer(server.begin(method, path), code, "{\"kind\":\"Status\"}");
        assertNextEventsAreAwaited();
        assertThat(server.requests).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/a/pods/x,"
                + " '{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"2\"}}', 0",
        "/api/v1/pods, '{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"2\"}}', 0",
        "/api/v1/pods, 'kind: PodList', 1"
    })
    void read_that_the_server_has_answered_is_not_followed_by_an_earlier_state(
            String path, String body, int requests) {
        server.put("a/x", "u", NONE);
        String type = requests == 0 ? "application/json" : "application/yaml";
        WrittenServer.answer(
                server.begin("GET", path), 200, type, body.getBytes(StandardCharsets.UTF_8));
        assertNextEventsAreAwaited();
        assertThat(server.requests).hasSize(requests);
    }

    /** The answer has the revision of the state before. */
    @Test
    void update_that_removes_the_last_finalizer_is_a_deletion() {
        KubeObject object = server.put("a/x", "u", NONE);
        server.deliverAll();
        AnswerTracker write = server.begin("PATCH", WrittenServer.pathOf("a/x"));
        server.remove("a/x");
        WrittenServer.answer(
                write,
                200,
                WrittenServer.json(object)
                        .replace(
                                "\"uid\"",
                                "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
                                        + "\"deletionGracePeriodSeconds\":0,\"uid\""));
        assertNextEventsAreAwaited();
    }

    @Test
    void deletion_of_a_collection_asks_for_progress_of_a_quiet_mirror() {
        server.put("a/x", "u", NONE);
        server.deliverAll();
        AnswerTracker write = server.begin("DELETE", "/api/v1/namespaces/a/pods");
        server.remove("a/x");
        server.tick();
        WrittenServer.answer(write, 200, "{\"kind\":\"PodList\",\"metadata\":{},\"items\":[]}");
        server.deliverAll();

        assertThat(server.later()).isEmpty();
        assertThat(server.progress).contains(KubeObjects.revision(4));
        server.bookmark();
        assertThat(server.now()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /api/v1/namespaces/a/pods/x, 403",
        "POST, /api/v1/namespaces/a/pods, 429",
        "POST, /api/v1/namespaces/a/pods/x/exec, 200",
        "POST, /api/v1/namespaces/a/serviceaccounts/x/token, 201",
        "PUT, /api/v1/namespaces/a/configmaps/x, 200",
        "GET, /api/v1/namespaces/a/pods/x/log, 200"
    })
    void no_read_waits_for_what_changes_no_mirrored_object(String method, String path, int code) {
        WrittenServer.answer(
                server.begin(method, path),
                code,
                WrittenServer.json(KubeObjects.object("a/x", 99)));

        assertThat(server.now()).isPresent();
    }

    @Test
    void lost_answer_and_server_error_are_looked_up() {
        server.begin("PUT", WrittenServer.pathOf("a/x")).unanswered();
        assertThat(server.now()).isEmpty();
        assertThat(server.later()).isPresent();

        WrittenServer.answer(server.begin("PUT", WrittenServer.pathOf("a/x")), 504, "{}");
        assertThat(server.now()).isEmpty();
        assertThat(server.later()).isPresent();
        assertThat(server.requests).hasSize(2);
    }

    @Test
    void metadata_beyond_what_is_read_ahead_is_looked_up() {
        KubeObject object = server.put("a/x", "u", NONE);
        String json = WrittenServer.json(object);
        String late = "{\"data\":\"" + "d".repeat(200_000) + "\"," + json.substring(1);
        WrittenServer.answer(server.begin("PUT", WrittenServer.pathOf("a/x")), 200, late);
        assertThat(server.requests).hasSize(1);
        assertNextEventsAreAwaited();
    }

    @Test
    void write_of_a_type_that_had_no_mirror_counts_for_the_next_one() {
        Mirror next = new WrittenServer().mirror;
        server.mirrors.update(List.of());
        server.update("a/x", "u", NONE);
        server.mirrors.update(List.of(next));

        assertThat(server.read(next, Revision.ZERO, Duration.ZERO)).isEmpty();
    }

    @Test
    void write_that_ends_after_its_mirror_is_not_shown_by_it() {
        AnswerTracker write = server.begin("PUT", WrittenServer.pathOf("a/x"));
        server.mirrors.update(List.of());
        WrittenServer.answer(write, 200, WrittenServer.json(server.put("a/x", "u", NONE)));

        assertThat(server.later()).isEmpty();
    }

    /** The API server may store it elsewhere, with revisions of its own. */
    @Test
    void write_is_looked_up_where_a_mirror_has_another_source() {
        server.discovered = false;
        AnswerTracker write = server.begin("PUT", WrittenServer.pathOf("a/x"));
        WrittenServer.answer(write, 200, WrittenServer.json(server.put("a/x", "u", NONE)));
        assertThat(server.requests).hasSize(1);
        assertNextEventsAreAwaited();
    }

    @Test
    void lost_writes_of_the_history_before_a_backup_are_forgotten_if_the_mirror_missed_it() {
        WrittenServer.answer(
                server.begin("PUT", WrittenServer.pathOf("a/x")),
                200,
                WrittenServer.json(KubeObjects.object("a/x", 99)));
        assertThat(server.now()).isEmpty();

        assertThat(server.later()).isPresent();
    }

    @Test
    void write_that_is_answered_while_the_server_is_asked_is_not_taken_for_lost() {
        server.update("a/x", "u", NONE);
        server.deliverAll();
        server.begin("PUT", WrittenServer.pathOf("a/x")).unanswered();
        server.whileAsked = () -> server.update("a/x", "u", NONE);
        assertThat(server.later()).as("a read from before the second answer").isPresent();
        assertThat(server.later()).isEmpty();

        server.deliver();
        assertThat(server.now()).isPresent();
    }

    @Test
    void legacy_binding_changes_its_pod() {
        AnswerTracker write = server.begin("POST", "/api/v1/namespaces/a/bindings");
        server.put("a/x", "u", NONE);
        WrittenServer.answer(
                write, 201, "{\"kind\":\"Status\",\"metadata\":{},\"status\":\"Success\"}");

        assertNextEventsAreAwaited();
    }

    @Test
    void revision_is_known_before_the_items_arrive() {
        InputStream items =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new AssertionError("the items are parsed");
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) {
                        return read();
                    }
                };
        InputStream head = bytes("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");

        assertThat(revision(new SequenceInputStream(head, items))).contains(new Revision("7"));
    }

    @Test
    void revision_is_found_behind_the_items() {
        assertThat(
                        revision(
                                bytes(
                                        "{\"items\":[{\"metadata\":{\"resourceVersion\":\"3\"}}],"
                                                + "\"metadata\":{\"resourceVersion\":\"7\"}}")))
                .contains(new Revision("7"));
    }

    private static Optional<Revision> revision(InputStream document) {
        return AnswerTracker.revision("application/json;charset=utf-8", document, false);
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }
}
