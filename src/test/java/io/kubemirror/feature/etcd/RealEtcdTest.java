package io.kubemirror.feature.etcd;

import static io.kubemirror.feature.etcd.EtcdFixtures.list;
import static io.kubemirror.feature.etcd.EtcdFixtures.objects;
import static io.kubemirror.feature.etcd.EtcdFixtures.open;
import static io.kubemirror.feature.etcd.EtcdFixtures.page;
import static io.kubemirror.feature.etcd.EtcdFixtures.watch;
import static io.kubemirror.feature.etcd.EtcdFixtures.widgets;
import static io.kubemirror.testing.KubeObjects.revision;
import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.real.WithEtcd;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

/** Tests {@link EtcdClient} with a real etcd. */
@WithEtcd
class RealEtcdTest {

    @AutoClose private static RealEtcd etcd;
    private static EtcdClient client;

    @BeforeAll
    static void start() {
        etcd = RealEtcd.of(1);
        client = EtcdFixtures.client(etcd.endpoints().getFirst());
    }

    @AfterEach
    void empty() {
        etcd.deleteAll(ServedTypes.WIDGETS);
    }

    private static long given(String name) {
        return JsonTrees.revision(etcd.create(widget("a", name, 3)));
    }

    @Test
    void pages_of_a_list_have_one_revision() {
        given("x");
        given("y");
        long revision = given("z");
        List<String> paths = new ArrayList<>();

        ListMeta first = page(client, list(2, null), paths);
        given("later");
        ListMeta second =
                page(client, list(2, null).next(requireNonNull(first.continueToken())), paths);

        assertThat(paths).containsExactly("a/x", "a/y", "a/z");
        assertThat(first.revision()).isEqualTo(revision(revision));
        assertThat(second.revision()).isEqualTo(first.revision());
        assertThat(second.continueToken()).isNull();
    }

    @Test
    void list_at_an_exact_revision_shows_the_past_and_refuses_the_future() {
        long past = given("x");
        given("y");
        assertThat(objects(client, exact(past))).hasSize(1);
        assertThat(refusal(client.list(exact(etcd.revision() + 100), _ -> {})).isTooLargeRevision())
                .isTrue();
    }

    private static Status refusal(Result<?> result) {
        return ((Failure.Refused) Results.failure(result)).status();
    }

    private static ListRequest exact(long revision) {
        return new ListRequest(widgets(), revision(revision), RevisionMatch.EXACT, 0, null);
    }

    /** A document keeps a stale one if its writer did not clear it; only the key's is true. */
    @Test
    void revision_is_that_of_the_key_whatever_the_document_says() {
        ObjectNode document = widget("a", "x", 3).json();
        document.withObjectProperty("metadata").put("resourceVersion", "1");
        long revision =
                etcd.put(
                        RealEtcd.key(ServedTypes.WIDGETS, "a", "x"),
                        JsonTrees.text(document).getBytes(UTF_8));

        KubeObject object = objects(client, list(0, null)).getFirst();
        assertThat(object.revision().digits()).isEqualTo(Long.toString(revision));
        assertThat(new String(object.json(), UTF_8))
                .containsOnlyOnce("resourceVersion")
                .contains("\"resourceVersion\":\"" + revision + "\"");
    }

    @Test
    void selection_is_evaluated_as_an_api_server_does() throws Exception {
        Selection selection =
                new Selection(
                        "a",
                        LabelSelectorParser.parse("l=v"),
                        FieldSelectorParser.parse("spec.size=3"));
        etcd.create(widget("a", "never", 3));
        long start = JsonTrees.revision(etcd.create(widget("a", "leaves", 3).label("l", "v")));
        ResourceCollection selected = widgets(selection);
        assertThat(objects(client, new ListRequest(selected, null, 1, null)))
                .extracting(object -> object.key().path())
                .containsExactly("a/leaves");
        try (WatchStream watch = open(client, watch(selected, start))) {
            etcd.create(widget("b", "elsewhere", 3).label("l", "v"));
            etcd.create(widget("a", "comes", 4).label("l", "v"));
            etcd.replace(widget("a", "comes", 3).label("l", "v"));
            etcd.replace(widget("a", "leaves", 3).label("l", "w"));
            etcd.delete(ServedTypes.WIDGETS, "a", "never");
            etcd.create(widget("a", "last", 3).label("l", "v"));

            List<String> seen = new ArrayList<>();
            while (!seen.contains("Added a/last")) {
                if (watch.next() instanceof WatchFrame.ObjectEvent event) {
                    seen.add(event.getClass().getSimpleName() + " " + event.object().key());
                }
            }
            assertThat(seen)
                    .containsExactly("Modified a/comes", "Deleted a/leaves", "Added a/last");
        }
    }

    /** Without it a quiet collection would fall behind the compaction, and list again and again. */
    @Test
    void quiet_watch_progresses_with_the_revision_of_etcd() {
        long start = given("x");
        try (WatchStream watch = open(client, watch(widgets(), start))) {
            long elsewhere = etcd.put("/elsewhere", new byte[] {1});
            Revision wanted = revision(elsewhere);
            WatchFrame frame = watch.next();
            while (!(frame instanceof WatchFrame.Bookmark(var revision, var _)
                    && !revision.isBefore(wanted))) {
                assertThat(frame).isInstanceOf(WatchFrame.Bookmark.class);
                frame = watch.next();
            }
        }
    }

    /** A watch could not resume between them, so the reflector lists. */
    @Test
    void transaction_that_changes_several_objects_cannot_be_watched() {
        given("x");
        long start = given("y");
        try (WatchStream watch = open(client, watch(widgets(), start))) {
            etcd.deleteAll(ServedTypes.WIDGETS);
            assertThat(nextEvent(watch)).isInstanceOf(WatchFrame.Untrackable.class);
        }
    }

    @Test
    void object_that_becomes_unreadable_cannot_be_watched_or_listed() {
        long start = given("x");
        try (WatchStream watch = open(client, watch(widgets(), start))) {
            etcd.put(
                    RealEtcd.key(ServedTypes.WIDGETS, "a", "x"),
                    "k8s:enc:aescbc:v1:key1:".getBytes(UTF_8));

            assertThat(((WatchFrame.Untrackable) nextEvent(watch)).reason())
                    .contains("/registry/example.com/widgets/", "encrypted")
                    .doesNotContain("a/x", "aescbc");
            assertThat(client.list(list(0, null), _ -> {})).isInstanceOf(Result.Failed.class);
        }
    }

    /** Skips the progress that etcd reports if a test takes long. */
    private static WatchFrame nextEvent(WatchStream watch) {
        WatchFrame frame = watch.next();
        while (frame instanceof WatchFrame.Bookmark) {
            frame = watch.next();
        }
        return frame;
    }

    @Test
    void large_events_arrive_whole() {
        long start = given("x");
        String large = "v".repeat(900_000);
        try (WatchStream watch = open(client, watch(widgets(), start))) {
            for (int i = 0; i < 4; i++) {
                etcd.replace(widget("a", "x", i).annotation("large", large));
            }
            for (int i = 0; i < 4; i++) {
                KubeObject object = ((WatchFrame.Modified) nextEvent(watch)).object();
                assertThat(object.json()).hasSizeGreaterThan(900_000);
            }
        }
    }

    @Test
    void initial_events_are_refused_as_by_an_old_api_server() {
        WatchRequest plain = watch(widgets(), 1);
        WatchRequest initial =
                WatchRequests.withBookmarks(
                        widgets(),
                        null,
                        true,
                        plain.timeout(),
                        plain.silence(),
                        plain.initialSilence());
        assertThat(refusal(client.watch(initial)).code()).isEqualTo(422);
    }
}
