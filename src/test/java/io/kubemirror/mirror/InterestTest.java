package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A selection is looked up by interests that include everything that it selects. */
class InterestTest {

    private static final List<String> NAMESPACES = List.of("", "a", "a-b");
    private static final List<String> LABELS =
            List.of(
                    "",
                    "app=v",
                    "app in (v)",
                    "app in (v,w)",
                    "app!=v",
                    "app,tier=x",
                    "!app",
                    "a>1");
    private static final List<String> FIELDS =
            List.of(
                    "",
                    "metadata.name=x",
                    "metadata.name!=x",
                    "metadata.namespace=a",
                    "spec.nodeName=n",
                    "spec.nodeName=",
                    "spec.nodeName!=n",
                    "metadata.namespace=",
                    "metadata.namespace=a,spec.nodeName=n");

    @ParameterizedTest
    @CsvSource({
        "'', '', '', Everything[]",
        "a, '', '', Within[namespace=a]",
        "a, app=v, metadata.name=x, 'Named[namespace=a, name=x]'",
        "'', app=v, '', 'Valued[isLabel=true, name=app, value=v]'",
        "a, app notin (v), '', Within[namespace=a]",
        "'', app!=v, metadata.namespace=b, Within[namespace=b]",
        "'', '', spec.nodeName=, Everything[]"
    })
    void selection_of_one_value_has_one_candidate(
            String namespace, String labels, String fields, String interest) {
        assertThat(Interest.candidates(selection(namespace, labels, fields)))
                .singleElement()
                .hasToString(interest);
    }

    @Test
    void selection_of_several_values_has_as_many_candidates() {
        assertThat(Interest.candidates(selection("a", "app=v,tier in (x),!old", "spec.nodeName=n")))
                .containsExactly(
                        new Interest.Valued(false, "spec.nodeName", "n"),
                        new Interest.Valued(true, "app", "v"),
                        new Interest.Valued(true, "tier", "x"),
                        new Interest.Within("a"));
        assertThat(Interest.candidates(selection("", "app in (v,w)", "")))
                .containsExactly(new Interest.Everything());
    }

    @Test
    void each_candidate_includes_all_changes_of_the_selection() {
        for (long seed = 0; seed < 20_000; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            Selection selection =
                    selection(any(NAMESPACES, random), any(LABELS, random), any(FIELDS, random));
            Change change = change(random);
            for (Interest interest : Interest.candidates(selection)) {
                boolean signaled =
                        Interest.of(change).contains(interest) && selection.matches(change);
                assertThat(signaled)
                        .as("seed %d: %s of %s by %s", seed, change, selection, interest)
                        .isEqualTo(selection.view(change).isPresent());
            }
        }
    }

    private static Change change(RandomGenerator random) {
        String path = any(List.of("a/x", "a/y", "a-b/x", "x"), random);
        KubeObject before = object(path, random, 7);
        return switch (random.nextInt(3)) {
            case 0 -> new Change.Added(before.revision(), before);
            case 1 -> new Change.Deleted(new Revision("8"), before);
            default -> new Change.Modified(new Revision("8"), before, object(path, random, 8));
        };
    }

    private static KubeObject object(String path, RandomGenerator random, int revision) {
        Map<String, String> labels = new HashMap<>();
        if (random.nextBoolean()) {
            labels.put("app", any(List.of("v", "w", ""), random));
        }
        if (random.nextBoolean()) {
            labels.put("tier", any(List.of("x", "y"), random));
        }
        Map<String, String> fields =
                random.nextBoolean()
                        ? Map.of("spec.nodeName", any(List.of("n", "m", ""), random))
                        : Map.of();
        KubeObject plain = KubeObjects.object(path, revision);
        return plain.with(labels, fields);
    }

    private static <T> T any(List<T> list, RandomGenerator random) {
        return list.get(random.nextInt(list.size()));
    }
}
