package io.kubemirror.interleaving;

import module java.base;

/**
 * Runs a scenario under all interleavings of its steps: first those without a preemption and those
 * with one, however long that takes, then those with two and so on, as far as the time goes. Most
 * races need one or two.
 *
 * <p>Steps are accesses to volatile fields and array elements, and calls of atomics and concurrent
 * collections, in the code of kubemirror. The exploration is of sequentially consistent executions;
 * what compilers and processors reorder beyond that it does not show. An actor does not pause in a
 * synchronized method. Code that blocks on another lock which another actor holds in the middle of
 * a step cannot be explored.
 *
 * <p>Rejected: Fray, whose agent and instrumented JDK are not on Maven Central, and which needs the
 * jmods of a JDK; and jcstress for these races, as it met the known one of the old sleeper in none
 * of 100,000 samples on two processors.
 */
public final class Interleavings {

    /** Enough for every race that has been found; larger scenarios never reach it. */
    private static final int MAX_PREEMPTIONS = 5;

    /** All interleavings with so many are explored on every machine. */
    private static final int GUARANTEED_PREEMPTIONS = 1;

    private Interleavings() {}

    /**
     * What was explored.
     *
     * @param executions how many interleavings were run
     * @param preemptions up to how many preemptions they are all there are
     */
    public record Explored(int executions, int preemptions) {}

    /**
     * Explores a scenario for the time of {@link ExplorationBudget}.
     *
     * @throws AssertionError if an interleaving fails, with its decisions
     */
    public static void explore(Class<? extends ConcurrentScenario> scenario)
            throws InterruptedException {
        var _ = explore(scenario, ExplorationBudget.ofScenario());
    }

    /**
     * Explores a scenario.
     *
     * @param scenario a class with a constructor without arguments; it and all code of kubemirror
     *     is instrumented
     * @param limit when to stop, if all interleavings with one preemption have been run
     * @throws AssertionError if an interleaving fails, with its decisions
     */
    public static Explored explore(Class<? extends ConcurrentScenario> scenario, Duration limit)
            throws InterruptedException {
        Supplier<ConcurrentScenario> concurrentScenarios =
                new InstrumentingLoader().concurrentScenarios(scenario.getName());
        long deadline = System.nanoTime() + limit.toNanos();
        int executions = 0;
        for (int preemptions = 0; preemptions <= MAX_PREEMPTIONS; preemptions++) {
            int[] prefix = {};
            while (prefix != null) {
                if (preemptions > GUARANTEED_PREEMPTIONS && System.nanoTime() - deadline >= 0) {
                    return new Explored(executions, preemptions - 1);
                }
                prefix = next(execute(concurrentScenarios.get(), prefix, preemptions));
                executions++;
            }
        }
        return new Explored(executions, MAX_PREEMPTIONS);
    }

    private static List<ActorSchedule.Decision> execute(
            ConcurrentScenario concurrentScenario, int[] prefix, int preemptions)
            throws InterruptedException {
        ActorSchedule actorSchedule = new ActorSchedule(prefix, preemptions);
        try {
            actorSchedule.run(concurrentScenario);
        } catch (AssertionError | RuntimeException failed) {
            throw new AssertionError("interleaving " + actorSchedule.decisions(), failed);
        }
        return actorSchedule.decisions();
    }

    /** The next prefix in depth-first order, null after the last. */
    private static int @org.jspecify.annotations.Nullable [] next(
            List<ActorSchedule.Decision> made) {
        for (int last = made.size() - 1; last >= 0; last--) {
            ActorSchedule.Decision decision = made.get(last);
            if (decision.chosen() + 1 < decision.among()) {
                int[] prefix =
                        made.subList(0, last + 1).stream()
                                .mapToInt(ActorSchedule.Decision::chosen)
                                .toArray();
                prefix[last]++;
                return Arrays.copyOf(prefix, last + 1);
            }
        }
        return null;
    }
}
