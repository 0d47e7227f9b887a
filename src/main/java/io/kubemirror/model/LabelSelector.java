package io.kubemirror.model;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A label selector: requirements that labels must all meet (list-watch.md#ls-1 to #ls-12).
 *
 * <p>Selectors are equal if they have the same requirements, in any spelling and order: {@code
 * a=b,c} equals {@code c, a in (b)}. {@code a>05} equals {@code a>5}, but {@code a,a=b} does not
 * equal {@code a=b}, although both select the same.
 */
public final class LabelSelector {

    private static final LabelSelector EVERYTHING = new LabelSelector("", Set.of());

    private final String text;
    private final Requirement[] requirements;

    private LabelSelector(String text, Set<Requirement> requirements) {
        this.text = text;
        this.requirements = requirements.toArray(Requirement[]::new);
    }

    /** Returns the selector that matches every object. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /**
     * Parses a selector; an empty or blank one selects everything.
     *
     * @param text the selector from a query, decoded
     * @throws SelectorException with the API server's message if the text is not a selector
     */
    public static LabelSelector parse(String text) throws SelectorException {
        return new LabelSelector(text, LabelSelectorParser.parse(text));
    }

    /** Returns whether the selector matches every object. */
    public boolean isEverything() {
        return requirements.length == 0;
    }

    /** Returns the number of requirements. */
    public int size() {
        return requirements.length;
    }

    /** Returns whether an object with these labels matches; allocates nothing. */
    public boolean matches(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.accepts(labels.get(requirement.key()))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether every object that this selector matches also matches the other: each of the
     * other's requirements follows from one of this one's, as {@code a}, {@code a in (b,c)}, and
     * {@code a!=x} follow from {@code a=b}. Requirements that follow only from several others
     * together are not detected.
     */
    public boolean isWithin(LabelSelector other) {
        return Arrays.stream(other.requirements).allMatch(this::implies);
    }

    private boolean implies(Requirement theirs) {
        return Arrays.stream(requirements).anyMatch(ours -> ours.implies(theirs));
    }

    /** Returns the labels for which exactly one value is required, with that value. */
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

    /** Returns the selector as it was written. */
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
