package io.kubemirror.api.watch;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchService.BatchProperties;
import io.kubemirror.mirror.ChangeTracer;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Selection;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Creates watches without HTTP. */
public final class WatchSessions {

    static final WatchSession.Watcher WATCHER =
            new WatchSession.Watcher("", "", "", Instant.EPOCH, Optional.empty());

    private static final Mirror EMPTY =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Window.standard(),
                    Runnable::run,
                    System::nanoTime);
    private static final WatchMeters.Meter METER = meter(EMPTY, new SimpleMeterRegistry());

    private WatchSessions() {}

    /** Adds a watch that has not started. */
    public static WatchSession add(WatchRegistry registry) throws Rejection {
        registry.requireOpen();
        CoalescingTask task = new WatchExecutor(1).task(System::nanoTime);
        ServedWatch watch =
                new ServedWatch(
                        WATCHER,
                        machine(
                                EMPTY,
                                WatchPhase.failed(StatusErrors.deadlineExceeded()),
                                () -> {}),
                        METER,
                        registry,
                        task);
        registry.add(watch);
        return new WatchSession(task, (_, _) -> true, watch);
    }

    /** Adds a watch of everything since now, which has not started. */
    static WatchSession add(
            WatchRegistry registry,
            Mirror mirror,
            CoalescingTask task,
            WatchSession.FrameSink sink) {
        ServedWatch watch = watch(registry, mirror, task);
        registry.add(watch);
        return new WatchSession(task, sink, watch);
    }

    /** Returns a watch of everything since now. */
    static ServedWatch watch(WatchRegistry registry, Mirror mirror, CoalescingTask task) {
        WatchPhase now = WatchPhase.initial(mirror.position().orElseThrow(), false);
        return new ServedWatch(
                WATCHER,
                machine(mirror, now, task),
                meter(mirror, new SimpleMeterRegistry()),
                registry,
                task);
    }

    /** A watch of everything without bookmarks. */
    static WatchStateMachine machine(
            Mirror mirror, WatchPhase start, Subscription.Listener signal) {
        return machine(
                wanted(mirror, Selection.everything()),
                start,
                WatchStateMachineTest.frames(),
                BatchProperties.standard(),
                signal,
                Optional.empty());
    }

    /** A watch that lasts half an hour, with bookmarks if it is conflated. */
    static WatchStateMachine machine(
            CollectionRequest wanted,
            WatchPhase start,
            FrameEncoder frames,
            BatchProperties batches,
            Subscription.Listener signal,
            Optional<Conflation> conflation) {
        return new WatchStateMachine(
                wanted,
                start,
                frames,
                Optional.empty(),
                new WatchSchedule(
                        ApiTimings.standard(),
                        System::nanoTime,
                        conflation.isPresent() ? Duration.ofMinutes(1) : Duration.ZERO,
                        false,
                        Duration.ofMinutes(30),
                        Duration.ZERO,
                        null),
                batches,
                ChangeTracer.NONE,
                signal,
                conflation);
    }

    static CollectionRequest wanted(Mirror mirror, Selection selection) {
        try {
            return new CollectionRequest(
                    ApiSamples.PODS,
                    mirror,
                    selection,
                    ListOptions.decode(Query.parse(""), false),
                    null);
        } catch (Rejection malformed) {
            throw new AssertionError(malformed);
        }
    }

    static WatchMeters.Meter meter(Mirror mirror, MeterRegistry registry) {
        return new WatchMeters(
                        MirrorSet.of(mirror),
                        registry,
                        _ -> List.of(),
                        System::nanoTime,
                        ChangeTracer.NONE)
                .of(mirror);
    }
}
