package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.source.Source;

import java.time.Duration;

/**
 * The transition function of the reflector's state machine, without a loop or a thread. Creates the
 * handlers of the states and gives each what it needs.
 */
final class StateMachine {

    private final MirrorWriter writer;
    private final ReflectorEnvironment environment;
    private final Duration startSpread;
    private final ListLimiter.ListPermit permit;
    private final StatusReporter reporter;
    private final RetryState retryState;
    private final ServerCapabilities capabilities;
    private final ResyncRequest resyncRequest;
    private final FailureHandler failures;
    private final Resolver resolver;
    private final WatchLister streamer;
    private final Lister lister;
    private final WatchFollower watcher;

    StateMachine(
            Source api,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment,
            ReflectorCounts counts) {
        this.writer = writer;
        this.environment = environment;
        ReflectorTimeouts timeouts = settings.timeouts();
        startSpread = timeouts.startSpread();
        resyncRequest =
                new ResyncRequest(
                        environment.clock(), environment.random(), settings.resyncPeriod());
        permit = environment.limiter().permit();
        reporter =
                new StatusReporter(
                        writer,
                        environment.clock(),
                        counts,
                        environment.probe(),
                        environment.tracer());
        retryState = new RetryState(environment.clock(), environment.random(), timeouts);
        capabilities = new ServerCapabilities(settings, api, environment.clock());
        failures =
                new FailureHandler(
                        api.description().property(),
                        writer,
                        reporter,
                        retryState,
                        capabilities,
                        timeouts);
        RequestPacer pacer = new RequestPacer(environment.clock(), timeouts.minResyncInterval());
        UpstreamRequests requests =
                new UpstreamRequests(
                        api, settings, pacer, reporter, resyncRequest, environment.random());
        Synchronizer synchronizer =
                new Synchronizer(writer, reporter, retryState, pacer, resyncRequest);
        resolver = new Resolver(api, writer, settings, failures, capabilities, reporter);
        watcher =
                new WatchFollower(requests, writer, reporter, failures, retryState, resyncRequest);
        streamer =
                new WatchLister(requests, synchronizer, watcher, failures, capabilities, reporter);
        lister = new Lister(requests, synchronizer, watcher, failures, capabilities, reporter);
    }

    StatusReporter reporter() {
        return reporter;
    }

    RetryState retryState() {
        return retryState;
    }

    ServerCapabilities capabilities() {
        return capabilities;
    }

    ResyncRequest resyncRequest() {
        return resyncRequest;
    }

    FailureHandler failures() {
        return failures;
    }

    /**
     * Returns the initial state. The reflectors of one process start at different times
     * (list-watch.md#bo-7), but one whose mirror was on disk does so at once.
     */
    ReflectorState first() {
        ReflectorState resolving = new ReflectorState.Resolving();
        return startSpread.isZero() || writer.mirror().snapshot().isPresent()
                ? resolving
                : new ReflectorState.BackingOff(
                        Duration.ofMillis(environment.random().nextLong(startSpread.toMillis())),
                        resolving);
    }

    /**
     * Returns the state that follows; blocks for as long as the state takes.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    ReflectorState step(ReflectorState state) throws InterruptedException {
        permit.acquire(state.isFetching());
        ReflectorState next = nextOrOverBudget(state);
        if (!next.holdsObjects()) {
            writer.discard();
        }
        return next;
    }

    private ReflectorState nextOrOverBudget(ReflectorState state) throws InterruptedException {
        try {
            return next(state);
        } catch (OverBudgetException tooLarge) {
            stop(state);
            return tooLarge.isTemporary()
                    ? failures.awaitMemory(again(state))
                    : failures.overBudget(tooLarge);
        }
    }

    private static ReflectorState again(ReflectorState state) {
        return state instanceof ReflectorState.Watching watching
                ? new ReflectorState.Opening(watching.collection())
                : new ReflectorState.Resolving();
    }

    private ReflectorState next(ReflectorState state) throws InterruptedException {
        return switch (state) {
            case ReflectorState.Resolving _ -> resolver.resolve();
            case ReflectorState.Synchronizing sync when sync.method() == FetchMethod.PREFERRED ->
                    streamer.begin(sync);
            case ReflectorState.Synchronizing sync -> lister.begin(sync);
            case ReflectorState.Paging paging -> lister.step(paging);
            case ReflectorState.CatchingUp catchingUp -> lister.step(catchingUp);
            case ReflectorState.Streaming streaming -> streamer.step(streaming);
            case ReflectorState.Opening opening -> watcher.open(opening);
            case ReflectorState.Watching watching -> watcher.step(watching);
            case ReflectorState.BackingOff backingOff -> backOff(backingOff);
        };
    }

    private ReflectorState backOff(ReflectorState.BackingOff state) throws InterruptedException {
        if (state.unreached() == null) {
            environment.sleeper().sleep(state.delay());
        } else if (environment.probe().await(state.delay(), state.unreached().refused())) {
            environment.sleeper().sleep(retryState.serverReturned());
        }
        return state.next();
    }

    /** Lets others list while a thread that was stopped does not react. For any thread. */
    void abandon(Duration patience) {
        permit.release();
        reporter.abandoned(patience);
    }

    /** Closes what is open in the last state. */
    void stop(ReflectorState state) {
        permit.release();
        writer.discard();
        state.close();
    }
}
