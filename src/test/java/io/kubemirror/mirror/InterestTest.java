package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A reader is signaled for every change that its selection may match. */
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
                    "metadata.namespace=a,spec.nodeName=n");

    @ParameterizedTest
    @CsvSource({
        "'', '', '', Everything[]",
        "a, '', '', Within[namespace=a]",
        "a, app=v, metadata.name=x, 'Named[namespace=a, name=x]'",
        "'', app=v, '', 'Labeled[label=app, value=v]'",
        "a, 'app in (v,w)', '', Within[namespace=a]",
        "'', app!=v, metadata.namespace=b, Within[namespace=b]",
        "'', app=v, spec.nodeName=n, 'Having[field=spec.nodeName, value=n]'",
        "'', '', spec.nodeName=, Everything[]"
    })
    void selection_maps_to_its_narrowest_interest(
            String namespace, String labels, String fields, String interest)
            throws SelectorException {
        assertThat(Interest.of(selection(namespace, labels, fields))).hasToString(interest);
    }

    @Test
    void interest_covers_every_change_that_its_selection_matches() throws SelectorException {
        for (long seed = 0; seed < 5_000; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            Selection selection =
                    selection(any(NAMESPACES, random), any(LABELS, random), any(FIELDS, random));
            Change change = change(random);
            Interest interest = Interest.of(selection);
            boolean woken =
                    interest instanceof Interest.Everything
                            || Interest.of(change).contains(interest);
            assertThat(woken || selection.view(change).isEmpty())
                    .as("seed %d: %s of %s", seed, change, selection)
                    .isTrue();
        }
    }

    private static Selection selection(String namespace, String labels, String fields)
            throws SelectorException {
        return new Selection(namespace, LabelSelector.parse(labels), FieldSelector.parse(fields));
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
