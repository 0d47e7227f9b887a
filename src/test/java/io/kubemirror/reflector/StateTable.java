package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** The table of transitions in {@code src/docs/reflector.md}. */
final class StateTable {

    private static final Path PAGE = Path.of("src", "docs", "reflector.md");

    /** A state or several, an input, the next states, and what happens. */
    private static final Pattern ROW =
            Pattern.compile(
                    "^\\| ([A-Za-z, ]+) \\| ([^|]+) \\| ([A-Za-z, ]+) \\|[^|]*\\|$",
                    Pattern.MULTILINE);

    /** An arrow of the Mermaid picture. */
    private static final Pattern ARROW =
            Pattern.compile("^ +(\\w+) --> (\\w+)(:.*)?$", Pattern.MULTILINE);

    private static final String ANY = "any";

    private static final Set<String> STATES =
            Arrays.stream(ReflectorState.class.getPermittedSubclasses())
                    .map(Class::getSimpleName)
                    .collect(Collectors.toSet());

    /** What follows, by state and input. */
    private final TreeMap<String, Set<String>> rows = new TreeMap<>();

    /**
     * Something that happened.
     *
     * @param from the state before
     * @param to the state after
     */
    record Transition(ReflectorState from, ReflectorState to) {}

    StateTable() {
        ROW.matcher(page())
                .results()
                .filter(row -> isStates(row.group(1)) && isStates(row.group(3)))
                .forEach(row -> add(row.group(1), row.group(2), row.group(3)));
    }

    private static boolean isStates(String cell) {
        return Stream.of(cell.split(", ", -1)).allMatch(s -> s.equals(ANY) || STATES.contains(s));
    }

    private void add(String states, String input, String next) {
        for (String state : states.split(", ", -1)) {
            if (rows.put(state + ": " + input, Set.of(next.split(", ", -1))) != null) {
                throw new AssertionError("twice in the table: " + state + ": " + input);
            }
        }
    }

    private static String page() {
        return Unchecked.call(() -> Files.readString(PAGE));
    }

    /** All rows, one for each state, as {@link TransitionRow} names them. */
    Set<String> rows() {
        return rows.keySet();
    }

    /**
     * The arrows between different states, such as {@code Opening --> Watching}. A wait before the
     * next state is two arrows.
     */
    Set<String> arrows() {
        Set<String> arrows = new TreeSet<>();
        rows.forEach((row, next) -> addArrows(row.substring(0, row.indexOf(':')), next, arrows));
        return arrows;
    }

    private static void addArrows(String from, Set<String> next, Set<String> arrows) {
        String backingOff = ReflectorState.BackingOff.class.getSimpleName();
        boolean waits = next.contains(backingOff);
        for (String state : from.equals(ANY) ? STATES : Set.of(from)) {
            next.stream()
                    .filter(to -> !to.equals(ANY))
                    .map(
                            to ->
                                    waits && !to.equals(backingOff)
                                            ? arrow(backingOff, to)
                                            : arrow(state, to))
                    .forEach(arrows::add);
            arrows.remove(arrow(state, state));
        }
    }

    private static String arrow(String from, String to) {
        return from + " --> " + to;
    }

    /** The arrows of the picture on the page; the one to the first state aside. */
    static Set<String> pictureArrows() {
        return ARROW.matcher(page())
                .results()
                .map(arrow -> arrow(arrow.group(1), arrow.group(2)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether something that happened is what a row says. */
    boolean says(String row, Transition step) {
        Set<String> next = rows.getOrDefault(row, Set.of());
        return row.startsWith(name(step.from()) + ":")
                && (next.contains(ANY) || next.equals(names(step.to())));
    }

    /** Whether any row lists something that happened. */
    boolean lists(Transition step) {
        return rows.keySet().stream().anyMatch(row -> says(row, step));
    }

    private static String name(ReflectorState state) {
        return state.getClass().getSimpleName();
    }

    private static Set<String> names(ReflectorState state) {
        Set<String> names = new TreeSet<>();
        names.add(name(state));
        if (state instanceof ReflectorState.BackingOff resting) {
            names.addAll(names(resting.next()));
        }
        return names;
    }
}
