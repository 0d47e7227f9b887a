package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.Accept.MediaRange;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.Plan.SelectedWatch;
import io.kubemirror.api.watch.Watch.Watcher;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.Unchecked;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Creates watches without HTTP. */
public final class Watches {

    private static final ScheduledThreadPoolExecutor TIMERS = new ScheduledThreadPoolExecutor(1);
    private static final Watcher WATCHER = new Watcher("", "", "", Instant.EPOCH);

    private static final Mirror EMPTY = Mirrors.pods();
    private static final WatchMeters.Meter METER = meter(EMPTY, new SimpleMeterRegistry());

    private Watches() {}

    /** Adds a watch that has not started. */
    public static WatchConnection add(WatchRegistry registry) throws Rejection {
        return add(registry, new WatchExecutor(1).task(System::nanoTime), Optional.empty());
    }

    /** Adds a watch that has not started, and that cannot be told to end without an exception. */
    public static WatchConnection addDefective(WatchRegistry registry, RequestCredentials client)
            throws Rejection {
        CoalescingTask task =
                new CoalescingTask(
                        _ -> {
                            throw new IllegalStateException("a defect");
                        },
                        TIMERS,
                        System::nanoTime);
        return add(registry, task, Optional.of(client));
    }

    private static WatchConnection add(
            WatchRegistry registry, CoalescingTask task, Optional<RequestCredentials> client)
            throws Rejection {
        Watch watch =
                watch(
                        EMPTY,
                        WatchPhase.failed(StatusErrors.deadlineExceeded()),
                        task,
                        METER,
                        registry,
                        client);
        registry.add(watch);
        return new WatchConnection(task, (_, _) -> true, List.of(watch));
    }

    /** Adds a watch of everything since now, which has not started. */
    static WatchConnection add(
            WatchRegistry registry,
            Mirror mirror,
            CoalescingTask task,
            WatchConnection.FrameSink sink) {
        Watch watch = watch(registry, mirror, task);
        Unchecked.run(() -> registry.add(watch));
        return new WatchConnection(task, sink, List.of(watch));
    }

    /** Returns a watch of everything since now. */
    static Watch watch(WatchRegistry registry, Mirror mirror, CoalescingTask task) {
        WatchPhase now = new WatchPhase.Initial(mirror.position().orElseThrow(), false);
        return watch(mirror, now, task, meter(mirror, new SimpleMeterRegistry()), registry);
    }

    /** Returns a watch of everything with bookmarks, each minute of a clock. */
    static Watch withBookmarks(LongSupplier nanos) {
        return watch(
                wanted(EMPTY, Selection.everything()),
                frames(),
                WatchPhase.failed(StatusErrors.deadlineExceeded()),
                new WatchSchedule(
                        nanos,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(30),
                        ApiFixture.WATCHES.batch(),
                        null,
                        null),
                () -> {});
    }

    /** Returns a watch of everything without bookmarks. */
    static Watch watch(
            Mirror mirror,
            WatchPhase start,
            CoalescingTask task,
            WatchMeters.Meter meter,
            WatchRegistry registry) {
        return watch(mirror, start, task, meter, registry, Optional.empty());
    }

    private static Watch watch(
            Mirror mirror,
            WatchPhase start,
            CoalescingTask task,
            WatchMeters.Meter meter,
            WatchRegistry registry,
            Optional<RequestCredentials> client) {
        return new Watch(
                new SelectedWatch(
                        wanted(mirror, Selection.everything()),
                        frames(),
                        client,
                        UnaryOperator.identity()),
                start,
                WATCHER,
                task,
                schedule(false, ApiFixture.WATCHES.batch()),
                meter,
                registry);
    }

    /**
     * Returns a watch of a connection whose task does nothing.
     *
     * @param signal called for each signal
     */
    static Watch watch(
            CollectionRequest wanted,
            FrameEncoder frames,
            WatchPhase start,
            WatchSchedule schedule,
            Runnable signal) {
        CoalescingTask task =
                new CoalescingTask(
                        run -> {
                            signal.run();
                            run.run();
                        },
                        TIMERS,
                        System::nanoTime);
        task.run();
        return new Watch(
                new SelectedWatch(wanted, frames, Optional.empty(), UnaryOperator.identity()),
                start,
                WATCHER,
                task,
                schedule,
                METER,
                new WatchRegistry(System::nanoTime));
    }

    /** A watch that lasts half an hour. */
    static WatchSchedule schedule(boolean bookmarks, BatchProperties batches) {
        return new WatchSchedule(
                System::nanoTime,
                bookmarks ? Duration.ofMinutes(1) : Duration.ZERO,
                Duration.ofMinutes(30),
                batches,
                null,
                null);
    }

    /** Returns a request for the pods of a mirror. */
    public static CollectionRequest wanted(Mirror mirror, Selection selection) {
        return Unchecked.call(
                () ->
                        new CollectionRequest(
                                ApiSamples.PODS,
                                mirror,
                                selection,
                                ListOptions.decode(Query.parse(""), false),
                                null));
    }

    static FrameEncoder frames() {
        return frames(new SharedBodies(ClientMemory.of(MemoryBudget.unlimited())));
    }

    static FrameEncoder frames(SharedBodies bodies) {
        return frames(new ObjectEncoder.TypeMeta(ApiSamples.PODS), bodies);
    }

    static FrameEncoder frames(ObjectEncoder objects, SharedBodies bodies) {
        MediaRange json = MediaRange.parse("application/json");
        return new FrameEncoder(
                objects,
                new Representation(WatchFraming.JSON_LINES, ResponseShape.WHOLE, json),
                bodies);
    }

    static WatchMeters.Meter meter(Mirror mirror, MeterRegistry registry) {
        return new WatchMeters(
                        MirrorSets.of(mirror),
                        registry,
                        new WatchRegistry(System::nanoTime),
                        System::nanoTime)
                .of(mirror);
    }
}
