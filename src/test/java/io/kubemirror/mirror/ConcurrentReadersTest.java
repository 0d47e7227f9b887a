package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Readers follow while the writer overwrites what they are about to read. */
class ConcurrentReadersTest {

    private static final int LAST = 20_000;

    @Test
    void concurrent_readers_miss_no_change_while_the_writer_runs() throws Exception {
        try (ExecutorService waker = Executors.newSingleThreadExecutor();
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Mirror mirror =
                    Mirrors.pods(new Window(64, 256, Duration.ofSeconds(75), 1 << 22), waker);
            MirrorWriter writer = Mirrors.writer(mirror, System::nanoTime);
            writer.resync().complete(revision(1));
            List<Future<Map<ObjectKey, String>>> results =
                    Stream.generate(() -> readers.submit(() -> readToTheEnd(mirror)))
                            .limit(8)
                            .toList();

            for (int next = 2; next <= LAST; next++) {
                String path = "a/" + next % 100;
                if (next % 7 == 0) {
                    writer.delete(new ObjectKey(path), revision(next));
                } else {
                    writer.upsert(object(path, next));
                }
            }

            for (Future<Map<ObjectKey, String>> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(listed(mirror));
            }
        }
    }

    /** Returns what the changes add up to. A reader that is too slow lists again. */
    private static Map<ObjectKey, String> readToTheEnd(Mirror mirror) throws InterruptedException {
        Map<ObjectKey, String> state = new HashMap<>();
        Cursor cursor = new Cursor(revision(0), -1);
        while (cursor.revision().isBefore(revision(LAST))) {
            switch (FoldingWatcher.read(mirror, cursor, Duration.ofSeconds(30))) {
                case Reading.Progress(var changes, var next) -> {
                    changes.forEach(one -> fold(one, state));
                    cursor = next;
                }
                case Reading.Expired _, Reading.Ended _ -> {
                    Mirror.Position position = mirror.position().orElseThrow();
                    state.clear();
                    state.putAll(looks(position.snapshot()));
                    cursor = position.cursor();
                }
                case Reading.Gap gap -> throw new AssertionError(gap);
            }
        }
        return state;
    }

    private static void fold(LoggedChange logged, Map<ObjectKey, String> state) {
        FoldingWatcher.fold(
                logged.change(), state, Function.identity(), ConcurrentReadersTest::look);
    }

    private static Map<ObjectKey, String> listed(Mirror mirror) {
        return looks(mirror.snapshot().orElseThrow());
    }

    private static Map<ObjectKey, String> looks(Snapshot state) {
        return state.objects().stream().collect(toMap(KubeObject::key, one -> look(one)));
    }

    private static String look(KubeObject object) {
        return object.revision().digits();
    }
}
