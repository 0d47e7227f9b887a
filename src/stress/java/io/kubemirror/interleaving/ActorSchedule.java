package io.kubemirror.interleaving;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * One execution of a scenario. Only one actor runs at a time. Before each step that another thread
 * could notice, the schedule decides which actor continues.
 *
 * <p>A decision that is not in the given prefix lets the same actor continue. The decisions and the
 * number of alternatives are recorded, so that the explorer can try the alternatives.
 */
public final class ActorSchedule {

    /** An execution with more steps is considered endless. */
    private static final int MOST_STEPS = 20_000;

    private static final ThreadLocal<@Nullable Actor> CURRENT = new ThreadLocal<>();

    private final int[] prefix;
    private final int preemptions;
    private final List<Actor> actors = new ArrayList<>();
    private final List<Decision> decisions = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Throwable failure;
    private int preempted;
    private int steps;

    /**
     * A decision.
     *
     * @param chosen which of the actors that could go on
     * @param among how many there were
     */
    record Decision(int chosen, int among) {}

    /** One of the threads. */
    private final class Actor implements Runnable {

        private final Runnable task;
        private final Semaphore turn = new Semaphore(0);
        private boolean over;

        /** The number of map locks and monitors that it holds. */
        private int held;

        Actor(Runnable task) {
            this.task = task;
        }

        void yieldTurn(boolean spins) {
            step(this, spins);
        }

        @Override
        public void run() {
            turn.acquireUninterruptibly();
            CURRENT.set(this);
            try {
                task.run();
            } catch (Throwable thrown) {
                failure = failure == null ? thrown : failure;
            }
            over = true;
            List<Actor> others = enabled();
            if (others.isEmpty()) {
                ended.countDown();
            } else {
                others.get(decide(others.size())).turn.release();
            }
        }
    }

    ActorSchedule(int[] prefix, int preemptions) {
        this.prefix = prefix;
        this.preemptions = preemptions;
    }

    /** Called by instrumented code before each step that another thread could notice. */
    public static void step() {
        Actor actor = CURRENT.get();
        if (actor != null) {
            actor.yieldTurn(false);
        }
    }

    /** Called by instrumented code that waits for another thread without blocking. */
    public static void spin() {
        Actor actor = CURRENT.get();
        if (actor != null) {
            actor.yieldTurn(true);
        }
    }

    /** Called by instrumented code to take a lock, while another actor may hold it. */
    public static void acquire(ReentrantLock lock) {
        Actor actor = CURRENT.get();
        if (actor == null) {
            lock.lock();
            return;
        }
        actor.yieldTurn(false);
        while (!lock.tryLock()) {
            actor.yieldTurn(true);
        }
    }

    /**
     * Called by instrumented code before a map runs a function under the lock of a key, and when a
     * synchronized method begins.
     */
    public static void lock() {
        Actor actor = CURRENT.get();
        if (actor != null) {
            actor.held++;
        }
    }

    /** Called by instrumented code when the map has run it, and before the method returns. */
    public static void unlock() {
        Actor actor = CURRENT.get();
        if (actor != null) {
            actor.held--;
        }
    }

    private void step(Actor actor, boolean spins) {
        if (++steps > MOST_STEPS) {
            throw new IllegalStateException("the scenario does not end");
        }
        List<Actor> others = enabled();
        others.remove(actor);
        // An actor that spins waits for another one, whatever it holds.
        boolean stays = !spins && (actor.held > 0 || preempted == preemptions);
        if (others.isEmpty() || stays) {
            return;
        }
        int chosen = spins ? decide(others.size()) : decide(others.size() + 1) - 1;
        if (chosen >= 0) {
            preempted += spins ? 0 : 1;
            others.get(chosen).turn.release();
            actor.turn.acquireUninterruptibly();
        }
    }

    private int decide(int among) {
        int at = decisions.size();
        int chosen = at < prefix.length ? prefix[at] : 0;
        decisions.add(new Decision(chosen, among));
        return chosen;
    }

    private List<Actor> enabled() {
        List<Actor> enabled = new ArrayList<>(actors);
        enabled.removeIf(actor -> actor.over);
        return enabled;
    }

    private void spawn(Runnable task) {
        Actor actor = new Actor(task);
        actors.add(actor);
        Thread.ofVirtual().start(actor);
    }

    /** Runs the scenario to its end and checks it. */
    void run(ConcurrentScenario concurrentScenario) throws InterruptedException {
        concurrentScenario.actors(this::spawn).forEach(this::spawn);
        actors.get(decide(actors.size())).turn.release();
        if (!ended.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("an actor waits for a lock that another one holds");
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException bug) {
            throw bug;
        }
        concurrentScenario.verify();
    }

    List<Decision> decisions() {
        return decisions;
    }
}
