package io.kubemirror.reflector;

import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.upstream.Failure;

/** The transition function of the reflector's state machine, without a loop or a thread. */
final class StateMachine {

    private final ReflectorContext context;
    private final Resolver resolver;
    private final WatchLister streamer;
    private final Lister lister;
    private final WatchFollower watcher;
    private final Prober prober;
    private final ListPermit permit;

    StateMachine(ReflectorContext context) {
        ResyncCompletion resyncCompletion = new ResyncCompletion(context);
        this.context = context;
        this.resolver = new Resolver(context);
        this.permit = new ListPermit(context.environment().limiter());
        this.watcher = new WatchFollower(context);
        this.lister = new Lister(context, resyncCompletion, watcher);
        this.prober = new Prober(context);
        this.streamer = new WatchLister(context, resyncCompletion, watcher);
    }

    /**
     * Returns the state that follows; blocks for as long as the state takes.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    ReflectorState step(ReflectorState state) throws InterruptedException {
        permit.acquire(isFetching(state));
        ReflectorState next = nextOrOverBudget(state);
        if (!holdsObjects(next)) {
            context.writer().discard();
        }
        return next;
    }

    private ReflectorState nextOrOverBudget(ReflectorState state) throws InterruptedException {
        try {
            return next(state);
        } catch (OverBudgetException tooLarge) {
            stop(state);
            return context.overBudget(tooLarge);
        }
    }

    /** Returns whether the state holds objects that were fetched so far. */
    private static boolean holdsObjects(ReflectorState state) {
        return switch (state) {
            case ReflectorState.Streaming _,
                    ReflectorState.Paging _,
                    ReflectorState.Overlapping _,
                    ReflectorState.CatchingUp _ ->
                    true;
            case ReflectorState.Resolving _,
                    ReflectorState.Synchronizing _,
                    ReflectorState.Listing _,
                    ReflectorState.Opening _,
                    ReflectorState.Probing _,
                    ReflectorState.Watching _,
                    ReflectorState.BackingOff _ ->
                    false;
        };
    }

    private ReflectorState next(ReflectorState state) throws InterruptedException {
        return switch (state) {
            case ReflectorState.Resolving resolving -> resolver.step(resolving);
            case ReflectorState.Synchronizing synchronizing -> streamer.begin(synchronizing);
            case ReflectorState.Listing listing -> lister.begin(listing);
            case ReflectorState.Paging paging -> lister.step(paging);
            case ReflectorState.Streaming streaming -> streamer.step(streaming);
            case ReflectorState.Overlapping overlapping ->
                    lister.parallelLister().step(overlapping);
            case ReflectorState.CatchingUp catchingUp -> lister.parallelLister().step(catchingUp);
            case ReflectorState.Opening opening -> watcher.open(opening);
            case ReflectorState.Probing probing -> prober.step(probing);
            case ReflectorState.Watching watching -> watcher.step(watching);
            case ReflectorState.BackingOff resting -> backOff(resting);
        };
    }

    /** Closes what is open in the last state. */
    void stop(ReflectorState state) {
        permit.release();
        context.writer().discard();
        switch (state) {
            case ReflectorState.Watching watching -> watching.stream().close();
            case ReflectorState.Probing probing -> probing.watching().stream().close();
            case ReflectorState.Streaming streaming -> streaming.stream().close();
            case ReflectorState.Overlapping overlapping -> overlapping.buffer().close();
            case ReflectorState.CatchingUp catchingUp -> catchingUp.stream().close();
            case ReflectorState.Resolving _,
                    ReflectorState.Synchronizing _,
                    ReflectorState.Listing _,
                    ReflectorState.Paging _,
                    ReflectorState.Opening _,
                    ReflectorState.BackingOff _ -> {}
        }
    }

    /** Returns whether the server must send the whole collection (list-watch.md#bo-7). */
    private static boolean isFetching(ReflectorState state) {
        return switch (state) {
            case ReflectorState.Synchronizing _,
                    ReflectorState.Streaming _,
                    ReflectorState.Listing _,
                    ReflectorState.Paging _,
                    ReflectorState.Overlapping _ ->
                    true;
            case ReflectorState.Resolving _,
                    ReflectorState.CatchingUp _,
                    ReflectorState.Opening _,
                    ReflectorState.Probing _,
                    ReflectorState.Watching _,
                    ReflectorState.BackingOff _ ->
                    false;
        };
    }

    private ReflectorState backOff(ReflectorState.BackingOff resting) throws InterruptedException {
        Failure.Unreachable unreached = resting.unreached();
        if (unreached == null) {
            context.environment().sleeper().sleep(resting.delay());
        } else if (context.environment().probe().await(resting.delay(), unreached.refused())) {
            context.environment().sleeper().sleep(context.retryState().serverReturned());
        }
        return resting.next();
    }
}
