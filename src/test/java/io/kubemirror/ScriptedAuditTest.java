package io.kubemirror;

import static io.kubemirror.testground.Fault.onList;
import static io.kubemirror.testground.Fault.onWatch;
import static io.kubemirror.testground.Manifests.pod;
import static io.kubemirror.testground.Types.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Reading;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.Backup;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Frames;
import io.kubemirror.testground.OpenWatch;
import io.kubemirror.testground.ReceivedRequest;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.ScriptedApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** What audits find and what they never find (CA-6), with nothing replaced but the server. */
class ScriptedAuditTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ScriptedApiServer server = ScriptedApiServer.create();

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"DELETED, x", "MODIFIED, x", "ADDED, ghost"})
    void what_a_watch_told_wrongly_is_found_and_healed(String event, String name)
            throws InterruptedException {
        ObjectNode known = server.create(pod("a", "x"));
        server.create(pod("a", "y"));
        try (Reflection reflection = Reflection.of(server, PODS, Strategy.AUTO).synchronised()) {
            lie(reflection, event, known, name);
            Cursor before = reflection.mirror().position().orElseThrow().cursor();

            reflection.audit();

            awaitEnd(reflection.mirror(), before);
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            assertThat(reflection.count(Counter.AUDITS_DIFFERENT)).isOne();
        }
    }

    @Test
    void what_a_watch_told_wrongly_stays_until_an_audit_finds_it() throws InterruptedException {
        ObjectNode known = server.create(pod("a", "x"));
        try (Reflection reflection = Reflection.of(server, PODS, Strategy.AUTO).synchronised()) {
            lie(reflection, "DELETED", known, "x");

            server.create(pod("a", "y"));

            assertThat(reflection.mirror().await(revision(server.revision()), LIMIT)).isTrue();
            assertThat(reflection.mirror().snapshot().orElseThrow().size()).isOne();
        }
    }

    /** Tells the mirror about a change that there was not. */
    private void lie(Reflection reflection, String event, ObjectNode known, String name)
            throws InterruptedException {
        OpenWatch watch = server.awaitWatch(PODS);
        ObjectNode object = known.deepCopy();
        long revision = server.advance();
        object.withObject("metadata")
                .put("name", name)
                .put("resourceVersion", Long.toString(revision));
        watch.send(Frames.frame(event, object));
        assertThat(reflection.mirror().await(revision(revision), LIMIT)).isTrue();
    }

    /**
     * WA-10 and RE-12: a watch from a revision that the server has lost is accepted and silent, so
     * nothing but an audit can notice.
     */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_server_restored_from_a_backup_while_the_watch_was_reopened_is_noticed(Strategy strategy)
            throws InterruptedException {
        server.create(pod("a", "x"));
        Backup backup = server.backup();
        server.create(pod("a", "y"));
        try (Reflection reflection = Reflection.of(server, PODS, strategy).synchronised()) {
            server.awaitWatch(PODS);
            long lost = server.advance();
            server.bookmark(PODS);
            assertThat(reflection.mirror().await(revision(lost), LIMIT)).isTrue();
            server.requests().skip();

            server.restore(backup);
            server.create(pod("a", "z"));
            ReceivedRequest reopened = server.requests().next(onWatch(PODS));
            assertThat(reopened.parameter("resourceVersion")).isEqualTo(Long.toString(lost));
            server.awaitWatch(PODS);
            Cursor before = reflection.mirror().position().orElseThrow().cursor();
            reflection.audit();

            awaitEnd(reflection.mirror(), before);
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            assertThat(reflection.mirror().revision()).isEqualTo(revision(server.revision()));
            assertThat(reflection.count(Counter.AUDITS_AHEAD)).isOne();
        }
    }

    /** By then the server has the revision again, but with another history behind it. */
    @Test
    void a_restored_server_that_has_overtaken_the_mirror_is_noticed_too()
            throws InterruptedException {
        server.create(pod("a", "x"));
        Backup backup = server.backup();
        server.create(pod("a", "y"));
        try (Reflection reflection =
                Reflection.of(server, PODS, Strategy.LIST_WATCH).synchronised()) {
            server.awaitWatch(PODS);
            long lost = server.advance();
            server.bookmark(PODS);
            assertThat(reflection.mirror().await(revision(lost), LIMIT)).isTrue();
            server.requests().skip();

            server.restore(backup);
            server.create(pod("a", "z"));
            server.requests().next(onWatch(PODS));
            server.awaitWatch(PODS);
            server.advanceTo(lost + 10);
            Cursor before = reflection.mirror().position().orElseThrow().cursor();
            reflection.audit();

            awaitEnd(reflection.mirror(), before);
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            assertThat(reflection.count(Counter.AUDITS_DIFFERENT)).isOne();
        }
    }

    @Test
    void an_audit_asks_for_pages_of_metadata_at_one_revision() {
        for (String name : List.of("v", "w", "x", "y", "z")) {
            server.create(pod("a", name));
        }
        try (Reflection reflection = Reflection.of(server, PODS, Strategy.AUTO).synchronised()) {
            awaitConsistent(reflection);

            List<ReceivedRequest> lists = server.requests().all(onList(PODS));
            assertThat(lists)
                    .hasSize(3)
                    .extracting(request -> request.header("Accept"))
                    .containsOnly(
                            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
            assertThat(lists.getFirst().query())
                    .containsEntry("resourceVersionMatch", "Exact")
                    .containsEntry("limit", "2");
            assertThat(lists.getLast().query()).containsOnlyKeys("limit", "continue");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void a_true_mirror_is_never_accused_whatever_happens_meanwhile(long seed) throws Exception {
        Random random = new Random(seed);
        Strategy[] strategies = Strategy.values();
        Strategy strategy = strategies[random.nextInt(strategies.length)];
        try (Reflection reflection = Reflection.of(server, PODS, strategy).synchronised()) {
            Thread life = Thread.ofVirtual().start(() -> live(random));
            while (life.isAlive()) {
                reflection.audit();
            }
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            awaitConsistent(reflection);

            assertThat(reflection.count(Counter.AUDITS_DIFFERENT)).as("seed %d", seed).isZero();
            assertThat(reflection.count(Counter.AUDITS_AHEAD)).as("seed %d", seed).isZero();
            assertThat(reflection.count(Counter.AUDITS_REFUSED)).as("seed %d", seed).isZero();
        }
    }

    private void live(Random random) {
        for (int i = 0; i < 400; i++) {
            String name = "p" + random.nextInt(12);
            boolean exists =
                    server.objects(PODS).stream()
                            .anyMatch(pod -> pod.at("/metadata/name").asString().equals(name));
            switch (random.nextInt(20)) {
                case 0 -> server.watches(PODS).forEach(OpenWatch::cut);
                case 1 -> server.compact();
                case 2, 3, 4 -> server.bookmark(PODS);
                case 5, 6, 7 -> server.advance();
                case 8, 9, 10 -> {
                    if (exists) {
                        server.delete(PODS, "a", name);
                    }
                }
                default -> {
                    if (exists) {
                        server.label(PODS, "a", name, "turn", "t" + i);
                    } else {
                        server.create(pod("a", name));
                    }
                }
            }
        }
    }

    /** Audits until one could be made; one that comes between two watches is not. */
    private static void awaitConsistent(Reflection reflection) {
        long before = reflection.count(Counter.AUDITS_CONSISTENT);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (reflection.count(Counter.AUDITS_CONSISTENT) == before) {
            assertThat(System.nanoTime()).as("audited within a minute").isLessThan(deadline);
            reflection.audit();
        }
    }

    /** Waits until the history before has ended. */
    private static void awaitEnd(Mirror mirror, Cursor before) throws InterruptedException {
        Cursor cursor = before;
        while (mirror.read(cursor, LIMIT) instanceof Reading.Progress progress) {
            assertThat(progress.changes()).as("the history ends within a minute").isNotEmpty();
            cursor = progress.next();
        }
    }

    private static Revision revision(long number) {
        return new Revision(Long.toString(number));
    }
}
