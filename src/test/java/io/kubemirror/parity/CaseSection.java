package io.kubemirror.parity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds a section of cases.
 *
 * <p>The cases of a rule are numbered in order, {@code list-watch.md#ls-1/1}, {@code
 * list-watch.md#ls-1/2}.
 */
final class CaseSection {

    private final String title;
    private final List<ParityCase> cases = new ArrayList<>();

    CaseSection(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Adds a case of a rule. */
    CaseSection add(ParityCase added) {
        cases.add(added);
        return this;
    }

    /** Adds a plain {@code GET} of each target. */
    CaseSection get(String row, String... targets) {
        for (String target : targets) {
            add(getting(row, target));
        }
        return this;
    }

    /** A plain {@code GET}, to be refined. */
    static ParityCase getting(String row, String target) {
        return sending(row, "GET", target);
    }

    /** A request without a body. */
    static ParityCase sending(String row, String method, String target) {
        return new ParityCase(
                row, List.of(new RawRequest(method, target, List.of())), Optional.empty());
    }

    /** Returns a copy whose cases are numbered, continuing from the given counts. */
    CaseSection numbered(Map<String, Integer> counted) {
        CaseSection section = new CaseSection(title);
        for (ParityCase one : cases) {
            section.add(one.withId(one.id() + "/" + counted.merge(one.id(), 1, Integer::sum)));
        }
        return section;
    }

    /** All cases. */
    List<ParityCase> cases() {
        return List.copyOf(cases);
    }
}
