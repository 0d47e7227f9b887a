package io.kubemirror.feature.etcd;

import static io.kubemirror.feature.etcd.EtcdFixtures.client;
import static io.kubemirror.feature.etcd.EtcdFixtures.created;
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
import static io.kubemirror.feature.etcd.ScriptedEtcd.AUTHENTICATE;
import static io.kubemirror.feature.etcd.ScriptedEtcd.RANGE;
import static io.kubemirror.feature.etcd.ScriptedEtcd.WATCH;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.testing.WatchRequests;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Tests {@link EtcdClient} with answers that a real etcd gives rarely or never. */
class ScriptedEtcdTest {

    private final ScriptedEtcd etcd = new ScriptedEtcd();

    @AfterEach
    void stop() {
        etcd.close();
    }

    private static <T> Failure failure(Result<T> result) {
        if (result instanceof Result.Failed<T>(var failure)) {
            return failure;
        }
        throw new AssertionError(result);
    }

    private static <T> Status refusal(Result<T> result) {
        return ((Failure.Refused) failure(result)).status();
    }

    @Test
    void call_fails_over_to_a_member_that_answers_and_stays_there() {
        try (ScriptedEtcd other = new ScriptedEtcd()) {
            etcd.refuse(RANGE, 14, "etcdserver: no leader");
            other.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
            EtcdClient client = client("http://127.0.0.1:1", etcd.url(), other.url());

            assertThat(objects(client, list(0, null))).hasSize(1);
            assertThat(objects(client, list(0, null))).hasSize(1);
            assertThat(etcd.requests).hasSize(1);
        }
    }

    @Test
    void cluster_without_a_leader_is_unreachable() {
        etcd.refuse(RANGE, 14, "etcdserver: no leader");
        assertThat(failure(client(etcd.url()).list(list(0, null), _ -> {})))
                .isEqualTo(new Failure.Unreachable("etcd: etcdserver: no leader", Kind.BROKEN));
    }

    @ParameterizedTest
    @CsvSource({
        "3, etcdserver: user name is empty, 401",
        "3, etcdserver: key is not provided, 400",
        "7, etcdserver: permission denied, 403",
        "8, etcdserver: too many requests, 429",
        "11, etcdserver: mvcc: required revision has been compacted, 410",
        "11, etcdserver: mvcc: required revision is a future revision, 504",
        "2, unknown, 500",
    })
    void refusal_is_what_an_api_server_would_answer(int code, String message, int status) {
        etcd.refuse(RANGE, code, message);
        assertThat(refusal(client(etcd.url()).list(list(0, null), _ -> {})).code())
                .isEqualTo(status);
    }

    @Test
    void refused_token_is_renewed_once() {
        AtomicInteger reads = new AtomicInteger();
        etcd.respond(AUTHENTICATE, header(1).text(2, "old"));
        etcd.respond(AUTHENTICATE, header(1).text(2, "new"));
        etcd.refuse(RANGE, 16, "etcdserver: invalid auth token");
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        assertThat(
                        objects(
                                client("u", () -> "p" + reads.incrementAndGet(), etcd.url()),
                                list(0, null)))
                .hasSize(1);
        assertThat(etcd.requests)
                .containsExactly(AUTHENTICATE, RANGE + " old", AUTHENTICATE, RANGE + " new");
        assertThat(reads).hasValue(2);
    }

    @Test
    void token_that_is_refused_twice_is_a_refusal_of_renewed_credentials() {
        etcd.respond(AUTHENTICATE, header(1).text(2, "t"));
        etcd.refuse(RANGE, 16, "etcdserver: invalid auth token");

        Failure failure = failure(client("u", () -> "p", etcd.url()).list(list(0, null), _ -> {}));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        Failure.Refused.class,
                        refused -> {
                            assertThat(refused.renewed()).isTrue();
                            assertThat(refused.status().code()).isEqualTo(401);
                        });
    }

    @Test
    void answer_that_is_cut_is_a_broken_connection() {
        etcd.cut(RANGE);
        assertThat(failure(client(etcd.url()).list(list(0, null), _ -> {})))
                .isInstanceOfSatisfying(
                        Failure.Unreachable.class,
                        cut -> assertThat(cut.kind()).isEqualTo(Kind.BROKEN));
    }

    @Test
    void object_beyond_the_limit_is_malformed_and_takes_no_memory() {
        MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
        EtcdClient client = EtcdClient.connect(settings(budget, 50, etcd.url()));

        assertThat(failure(client.list(list(0, null), _ -> {})))
                .isEqualTo(new Failure.Malformed("an object is larger than 50 bytes"));
        assertThat(budget.used()).isZero();
    }

    @Test
    void object_beyond_the_budget_is_malformed() {
        MemoryBudget budget = MemoryBudget.ofProcess(100);
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
        EtcdClient client = EtcdClient.connect(settings(budget, 1 << 20, etcd.url()));

        assertThat(failure(client.list(list(0, null), _ -> {})).summary())
                .startsWith("not enough memory for an object");
        assertThat(budget.used()).isZero();
    }

    @Test
    void memory_of_objects_is_released_after_a_list() {
        MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3), widget("a/x", 4, 4)));
        EtcdClient client = EtcdClient.connect(settings(budget, 1 << 20, etcd.url()));

        assertThat(objects(client, list(0, null))).hasSize(2);
        assertThat(budget.used()).isZero();
    }

    @Test
    void key_outside_of_the_collection_is_malformed() {
        ProtobufWriter foreign =
                new ProtobufWriter().text(1, "/registry/secrets/a/s").number(2, 1).number(3, 1);
        etcd.respond(RANGE, ranged(5, foreign));
        assertThat(failure(client(etcd.url()).list(list(0, null), _ -> {})))
                .isEqualTo(new Failure.Malformed("a key outside of the requested range"));
    }

    @Test
    void list_that_is_older_than_requested_is_refused_as_too_new_a_revision() {
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
        Result<?> result =
                client(etcd.url())
                        .list(new ListRequest(widgets(), new Revision("9"), 0, null), _ -> {});
        assertThat(refusal(result).isTooLargeRevision()).isTrue();
    }

    @Test
    void watch_that_was_compacted_is_expired_when_it_opens() {
        etcd.stream(WATCH, created(9).flag(4).number(5, 8));
        assertThat(refusal(client(etcd.url()).watch(watch(widgets(), 5))).isExpired()).isTrue();
    }

    @Test
    void watch_of_a_compacted_revision_expires_in_the_stream() {
        etcd.stream(WATCH, created(9), header(9).flag(4).number(5, 8));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next())
                    .isInstanceOfSatisfying(
                            WatchFrame.Failed.class,
                            end -> assertThat(end.status().isExpired()).isTrue());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "14, etcdserver: no leader",
        "16, etcdserver: invalid auth token",
    })
    void watch_that_lost_its_member_continues_at_its_revision(int code, String message) {
        etcd.end(WATCH, code, message, created(9));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next())
                    .isInstanceOfSatisfying(
                            WatchFrame.Broken.class,
                            end -> assertThat(end.kind()).isEqualTo(BrokenKind.CUT));
        }
    }

    @Test
    void watch_that_is_cut_inside_a_message_is_broken() {
        etcd.cut(WATCH, created(9));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next())
                    .isInstanceOfSatisfying(
                            WatchFrame.Broken.class,
                            end -> assertThat(end.kind()).isEqualTo(BrokenKind.CUT));
        }
    }

    @Test
    void watch_that_may_not_read_the_keys_is_forbidden() {
        etcd.stream(WATCH, created(9).flag(4).text(6, "etcdserver: permission denied"));
        assertThat(refusal(client(etcd.url()).watch(watch(widgets(), 9))).code()).isEqualTo(403);
    }

    @Test
    void silent_watch_is_broken() {
        etcd.stream(WATCH, created(9));
        WatchRequest impatient =
                WatchRequests.withBookmarks(
                        widgets(),
                        new Revision("9"),
                        false,
                        Duration.ofMinutes(5),
                        Duration.ofMillis(200),
                        Duration.ofMillis(200));
        try (UpstreamWatch watch = open(client(etcd.url()), impatient)) {
            assertThat(watch.next())
                    .isInstanceOfSatisfying(
                            WatchFrame.Broken.class,
                            end -> assertThat(end.kind()).isEqualTo(BrokenKind.SILENT));
        }
    }

    @Test
    void watch_ends_after_its_timeout() {
        AtomicLong time = new AtomicLong();
        etcd.stream(WATCH, created(9), header(10), header(11));
        EtcdClient client = EtcdClient.connect(settings(time::get, Thread::sleep, etcd.url()));
        try (UpstreamWatch watch = open(client, watch(widgets(), 9))) {
            assertThat(watch.next()).isEqualTo(new WatchFrame.Bookmark(new Revision("10"), false));
            time.set(Duration.ofMinutes(6).toNanos());
            assertThat(watch.next()).isInstanceOf(WatchFrame.Ended.class);
            assertThat(watch.next()).isInstanceOf(WatchFrame.Ended.class);
        }
    }

    @Test
    void events_in_fragments_are_one_sequence() {
        etcd.stream(
                WATCH,
                created(9),
                header(12).flag(7).message(11, put(widget("a/v", 10, 10))),
                header(12).flag(7).message(11, put(widget("a/w", 11, 11))),
                header(12).message(11, put(widget("a/w", 11, 12))));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(revision(watch.next())).isEqualTo("Added 10");
            assertThat(revision(watch.next())).isEqualTo("Added 11");
            assertThat(revision(watch.next())).isEqualTo("Modified 12");
        }
    }

    private static String revision(WatchFrame frame) {
        return frame.getClass().getSimpleName()
                + " "
                + ((WatchFrame.ObjectEvent) frame).object().revision();
    }

    @Test
    void member_that_is_behind_the_others_is_not_a_restored_cluster() {
        etcd.stream(WATCH, created(5), header(10));
        etcd.respond(RANGE, ranged(10));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next()).isEqualTo(new WatchFrame.Bookmark(new Revision("10"), false));
        }
    }

    /** Such a watch would be silent until the cluster has made up for what it lost. */
    @Test
    void watch_of_a_revision_that_the_cluster_lost_is_refused() {
        etcd.stream(WATCH, created(5));
        etcd.respond(RANGE, ranged(5));
        Status status = refusal(client(etcd.url()).watch(watch(widgets(), 9)));
        assertThat(status.isTooLargeRevision()).isTrue();
    }

    @Test
    void watch_of_a_revision_of_another_cluster_is_expired() {
        etcd.respond(RANGE, ranged(9, widget("a/w", 3, 3)));
        etcd.stream(WATCH, header(8, 20).flag(3));
        EtcdClient client = client(etcd.url());
        assertThat(objects(client, list(0, null))).hasSize(1);

        assertThat(refusal(client.watch(watch(widgets(), 9))).isExpired()).isTrue();
    }

    /** See https://github.com/etcd-io/etcd/issues/15220. */
    @ParameterizedTest
    @CsvSource({
        "3.4.30, false",
        "3.4.31, true",
        "3.5.12, false",
        "3.5.13, true",
        "3.6.0, true",
        "3.6.0-rc.1, true",
        "3.3.27, false",
        "4.0.0, true",
        "unknown, false",
    })
    void progress_is_requested_of_members_that_answer_in_order(String version, boolean expected) {
        assertThat(EtcdClient.isReliable(version)).isEqualTo(expected);
    }

    @Test
    void quiet_watch_requests_progress() {
        etcd.stream(WATCH, created(9));
        Sleeper brief = _ -> LockSupport.parkNanos(5_000_000);
        EtcdClient client = EtcdClient.connect(settings(System::nanoTime, brief, etcd.url()));
        try (var _ = open(client, watch(widgets(), 9))) {
            byte[] progress = {0, 0, 0, 0, 2, (3 << 3) | 2, 0};
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(
                            () ->
                                    etcd.streamed.stream()
                                            .anyMatch(
                                                    sent ->
                                                            Arrays.equals(
                                                                    sent.getBytes(), progress)));
        }
    }

    @Test
    void closed_watch_ends_a_waiting_reader() throws InterruptedException {
        etcd.stream(WATCH, created(9));
        UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9));
        Thread closer = Thread.ofVirtual().start(watch::close);
        assertThat(watch.next()).isEqualTo(new WatchFrame.Broken("closed", BrokenKind.CUT));
        closer.join();
    }
}
