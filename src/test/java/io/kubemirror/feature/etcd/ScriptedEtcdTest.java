package io.kubemirror.feature.etcd;

import static io.kubemirror.feature.etcd.EtcdFixtures.client;
import static io.kubemirror.feature.etcd.EtcdFixtures.created;
import static io.kubemirror.feature.etcd.EtcdFixtures.entry;
import static io.kubemirror.feature.etcd.EtcdFixtures.header;
import static io.kubemirror.feature.etcd.EtcdFixtures.list;
import static io.kubemirror.feature.etcd.EtcdFixtures.objects;
import static io.kubemirror.feature.etcd.EtcdFixtures.open;
import static io.kubemirror.feature.etcd.EtcdFixtures.put;
import static io.kubemirror.feature.etcd.EtcdFixtures.ranged;
import static io.kubemirror.feature.etcd.EtcdFixtures.settings;
import static io.kubemirror.feature.etcd.EtcdFixtures.watch;
import static io.kubemirror.feature.etcd.EtcdFixtures.widget;
import static io.kubemirror.feature.etcd.EtcdFixtures.widgets;
import static io.kubemirror.feature.etcd.ScriptedEtcd.RANGE;
import static io.kubemirror.feature.etcd.ScriptedEtcd.WATCH;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;

import okio.ByteString;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@link EtcdClient} with answers that a real etcd gives rarely, or never unless it is broken
 * or hostile.
 */
class ScriptedEtcdTest {

    @AutoClose private final ScriptedEtcd etcd = new ScriptedEtcd();
    private final EtcdClient client = client(etcd.url());

    private Failure failedList() {
        return failedList(client);
    }

    private static Failure failedList(EtcdClient client) {
        return Results.failure(client.list(list(0, null), _ -> {}));
    }

    /** The refusal of a watch after revision 9. */
    private Status refusedWatch() {
        return ((Failure.Refused) Results.failure(client.watch(watch(widgets(), 9)))).status();
    }

    /** The first frame of a watch after revision 9. */
    private WatchFrame firstFrame() {
        return firstFrame(client, watch(widgets(), 9));
    }

    private static WatchFrame firstFrame(EtcdClient client, WatchRequest request) {
        try (WatchStream watch = open(client, request)) {
            return watch.next();
        }
    }

    private EtcdClient within(MemoryBudget budget, int limit) {
        return new EtcdClient(settings(budget, limit, etcd.url()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void call_fails_over_to_a_member_that_answers_and_stays_there(boolean balancer) {
        try (ScriptedEtcd other = new ScriptedEtcd()) {
            if (balancer) {
                etcd.balance(RANGE);
            } else {
                etcd.refuse(RANGE, 14, "etcdserver: no leader");
            }
            other.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
            EtcdClient several = client("http://127.0.0.1:1", etcd.url(), other.url());

            assertThat(objects(several, list(0, null))).hasSize(1);
            assertThat(objects(several, list(0, null))).hasSize(1);
            assertThat(etcd.requests).hasSize(1);
        }
    }

    @Test
    void server_that_is_no_etcd_is_named_by_its_answer() {
        etcd.balance(RANGE);

        assertThat(failedList().summary())
                .startsWith("the server does not answer as etcd (HTTP 503)");
    }

    @ParameterizedTest
    @CsvSource({
        "3, etcdserver: key is not provided, 400",
        "7, etcdserver: permission denied, 403",
        "8, etcdserver: too many requests, 429",
        "11, etcdserver: mvcc: required revision has been compacted, 410",
        "11, etcdserver: mvcc: required revision is a future revision, 504",
        "2, unknown, 500",
    })
    void refusal_is_what_an_api_server_would_answer(int code, String message, int status) {
        etcd.refuse(RANGE, code, message);

        assertThat(((Failure.Refused) failedList()).status().code()).isEqualTo(status);
    }

    @Test
    void answer_that_is_cut_is_a_broken_connection() {
        etcd.cut(RANGE);

        assertThat(((Failure.Unreachable) failedList()).kind()).isEqualTo(Kind.BROKEN);
    }

    @ParameterizedTest
    @CsvSource({
        "1048576, 50, an object is larger than 50 bytes",
        "100, 1048576, not enough memory for an object"
    })
    void object_beyond_a_limit_is_malformed_and_takes_no_memory(
            long memory, int limit, String problem) {
        MemoryBudget budget = MemoryBudget.of(memory);
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        Failure failure = failedList(within(budget, limit));

        assertThat(failure).isInstanceOf(Failure.Malformed.class);
        assertThat(failure.summary()).startsWith(problem);
        assertThat(budget.used()).isZero();
    }

    @Test
    void range_beyond_the_memory_is_read_in_smaller_ones() {
        MemoryBudget budget = MemoryBudget.of(600);
        ProtobufWriter first = widget("a/w", 3, 3);
        ProtobufWriter second = widget("a/x", 4, 4);
        etcd.respond(RANGE, ranged(5, first, second));
        etcd.respond(RANGE, ranged(5, first).number(4, 2));
        etcd.respond(RANGE, ranged(5, second));

        assertThat(objects(within(budget, 1 << 20), list(0, null))).hasSize(2);
        assertThat(etcd.requests).containsExactly(RANGE, RANGE, RANGE);
        assertThat(budget.used()).isZero();
    }

    static Stream<Arguments> malformedRanges() {
        return Stream.of(
                // The list would request the same range again and again.
                arguments("a range has fewer keys than it counts", header(5).number(4, 3)),
                arguments(
                        "a key outside of the requested range",
                        header(5).message(2, widget("b/w", 3, 3)).number(4, 2)),
                arguments(
                        "a key outside of the requested range",
                        ranged(
                                5,
                                new ProtobufWriter()
                                        .bytes(1, ByteString.encodeUtf8("/registry/secrets/a/s"))
                                        .number(2, 1)
                                        .number(3, 1))),
                arguments(
                        "a field of a message has no number",
                        ranged(5, widget("a/w", 3, 3)).number(0, 1).number(4, 3)));
    }

    @ParameterizedTest
    @MethodSource("malformedRanges")
    void range_that_no_etcd_sends_is_malformed(String problem, ProtobufWriter range) {
        etcd.respond(RANGE, range);
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        assertThat(failedList()).isEqualTo(new Failure.Malformed(problem));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
    void revision_without_a_successor_is_malformed(long revision) {
        etcd.respond(RANGE, ranged(revision, widget("a/w", 3, 3)));
        etcd.stream(WATCH, created(9), header(9).message(11, put(widget("a/w", 3, revision))));

        assertThat(failedList()).isEqualTo(new Failure.Malformed("a revision is out of range"));
        assertThat(firstFrame())
                .isEqualTo(new WatchFrame.Untrackable("a revision is out of range"));
    }

    @Test
    void values_of_a_prefix_inside_the_prefix_are_not_objects() {
        String json = "{\"kind\":\"Widget\",\"apiVersion\":\"example.com/v1\",\"metadata\":{%s}}";
        etcd.respond(
                RANGE,
                ranged(
                        5,
                        entry("", 3, 3, json.formatted("\"name\":\"\"")),
                        entry("/w", 3, 3, json.formatted("\"name\":\"w\"")),
                        entry("a/", 3, 3, json.formatted("\"name\":\"\",\"namespace\":\"a\"")),
                        entry(
                                "a/b/c",
                                3,
                                3,
                                json.formatted("\"name\":\"b/c\",\"namespace\":\"a\"")),
                        widget("a/w", 3, 3)));

        assertThat(objects(client, list(0, null)))
                .extracting(object -> object.key().path())
                .containsExactly("a/w");
    }

    @Test
    void list_that_is_older_than_requested_is_refused_as_too_new_a_revision() {
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        Result<?> result = client.list(new ListRequest(widgets(), revision(9), 0, null), _ -> {});

        assertThat(((Failure.Refused) Results.failure(result)).status().isTooLargeRevision())
                .isTrue();
    }

    @Test
    void watch_of_a_compacted_revision_expires_in_the_stream() {
        etcd.stream(WATCH, created(9), header(9).flag(4).number(5, 8));

        assertThat(((WatchFrame.Failed) firstFrame()).status().isExpired()).isTrue();
    }

    @Test
    void reason_is_one_short_line() {
        String reason = "gone\nWARN forged " + "x".repeat(10_000);
        etcd.stream(WATCH, created(9), header(9).flag(4).bytes(6, ByteString.encodeUtf8(reason)));

        assertThat(((WatchFrame.Broken) firstFrame()).reason()).isEqualTo("etcd: gone");
    }

    @Test
    void watch_that_may_not_read_the_keys_is_forbidden() {
        etcd.stream(
                WATCH,
                created(9)
                        .flag(4)
                        .bytes(6, ByteString.encodeUtf8("etcdserver: permission denied")));

        assertThat(refusedWatch().code()).isEqualTo(403);
    }

    @Test
    void silent_watch_is_broken() {
        etcd.stream(WATCH, created(9));
        Duration silence = Duration.ofSeconds(2);
        WatchRequest impatient =
                WatchRequests.withBookmarks(
                        widgets(), revision(9), false, Duration.ofMinutes(5), silence, silence);

        assertThat(((WatchFrame.Broken) firstFrame(client, impatient)).kind())
                .isEqualTo(BrokenKind.SILENT);
    }

    @Test
    void events_in_fragments_are_one_sequence() {
        etcd.stream(
                WATCH,
                created(9),
                header(12).flag(7).message(11, put(widget("a/v", 10, 10))),
                header(12).flag(7).message(11, put(widget("a/w", 11, 11))),
                header(12).message(11, put(widget("a/w", 11, 12))));

        try (WatchStream watch = open(client, watch(widgets(), 9))) {
            assertThat(brief(watch.next())).isEqualTo("Added 10");
            assertThat(brief(watch.next())).isEqualTo("Added 11");
            assertThat(brief(watch.next())).isEqualTo("Modified 12");
        }
    }

    private static String brief(WatchFrame frame) {
        return frame.getClass().getSimpleName()
                + " "
                + ((WatchFrame.ObjectEvent) frame).object().revision();
    }

    @Test
    void member_that_is_behind_the_others_is_not_a_restored_cluster() {
        etcd.stream(WATCH, created(5), header(10));
        etcd.respond(RANGE, ranged(10));

        assertThat(firstFrame()).isEqualTo(new WatchFrame.Bookmark(revision(10), false));
    }

    /** Such a watch would be silent until the cluster has made up for what it lost. */
    @Test
    void watch_of_a_revision_that_the_cluster_lost_is_refused() {
        etcd.stream(WATCH, created(5));
        etcd.respond(RANGE, ranged(5));

        assertThat(refusedWatch().isTooLargeRevision()).isTrue();
    }

    @Test
    void closed_watch_ends_a_waiting_reader() throws InterruptedException {
        etcd.stream(WATCH, created(9));
        WatchStream watch = open(client, watch(widgets(), 9));
        Thread closer = Thread.ofVirtual().start(watch::close);

        assertThat(watch.next()).isEqualTo(new WatchFrame.Broken("closed", BrokenKind.CUT));
        closer.join();
    }
}
