package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.api.query.ListArrangement;
import io.kubemirror.api.query.ListArrangement.ListPart;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.feature.page.ObjectSearch.FoundObject;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

/**
 * Pages of all objects of a mirror, for the status page: sorted if the API sorts lists, otherwise
 * in key order. Safe for use by any thread.
 */
record ObjectPages() {

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
        String path = sortBy.startsWith("-") ? sortBy.substring(1) : sortBy;
        Optional<Snapshot> same =
                revision.isEmpty() ? Optional.empty() : mirror.snapshot(new Revision(revision));
        Snapshot state = same.or(mirror::snapshot).orElse(null);
        if (state == null || !PATHS.contains(path)) {
            return Optional.empty();
        }
        int start = Math.clamp(from, 0, state.size());
        try {
            ListArrangement order =
                    ListArrangement.read(Query.parse("sortBy=" + sortBy), mirror.scope()).orElse(null);
            ListPart part =
                    order == null
                            ? plain(state, start)
                            : order.part(state, Selection.everything(), start, PAGE);
            return Optional.of(page(mirror, part, state.revision()));
        } catch (Rejection withoutMemory) {
            return Optional.empty();
        }
    }

    private static ListPart plain(Snapshot state, int start) {
        return new ListPart(
                state.objects().stream().skip(start).limit(PAGE).toList(),
                start,
                state.size(),
                null);
    }

    private static ObjectPage page(Mirror mirror, ListPart part, Revision revision) {
        List<FoundObject> objects =
                part.objects().stream()
                        .map(object -> FoundObject.of(mirror, object, /* deleted= */ false))
                        .toList();
        return new ObjectPage(objects, part.from(), part.total(), revision.digits());
    }
}
