package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random writes, through kubemirror and directly, whose answers and events arrive in any order. No
 * read shows an object as it was before an answered write, and every read is answered from memory
 * once the mirror has received all events.
 */
class FloorsHistoryTest {

    private static final List<String> PATHS = List.of("a/x", "a/y", "b/x");

    private final Map<ObjectKey, Integer> answered = new HashMap<>();

    /** Answers that are on their way. */
    private final List<Runnable> answers = new ArrayList<>();

    static LongStream seeds() {
        long first = Long.getLong("writes.seed", new Random().nextInt(1_000_000));
        return LongStream.range(first, first + Long.getLong("writes.histories", 300));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void no_read_shows_an_object_as_it_was_before_an_answered_write(long seed) {
        Random random = new Random(seed);
        Selection selection =
                switch (random.nextInt(3)) {
                    case 0 -> Selection.everything();
                    case 1 -> KubeObjects.selection("a", "", "");
                    default -> KubeObjects.selection("", "app=v", "");
                };
        WrittenServer server = new WrittenServer(selection);
        for (int step = 0; step < 120; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> write(server, random);
                case 3 -> direct(server, random);
                case 4, 5 -> server.deliver();
                case 6 -> server.tick();
                case 7 -> occasionally(random, server::bookmark);
                case 8 -> answerOne(random);
                case 9 -> server.away = random.nextInt(3) == 0;
                case 10 -> check(server, server.now(), seed, step);
                default -> check(server, server.later(), seed, step);
            }
        }
        answers.forEach(Runnable::run);
        server.away = false;
        server.deliverAll();
        Optional<Mirror.Position> late = server.later();
        check(server, late, seed, -1);
        server.bookmark();
        assertThat(server.later()).as("seed %d", seed).isPresent();
        assertThat(server.now()).as("seed %d", seed).isPresent();
    }

    private static void occasionally(Random random, Runnable task) {
        if (random.nextInt(4) == 0) {
            task.run();
        }
    }

    private void answerOne(Random random) {
        if (!answers.isEmpty()) {
            answers.remove(random.nextInt(answers.size())).run();
        }
    }

    private static Map<String, String> labels(Random random) {
        return random.nextBoolean() ? Map.of("app", "v") : Map.of("app", "w");
    }

    private static String uid(WrittenServer server, String path) {
        return server.object(path)
                .map(KubeObject::uid)
                .orElse(path + "-" + (server.revision() + 1));
    }

    private static void direct(WrittenServer server, Random random) {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        if (server.object(path).isPresent() && random.nextInt(3) == 0) {
            server.remove(path);
        } else {
            server.put(path, uid(server, path), labels(random));
        }
    }

    /** A write whose answer arrives now or later, is not readable, or is lost. */
    private void write(WrittenServer server, Random random) {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        ObjectKey key = new ObjectKey(path);
        KubeObject before = server.object(path).orElse(null);
        boolean delete = before != null && random.nextInt(3) == 0;
        String method = delete ? "DELETE" : before == null ? "POST" : "PATCH";
        String collection = "/api/v1/namespaces/" + key.namespace() + "/pods";
        boolean all = delete && random.nextInt(4) == 0;
        AnswerTracker write =
                server.begin(
                        method, before == null || all ? collection : WrittenServer.pathOf(path));
        List<String> concerned = all ? inNamespace(server, key.namespace()) : List.of(path);
        String body;
        if (delete && before != null) {
            body = WrittenServer.deleted(before);
            concerned.forEach(server::remove);
        } else {
            body = WrittenServer.json(server.put(path, uid(server, path), labels(random)));
        }
        int at = server.revision();
        int form = random.nextInt(10);
        Runnable answer =
                () -> {
                    if (form == 0) {
                        write.unanswered();
                    } else if (form == 1) {
                        WrittenServer.answer(write, 200, "application/cbor", new byte[] {1});
                    } else {
                        WrittenServer.answer(write, delete ? 200 : 201, body);
                    }
                    concerned.forEach(one -> answered.merge(new ObjectKey(one), at, Math::max));
                };
        if (random.nextBoolean()) {
            answer.run();
        } else {
            answers.add(answer);
        }
    }

    private static List<String> inNamespace(WrittenServer server, String namespace) {
        return PATHS.stream()
                .filter(path -> new ObjectKey(path).isIn(namespace))
                .filter(path -> server.object(path).isPresent())
                .toList();
    }

    /** The object that is shown has been the server's at or after the last answered write. */
    private void check(WrittenServer server, Optional<Mirror.Position> read, long seed, int step) {
        if (read.isEmpty()) {
            return;
        }
        Snapshot state = read.get().snapshot();
        answered.forEach(
                (key, at) -> {
                    Optional<String> shown = state.get(key).map(FloorsHistoryTest::identity);
                    Stream<Optional<String>> allowed =
                            IntStream.rangeClosed(at, server.revision())
                                    .mapToObj(
                                            revision ->
                                                    server.selected(key, revision)
                                                            .map(FloorsHistoryTest::identity));
                    assertThat(allowed.anyMatch(shown::equals))
                            .as(
                                    "seed %d, step %d: %s at %s is from before %d",
                                    seed, step, key, state.revision(), at)
                            .isTrue();
                });
        assertThat(state.revision()).isGreaterThanOrEqualTo(Revision.ZERO);
    }

    private static String identity(KubeObject object) {
        return object.uid() + "@" + object.revision();
    }
}
