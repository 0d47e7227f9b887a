package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.Auditor.Audit;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests what an audit finds and requests, step by step, without a thread. */
@ExtendWith(OutputCaptureExtension.class)
class AuditorTest extends StateMachineHarness {

    private final Auditor auditor = new Auditor(machine);

    @Test
    void audit_reports_an_equal_mirror_as_consistent_in_any_list_order() {
        watching(120, object("a/x", 101), object("a/y", 102), object("a/z", 103));
        api.listsPage(120, "t1", object("a/z", 103), object("a/x", 101))
                .listsPage(120, null, object("a/y", 102));

        assertThat(auditor.check()).isEqualTo(new Audit.Consistent());

        ResourceCollection metadata =
                new ResourceCollection(
                        PODS, Selection.everything(), ObjectShape.plain(), Extent.METADATA);
        assertThat(api.lists)
                .containsExactly(
                        new ListRequest(metadata, revision(120), RevisionMatch.EXACT, 500, null),
                        new ListRequest(metadata, null, 500, "t1"));
        assertThat(counts.get(Counter.AUDITS_CONSISTENT)).isOne();
        assertThat(machine.resyncRequest.isRequested()).isFalse();
    }

    @Test
    void audit_counts_and_logs_differences_without_object_names(CapturedOutput output) {
        watching(
                120,
                object("a/same", 101),
                object("a/older", 102),
                object("a/replaced", 103),
                object("a/surplus-1", 104),
                object("a/surplus-2", 105));
        api.listsPage(120, "t1", object("a/same", 101), object("a/older", 110))
                .listsPage(
                        120,
                        null,
                        object("a/replaced", "another", 103, Map.of()),
                        object("a/missing", 112));

        assertThat(auditor.check())
                .isEqualTo(new Audit.Different("1 missing, 2 surplus, 2 in a different state"));

        assertThat(counts.get(Counter.AUDITS_DIFFERENT)).isOne();
        assertThat(output)
                .contains(
                        "pods: differs from the server at revision 120: 1 missing, 2 surplus, 2"
                                + " in a different state; synchronizing again")
                .doesNotContain("older", "replaced", "surplus-");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 405, 406, 422})
    void rejected_audit_is_logged_once_and_keeps_the_watch_open(int code, CapturedOutput output) {
        FakeStream stream = watching(120, object("a/x", 101));
        api.lists(refused(code, "No")).lists(refused(code, "No"));

        assertThat(auditor.check()).isInstanceOf(Audit.Inconclusive.class);
        assertThat(auditor.check()).isInstanceOf(Audit.Inconclusive.class);

        assertThat(stream.closed).isFalse();
        assertThat(counts.get(Counter.AUDITS_FAILED)).isEqualTo(2);
        assertThat(output.getAll().lines().filter(line -> line.contains("cannot compare")))
                .singleElement()
                .asString()
                .contains("pods", "HTTP " + code, "kubemirror.upstream.audit-interval=0");
    }

    @Test
    void audit_rejects_a_list_at_another_revision() {
        watching(120, object("a/x", 101));
        api.listsPage(121, "t1");

        assertThat(auditor.check()).isInstanceOf(Audit.Inconclusive.class);
        assertThat(machine.resyncRequest.isRequested()).isFalse();
    }

    @Test
    void audit_ends_although_each_page_has_another_token() {
        watching(120, object("a/x", 101));
        for (int page = 0; page < 10_000; page++) {
            api.listsPage(120, "t" + page, object("a/x", 101));
        }

        assertThat(auditor.check()).isInstanceOf(Audit.Inconclusive.class);
        assertThat(api.lists).hasSizeLessThan(2_000);
        assertThat(machine.resyncRequest.isRequested()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"429, TooManyRequests", "500, InternalError", "503, ServiceUnavailable"})
    void audit_fails_without_a_warning_while_the_server_is_overloaded(
            int code, String reason, CapturedOutput output) {
        watching(120);
        api.lists(refused(code, reason));

        assertThat(auditor.check()).isInstanceOf(Audit.Inconclusive.class);
        assertThat(counts.get(Counter.AUDITS_FAILED)).isOne();
        assertThat(output.getAll()).doesNotContain("WARN");
    }

    @Test
    void audit_ignores_a_difference_from_before_a_resynchronization() {
        FakeStream stream = watching(120, object("a/x", 101));
        api.beforeList(
                () -> {
                    machine.resyncRequest.answered();
                    api.beforeList(() -> {});
                });
        api.listsPage(120, null);

        assertThat(auditor.check())
                .isEqualTo(new Audit.Different("0 missing, 1 surplus, 0 in a different state"));

        assertThat(stream.closed).isFalse();
        assertThat(machine.resyncRequest.isRequested()).isFalse();
    }

    /** A mirror that has just opened its watch; the stream breaks once it has been closed. */
    private FakeStream watching(long revision, KubeObject... objects) {
        synced(revision, objects);
        writer.identify(PODS, DeclaredFields.NONE);
        FakeStream stream = api.streams();
        run(opening, 1);
        return stream;
    }
}
