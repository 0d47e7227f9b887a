package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

/** A mirror with an object, for a watch whose runs are actors. */
abstract class WatchScenario implements ConcurrentScenario {

    private static final ScheduledThreadPoolExecutor TIMERS = new ScheduledThreadPoolExecutor(1);

    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final WatchRegistry registry = new WatchRegistry(() -> 0);

    WatchScenario() {
        writer.resync().complete(new Revision("10"));
        writer.upsert(ApiSamples.object("a", "x", 11));
    }

    final MirrorWriter writer() {
        return writer;
    }

    /** Returns a watch of the mirror that sends to a sink. */
    final WatchConnection watch(Spawner spawner, WatchConnection.FrameSink sink) {
        return Watches.add(registry, mirror, task(spawner), sink);
    }

    /** Returns a watch of the mirror that signals a task. */
    final Watch watch(CoalescingTask task) {
        return Watches.watch(registry, mirror, task);
    }

    /** Returns a task whose runs are actors. */
    static CoalescingTask task(Spawner spawner) {
        return new CoalescingTask(spawner::spawn, TIMERS, () -> 0);
    }

    /** Returns the number of registered watches. */
    final int open() {
        return registry.of(mirror).size();
    }
}
