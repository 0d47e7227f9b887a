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
import static io.kubemirror.feature.etcd.ScriptedEtcd.AUTHENTICATE;
import static io.kubemirror.feature.etcd.ScriptedEtcd.RANGE;
import static io.kubemirror.feature.etcd.ScriptedEtcd.WATCH;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import okio.ByteString;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Tests {@link EtcdClient} with answers that no etcd gives, unless it is broken or hostile. */
class HostileEtcdTest {

    private final ScriptedEtcd etcd = new ScriptedEtcd();

    @AfterEach
    void stop() {
        etcd.close();
    }

    private Failure failedList() {
        if (client(etcd.url()).list(list(0, null), _ -> {}) instanceof Result.Failed(var failure)) {
            return failure;
        }
        throw new AssertionError("the list succeeded");
    }

    /** The clock advances by a second with each read, however fast they are. */
    @Test
    @Timeout(60)
    void range_that_drips_is_given_up_although_bytes_arrive() {
        etcd.drip(RANGE);
        AtomicLong now = new AtomicLong();
        LongSupplier nanos = () -> now.addAndGet(Duration.ofSeconds(1).toNanos());
        EtcdClient client = EtcdClient.connect(settings(nanos, Thread::sleep, etcd.url()));

        assertThat(client.list(list(0, null), _ -> {}))
                .isEqualTo(
                        Result.failed(new Failure.Unreachable("the response was too slow", false)));
    }

    /** The list would request the same range again and again. */
    @Test
    void range_without_keys_that_is_not_the_last_is_malformed() {
        etcd.respond(RANGE, header(5).number(4, 3));
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        assertThat(failedList())
                .isEqualTo(new Failure.Malformed("a range has fewer keys than it counts"));
    }

    @Test
    void keys_that_are_not_in_order_are_malformed() {
        etcd.respond(RANGE, header(5).message(2, widget("b/w", 3, 3)).number(4, 2));
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        assertThat(failedList())
                .isEqualTo(new Failure.Malformed("a key outside of the requested range"));
    }

    @Test
    void value_that_is_repeated_takes_no_memory() {
        MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
        ProtobufWriter repeated = widget("a/w", 3, 3).bytes(5, ByteString.encodeUtf8("{}"));
        etcd.respond(RANGE, ranged(5, repeated));
        EtcdClient client = EtcdClient.connect(settings(budget, 1 << 20, etcd.url()));

        assertThat(objects(client, list(0, null))).isEmpty();
        assertThat(budget.used()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
    void revision_without_a_successor_is_malformed(long revision) {
        etcd.respond(RANGE, ranged(revision, widget("a/w", 3, 3)));
        etcd.stream(WATCH, created(9), header(9).message(11, put(widget("a/w", 3, revision))));

        assertThat(failedList()).isEqualTo(new Failure.Malformed("a revision is out of range"));
        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next())
                    .isEqualTo(new WatchFrame.Untrackable("a revision is out of range"));
        }
    }

    @Test
    void field_without_a_number_is_malformed() {
        ProtobufWriter range = ranged(5, widget("a/w", 3, 3)).number(0, 1).number(4, 3);
        etcd.respond(RANGE, range);

        assertThat(failedList())
                .isEqualTo(new Failure.Malformed("a field of a message has no number"));
    }

    @Test
    void token_that_no_header_can_have_is_malformed_and_not_shown() {
        etcd.respond(AUTHENTICATE, header(1).text(2, "hidden\ntoken"));
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));

        assertThat(client("u", () -> "p", etcd.url()).list(list(0, null), _ -> {}))
                .isEqualTo(Result.failed(new Failure.Malformed("a token is not printable")));
    }

    @Test
    void reason_is_one_short_line() {
        etcd.stream(
                WATCH,
                created(9),
                header(9).flag(4).text(6, "gone\nWARN forged " + "x".repeat(10_000)));

        try (UpstreamWatch watch = open(client(etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next())
                    .isInstanceOfSatisfying(
                            WatchFrame.Broken.class,
                            end -> assertThat(end.reason()).isEqualTo("etcd: gone"));
        }
    }

    /** The calls before it may have passed, for example because they need no token. */
    @Test
    void token_that_is_refused_in_the_stream_of_a_watch_is_renewed() {
        etcd.respond(AUTHENTICATE, header(1).text(2, "old"));
        etcd.respond(AUTHENTICATE, header(1).text(2, "new"));
        etcd.stream(WATCH, created(9).flag(4).text(6, "etcdserver: invalid auth token"));
        etcd.stream(WATCH, created(9), header(10));

        try (UpstreamWatch watch = open(client("u", () -> "p", etcd.url()), watch(widgets(), 9))) {
            assertThat(watch.next()).isInstanceOf(WatchFrame.Bookmark.class);
        }
        assertThat(etcd.requests).contains(WATCH + " old", WATCH + " new");
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

        assertThat(objects(client(etcd.url()), list(0, null)))
                .extracting(object -> object.key().path())
                .containsExactly("a/w");
    }
}
