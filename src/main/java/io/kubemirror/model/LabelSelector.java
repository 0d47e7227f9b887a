package io.kubemirror.model;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A label selector: requirements which labels must meet, all of them (list-watch.md#ls-1 to
 * #ls-12).
 *
 * <p>Selectors are equal if they make the same demands, however they are written and ordered:
 * {@code a=b,c} equals {@code c, a in (b)}. That {@code a>05} and {@code a>5} are equal is noticed,
 * that {@code a,a=b} and {@code a=b} select the same is not.
 */
public final class LabelSelector {

    private static final LabelSelector EVERYTHING = new LabelSelector("", Set.of());

    private final String text;
    private final Requirement[] requirements;

    private LabelSelector(String text, Set<Requirement> requirements) {
        this.text = text;
        this.requirements = requirements.toArray(Requirement[]::new);
    }

    /** The selector that every object matches. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /**
     * Reads a selector; an empty one, or nothing but blanks, selects everything.
     *
     * @param text the selector as it stands in a query, decoded
     * @throws SelectorException with the API server's message if it cannot be read
     */
    public static LabelSelector parse(String text) throws SelectorException {
        return new LabelSelector(text, LabelSelectorParser.parse(text));
    }

    /** Whether every object matches. */
    public boolean isEverything() {
        return requirements.length == 0;
    }

    /** The number of requirements. */
    public int size() {
        return requirements.length;
    }

    /** Whether an object with these labels matches; allocates nothing. */
    public boolean matches(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.accepts(labels.get(requirement.key()))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether whatever this selector matches is certain to match the other too: each of the other's
     * requirements follows from one of this one's, as {@code a}, {@code a in (b,c)} and {@code
     * a!=x} follow from {@code a=b}. What follows only from several together is not seen.
     */
    public boolean isWithin(LabelSelector other) {
        return Arrays.stream(other.requirements).allMatch(this::implies);
    }

    private boolean implies(Requirement theirs) {
        return Arrays.stream(requirements).anyMatch(ours -> ours.implies(theirs));
    }

    /** The labels which an object must have with one value alone, with that value. */
    public Map<String, String> pinned() {
        Map<String, String> pinned = new TreeMap<>();
        for (Requirement requirement : requirements) {
            if (requirement instanceof Requirement.In(String key, Set<String> values)
                    && values.size() == 1) {
                pinned.put(key, values.iterator().next());
            }
        }
        return pinned;
    }

    /** The selector as it was written. */
    public String text() {
        return text;
    }

    private Set<Requirement> demands() {
        return Set.of(requirements);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector selector && selector.demands().equals(demands());
    }

    @Override
    public int hashCode() {
        return demands().hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
