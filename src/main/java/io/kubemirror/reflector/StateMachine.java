package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.DurationRange;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.source.Source;

import org.slf4j.event.Level;

/**
 * The transition function of the reflector's state machine, without a loop or a thread. Creates the
 * handlers of the states, and the parts that they share.
 */
final class StateMachine {

    /** How often an unreachable server is asked whether it accepts connections. */
    private static final DurationRange LOOK =
            new DurationRange(Duration.ofMillis(500), Duration.ofMillis(1_000));

    final Source source;
    final MirrorWriter writer;
    final ReflectorSettings settings;
    final ReflectorEnvironment environment;
    final ReflectorCounts counts;
    final StatusReporter reporter;
    final RetryState retryState;
    final ServerCapabilities capabilities;
    final RequestPacer lists;
    final RequestPacer watches;
    final ResyncRequest resyncRequest;
    final SchemaCheck schema;
    final FailureHandler failures;

    /** The time at which the server was asked to end the watch that was opened last. */
    Instant watchEnd = Instant.MIN;

    /** Whether the server did not accept connections when it was looked at last. */
    private boolean away;

    /** Whether a permit to list is held. One thread acquires it, and any may release it. */
    private final AtomicBoolean permitted = new AtomicBoolean();

    private final Resolver resolver;
    private final WatchLister streamer;
    private final Lister lister;
    private final WatchFollower watcher;

    StateMachine(
            Source source,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment,
            ReflectorCounts counts) {
        this.source = source;
        this.writer = writer;
        this.settings = settings;
        this.environment = environment;
        this.counts = counts;
        reporter = new StatusReporter(writer, environment, counts);
        retryState =
                new RetryState(
                        environment.clock(), environment.random(), settings.timeouts().retry());
        capabilities = new ServerCapabilities(settings, environment.clock());
        lists = RequestPacer.ofLists(environment.clock());
        watches = RequestPacer.ofWatches(environment.clock());
        resyncRequest = new ResyncRequest(environment.clock());
        schema = new SchemaCheck(this);
        failures = new FailureHandler(this);
        resolver = new Resolver(this);
        watcher = new WatchFollower(this);
        streamer = new WatchLister(this);
        lister = new Lister(this);
    }

    /**
     * Returns the initial state. The reflectors of one process start at different times
     * (list-watch.md#bo-7), but one whose mirror was on disk does so at once.
     */
    ReflectorState first() {
        ReflectorState resolving = new ReflectorState.Resolving();
        Duration startSpread = settings.timeouts().startSpread();
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
        permit(state.isFetching());
        ReflectorState next = nextOrOverBudget(state);
        if (!next.holdsObjects()) {
            writer.discard();
        }
        return next;
    }

    /** Waits for a permit if it is needed, and releases it otherwise. */
    private void permit(boolean needed) throws InterruptedException {
        if (!needed) {
            release();
        } else if (!permitted.get()) {
            environment.lists().acquire();
            permitted.set(true);
        }
    }

    private void release() {
        if (permitted.getAndSet(false)) {
            environment.lists().release();
        }
    }

    private ReflectorState nextOrOverBudget(ReflectorState state) throws InterruptedException {
        try {
            return next(state);
        } catch (OverBudgetException tooLarge) {
            stop(state);
            return tooLarge.excess().temporary()
                    ? failures.awaitMemory(again(state))
                    : failures.overBudget(tooLarge.excess());
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
            case ReflectorState.Streaming streaming -> streamer.step(streaming);
            case ReflectorState.Opening opening -> watcher.open(opening);
            case ReflectorState.Watching watching -> watcher.step(watching);
            case ReflectorState.BackingOff backingOff -> backOff(backingOff);
        };
    }

    private ReflectorState backOff(ReflectorState.BackingOff state) throws InterruptedException {
        if (state.unreached() == null) {
            environment.sleeper().sleep(state.delay());
        } else if (returns(state.delay(), state.unreached().refused())) {
            environment.sleeper().sleep(retryState.serverReturned());
        }
        return state.next();
    }

    /**
     * Waits until the server accepts connections again, and returns whether it does. A server that
     * accepts each connection and then drops it is left to the backoff. A look finds a connection
     * open that a busy load balancer closes a little later, so the next looks count as well.
     *
     * @param longest the maximum wait, without the time of the looks
     * @param refused whether the server is known not to have accepted a connection just now
     */
    private boolean returns(Duration longest, boolean refused) throws InterruptedException {
        away |= refused || retryState.isRelapse();
        Duration left = longest;
        while (left.isPositive()) {
            Duration wait = Collections.min(List.of(left, LOOK.draw(environment.random())));
            environment.sleeper().sleep(wait);
            left = left.minus(wait);
            boolean wasAway = away;
            away = !source.acceptsConnections();
            if (wasAway && !away) {
                return true;
            }
        }
        return false;
    }

    /** Lets others list while a thread that was stopped does not react. For any thread. */
    void abandon() {
        release();
        reporter.log(Level.WARN, "abandoned", "does not stop; it ends without being waited for");
    }

    /** Closes what is open in the last state. */
    void stop(ReflectorState state) {
        release();
        writer.discard();
        state.close();
    }
}
