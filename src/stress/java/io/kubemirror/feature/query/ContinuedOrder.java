package io.kubemirror.feature.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.KubeObject;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A reader sorts a snapshot for a page while another one continues the order of that snapshot in
 * the next one. Without the monitor of a direction the order has a row twice.
 */
public final class ContinuedOrder implements ConcurrentScenario {

    private static final int SIZE = 18;

    private final KubeObject[] before = objects(1);
    private final SortedObjects first = new SortedObjects(before, values(-1), null);
    private List<KubeObject> page = List.of();
    private List<KubeObject> next = List.of();

    /** Creates the objects, of which the first snapshot has sorted the largest ones. */
    public ContinuedOrder() {
        first.page(/* isDescending= */ false, SIZE - 1, 1);
    }

    private static KubeObject[] objects(long revision) {
        return IntStream.range(0, SIZE)
                .mapToObj(i -> OrderedItems.item("a/" + (char) ('a' + i), revision, ""))
                .toArray(KubeObject[]::new);
    }

    /** The values fall, so that sorting moves every row, but for one that has changed. */
    private static Object[] values(int changed) {
        return IntStream.range(0, SIZE)
                .mapToObj(i -> SortValue.of(Integer.toString(i == changed ? 0 : SIZE - i)))
                .toArray();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::read, this::proceed);
    }

    private void read() {
        page = first.page(/* isDescending= */ false, 0, SIZE);
    }

    private void proceed() {
        KubeObject[] now = before.clone();
        now[0] = objects(2)[0];
        SortedObjects.Values last = first.values();
        for (KubeObject object : now) {
            last.find(object);
        }
        next = new SortedObjects(now, values(0), last).page(/* isDescending= */ false, 0, SIZE);
    }

    @Override
    public void verify() {
        List<String> expected = new ArrayList<>(names(List.of(before)).reversed());
        assertThat(names(page)).isEqualTo(expected);
        expected.addFirst(expected.removeLast());
        assertThat(names(next)).isEqualTo(expected);
    }

    private static List<String> names(List<KubeObject> objects) {
        return objects.stream().map(object -> object.key().name()).toList();
    }
}
