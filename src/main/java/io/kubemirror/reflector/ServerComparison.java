package io.kubemirror.reflector;

import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Extent;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.Auditor.Audit;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ListRequest.RevisionMatch;
import io.kubemirror.source.ObjectShape;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

/**
 * Compares a state of a mirror with that of the server at one revision, by a paged list of
 * metadata.
 *
 * @param pageSize the number of objects in a page, 0 for all
 */
record ServerComparison(Source api, int pageSize) {

    /**
     * Compares. Blocks for as long as the list takes.
     *
     * @param selection what the mirror selects
     * @param snapshot the state of the mirror
     * @param at the revision of the server's state
     */
    Audit compare(ResourceType type, Selection selection, Snapshot snapshot, Revision at) {
        SnapshotComparison comparison = new SnapshotComparison(snapshot);
        ResourceCollection collection =
                new ResourceCollection(type, selection, ObjectShape.plain(), Extent.METADATA);
        ListRequest request = new ListRequest(collection, at, RevisionMatch.EXACT, pageSize, null);
        Result<ListMeta> page = api.list(request, comparison::add);
        while (page instanceof Result.Success(ListMeta(var revision, var token, var _))
                && revision.equals(at)
                && token != null) {
            page = api.list(request.next(token), comparison::add);
        }
        return switch (page) {
            case Result.Success(var last) when last.revision().equals(at) -> comparison.result();
            case Result.Success(var _) ->
                    new Audit.Refused("the server returned a list at a different revision");
            case Result.Failed(Failure.Refused refused) ->
                    refused(refused.status(), refused.summary());
            case Result.Failed(Failure.Malformed malformed) ->
                    new Audit.Refused(malformed.summary());
            case Result.Failed(Failure.Unreachable _) -> new Audit.Failed();
        };
    }

    private static Audit refused(Status status, String summary) {
        if (status.isTooLargeRevision()) {
            return new Audit.Ahead();
        }
        if (status.isExpired()) {
            return new Audit.Expired();
        }
        boolean passing = status.code() == 429 || status.code() >= 500;
        return passing ? new Audit.Failed() : new Audit.Refused(summary);
    }

    /**
     * Compares a snapshot with a list of the same revision whose objects arrive one by one in any
     * order. Keeps no object of the list.
     *
     * <p>Three numbers are sufficient, since a list of one revision contains no object twice.
     * Rejected: a set of the keys in the list, which could identify the objects that differ.
     * Objects must not be named, and the set would cost megabytes every few minutes.
     */
    private static final class SnapshotComparison {

        private final Snapshot snapshot;
        private int same;
        private int other;
        private int missing;

        SnapshotComparison(Snapshot snapshot) {
            this.snapshot = snapshot;
        }

        void add(KubeObject listed) {
            KubeObject known = snapshot.get(listed.key()).orElse(null);
            if (known == null) {
                missing++;
            } else if (known.isSameState(listed)) {
                same++;
            } else {
                other++;
            }
        }

        /** Returns the result once the list is complete. */
        Audit result() {
            int surplus = snapshot.size() - same - other;
            return missing == 0 && surplus == 0 && other == 0
                    ? new Audit.Consistent()
                    : new Audit.Different(missing, surplus, other);
        }
    }
}
