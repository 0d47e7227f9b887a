package io.kubemirror.feature.union;

import static io.kubemirror.api.ApiFixture.scope;
import static io.kubemirror.api.ApiSamples.PODS;
import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.Mirrors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the thread of a union of mirrors. */
class UnionReflectorTest {

    private final MirrorWriter a = member("a");
    private final MirrorWriter b = member("b");
    private final Mirror mirror =
            new UnionMirror(scope("pods", ""), List.of(a.mirror(), b.mirror()));
    private final Queue<Duration> pauses = new ConcurrentLinkedQueue<>();

    private static MirrorWriter member(String namespace) {
        MirrorWriter writer =
                Mirrors.writer(
                        Mirrors.of(scope("pods", namespace), Mirrors.window()), System::nanoTime);
        writer.identify(PODS, DeclaredFields.NONE);
        return writer;
    }

    /** A union that does something whenever it needs the progress of a member. */
    private MirrorUnion union(Runnable progress) {
        return new MirrorUnion(
                Mirrors.writer(mirror, System::nanoTime),
                (_, _) -> progress.run(),
                System::nanoTime);
    }

    /** Nothing but {@code close} ends it. */
    @Test
    void union_goes_on_if_something_else_interrupts_its_thread() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        MirrorUnion union =
                union(
                        () -> {
                            if (requests.incrementAndGet() == 1) {
                                Thread.currentThread().interrupt();
                            }
                        });
        try (UnionReflector reflector = new UnionReflector(union, Strategy.AUTO, pauses::add)) {
            reflector.start();
            a.resync().complete(revision(100));
            b.resync().complete(revision(130));
            Awaitility.await().until(() -> requests.get() > 0);

            a.bookmark(revision(130));

            assertThat(mirror.await(revision(130), Duration.ofSeconds(60))).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void union_begins_again_after_a_defect_and_after_an_error(boolean error) throws Exception {
        MirrorUnion union =
                union(
                        () -> {
                            if (error) {
                                throw new StackOverflowError("as scripted");
                            }
                            throw new IllegalStateException("as scripted");
                        });
        try (UnionReflector reflector = new UnionReflector(union, Strategy.AUTO, pauses::add)) {
            reflector.start();
            a.resync().complete(revision(100));
            b.resync().complete(revision(130));
            Awaitility.await().until(() -> !pauses.isEmpty());
            assertThat(mirror.snapshot()).isEmpty();

            a.upsert(object("a/x", 120));
            a.bookmark(revision(130));

            assertThat(mirror.await(revision(130), Duration.ofSeconds(60))).isTrue();
            assertThat(pauses).containsOnly(Duration.ofSeconds(1));
        }
    }

    @Test
    void closed_union_follows_no_longer() throws Exception {
        MirrorUnion union = union(() -> {});
        UnionReflector reflector = new UnionReflector(union, Strategy.AUTO, pauses::add);
        reflector.start();
        a.resync().complete(revision(100));
        b.resync().complete(revision(100));
        assertThat(mirror.await(revision(100), Duration.ofSeconds(60))).isTrue();

        reflector.close();
        a.bookmark(revision(110));
        b.bookmark(revision(110));

        assertThat(mirror.revision()).isEqualTo(revision(100));
    }
}
