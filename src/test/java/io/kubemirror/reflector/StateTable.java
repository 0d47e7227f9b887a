package io.kubemirror.reflector;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table in the comment of {@link Reflector}. */
final class StateTable {

    private static final Path SOURCE =
            Path.of("src/main/java/io/kubemirror/reflector/Reflector.java");

    private static final Pattern ROW =
            Pattern.compile("<tr><td>(.+?)</td><td>(.+?)</td><td>(.+?)</td></tr>");

    private static final Set<String> STATES =
            Arrays.stream(ReflectorState.class.getPermittedSubclasses())
                    .map(Class::getSimpleName)
                    .collect(Collectors.toSet());

    /** What follows, by state and event. */
    private final TreeMap<String, String> rows = new TreeMap<>();

    /**
     * Something that happened.
     *
     * @param from the state before
     * @param to the state after
     */
    record Transition(ReflectorState from, ReflectorState to) {}

    StateTable() {
        ROW.matcher(source())
                .results()
                .forEach(row -> add(row.group(1), row.group(2), row.group(3)));
    }

    private void add(String states, String event, String next) {
        for (String state : states.split(", ", -1)) {
            if (rows.put(state + ": " + event, next) != null) {
                throw new AssertionError("twice in the table: " + state + ": " + event);
            }
        }
    }

    private static String source() {
        try {
            return Files.readString(SOURCE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All rows, one for each state, as {@link TransitionRow} names them. */
    Set<String> rows() {
        return rows.keySet();
    }

    /** Whether something that happened is what a row says; what it calls what, may be any state. */
    boolean says(String row, Transition step) {
        String next = rows.getOrDefault(row, "no such row");
        return row.startsWith(step.from().getClass().getSimpleName() + ":")
                && (next.startsWith("what ") || named(next).equals(names(step.to())));
    }

    private static Set<String> named(String next) {
        return Stream.of(next.split("\\W+", -1))
                .filter(STATES::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(ReflectorState state) {
        Set<String> names = new TreeSet<>();
        names.add(state.getClass().getSimpleName());
        if (state instanceof ReflectorState.BackingOff resting) {
            names.addAll(names(resting.next()));
        }
        return names;
    }
}
