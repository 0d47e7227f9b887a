package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

/**
 * The status of a reflector for operators, in addition to that of the mirror.
 *
 * @param strategy the configured strategy
 * @param synchronization the last complete synchronization
 * @param stateChanges the last changes of its state, oldest first, at most {@link StateChange#KEPT}
 */
public record ReflectorStatus(
        Strategy strategy,
        Optional<Synchronization> synchronization,
        List<StateChange> stateChanges) {

    /** Copies the list. */
    public ReflectorStatus {
        stateChanges = List.copyOf(stateChanges);
    }

    /**
     * A complete synchronization.
     *
     * @param how the method: {@code list}, {@code list-watch-parallel}, or {@code watch-list}
     * @param at when it was complete
     * @param seconds how long it took
     */
    public record Synchronization(String how, Instant at, double seconds) {}

    /**
     * The beginning of a state. As long as the same problem lasts, its retries are one state.
     *
     * @param at when the state began
     * @param phase the phase with which it began, in kebab case
     * @param problem the problem, in one line of at most {@link #MAX_CHARACTERS} characters; empty
     *     if there is none
     */
    public record StateChange(Instant at, String phase, String problem) {

        /** The number of changes that a reflector remembers. */
        public static final int KEPT = 20;

        /** The maximum length of a problem. */
        public static final int MAX_CHARACTERS = 400;

        /** Returns whether another status continues this state. */
        private boolean continuesIn(StateChange next) {
            return problem.equals(next.problem) && (!problem.isEmpty() || phase.equals(next.phase));
        }

        /** Returns the changes up to a status, without those that are too many. */
        static List<StateChange> after(List<StateChange> before, UpstreamStatus status) {
            String problem = status.problem();
            StateChange next =
                    new StateChange(
                            status.since(),
                            Names.kebab(status.phase()),
                            problem.substring(0, Math.min(problem.length(), MAX_CHARACTERS)));
            if (!before.isEmpty() && before.getLast().continuesIn(next)) {
                return before;
            }
            return Stream.concat(
                            before.stream().skip(Math.max(0, before.size() + 1 - KEPT)),
                            Stream.of(next))
                    .toList();
        }
    }
}
