package io.kubemirror.reflector;

import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.reflector.ReflectorState.FetchMethod;

import java.time.Duration;

/**
 * The transition function of the reflector's state machine, without a loop or a thread. Creates the
 * handlers of the states and gives each what it needs.
 */
final class StateMachine {

    private final ReflectorContext context;
    private final ReflectorEnvironment environment;
    private final ListLimiter.ListPermit permit;
    private final Resolver resolver;
    private final WatchLister streamer;
    private final Lister lister;
    private final WatchFollower watcher;

    StateMachine(ReflectorContext context) {
        this.context = context;
        environment = context.environment;
        permit = environment.limiter().permit();
        resolver = new Resolver(context);
        watcher = new WatchFollower(context);
        streamer = new WatchLister(context);
        lister = new Lister(context);
    }

    ReflectorContext context() {
        return context;
    }

    /**
     * Returns the initial state. The reflectors of one process start at different times
     * (list-watch.md#bo-7), but one whose mirror was on disk does so at once.
     */
    ReflectorState first() {
        ReflectorState resolving = new ReflectorState.Resolving();
        Duration startSpread = context.settings.timeouts().startSpread();
        return startSpread.isZero() || context.writer.mirror().snapshot().isPresent()
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
            context.writer.discard();
        }
        return next;
    }

    private ReflectorState nextOrOverBudget(ReflectorState state) throws InterruptedException {
        try {
            return next(state);
        } catch (OverBudgetException tooLarge) {
            stop(state);
            return tooLarge.excess().temporary()
                    ? context.failures.awaitMemory(again(state))
                    : context.failures.overBudget(tooLarge.excess());
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
            environment.sleeper().sleep(context.retryState.serverReturned());
        }
        return state.next();
    }

    /** Lets others list while a thread that was stopped does not react. For any thread. */
    void abandon(Duration patience) {
        permit.release();
        context.reporter.abandoned(patience);
    }

    /** Closes what is open in the last state. */
    void stop(ReflectorState state) {
        permit.release();
        context.writer.discard();
        state.close();
    }
}
