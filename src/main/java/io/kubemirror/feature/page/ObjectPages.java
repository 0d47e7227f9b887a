package io.kubemirror.feature.page;

import io.kubemirror.feature.page.ObjectSearch.FoundObject;
import io.kubemirror.feature.query.OrderCache;
import io.kubemirror.feature.query.SortedObjects;
import io.kubemirror.feature.query.ValuePath;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Sorted pages of all objects of a mirror, for the status page. Safe for use by any thread.
 *
 * @param orders sorts snapshots
 */
record ObjectPages(OrderCache orders) {

    /** Maximum number of objects in a page. */
    private static final int PAGE = 50;

    /** The values to sort by. Others are contents, which not every page shows. */
    private static final Set<String> PATHS =
            Set.of("metadata.name", "metadata.creationTimestamp", "metadata.resourceVersion");

    /**
     * A part of the objects of a mirror.
     *
     * @param objects the objects
     * @param from the number of objects before them
     * @param total the number of all objects
     * @param revision the state that shows them; further pages of it show the same state
     */
    record ObjectPage(List<FoundObject> objects, int from, int total, String revision) {}

    /**
     * Returns a page, empty if there is no such order, no content yet, or no memory.
     *
     * @param sortBy the path of a value, after a {@code -} for the largest value first
     * @param revision the state of the first page, empty for the present one; the present state is
     *     shown if the history does not have it any more
     * @param from the number of objects before the page
     */
    Optional<ObjectPage> page(Mirror mirror, String sortBy, String revision, int from) {
        boolean descending = sortBy.startsWith("-");
        String path = descending ? sortBy.substring(1) : sortBy;
        Optional<Snapshot> same =
                revision.isEmpty() ? Optional.empty() : mirror.snapshot(new Revision(revision));
        Snapshot state = same.or(mirror::snapshot).orElse(null);
        if (state == null || !PATHS.contains(path)) {
            return Optional.empty();
        }
        ValuePath by = ValuePath.parse(path, List.of());
        return orders.sorted(mirror, state, Selection.everything(), by)
                .map(all -> page(mirror, all, descending, from, state.revision()));
    }

    private static ObjectPage page(
            Mirror mirror, SortedObjects all, boolean descending, int from, Revision revision) {
        int start = Math.clamp(from, 0, all.size());
        List<FoundObject> objects =
                all.page(descending, start, PAGE).stream()
                        .map(object -> FoundObject.of(mirror, object, /* deleted= */ false))
                        .toList();
        return new ObjectPage(objects, start, all.size(), revision.digits());
    }
}
