package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;

import org.slf4j.event.Level;

/**
 * Compares the mirror with the server at the same revision at regular intervals, and requests a
 * resynchronization where they differ (list-watch.md#ca-6).
 *
 * <p>Only the auditor detects that a server was restored from a backup while a watch was being
 * reopened: such a watch is accepted and silent (list-watch.md#wa-10). It costs the server a paged
 * list of metadata and the mirror next to nothing: a snapshot never changes, so the list is
 * compared while it arrives and no other thread waits.
 *
 * <p>Rejected: comparing with the server's present state, which is never the mirror's; and a digest
 * of all revisions, as the API server compares its cache with etcd, which no server offers to its
 * clients.
 */
final class Auditor {

    /** A list of so many pages, in addition to twice those of the mirror, does not end. */
    private static final int MAX_PAGES = 1_000;

    private final StateMachine machine;
    private final Mirror mirror;
    private final Duration interval;
    private final Semaphore lists;
    private final PeriodicThread thread;
    private boolean synced;
    private boolean refusalReported;

    Auditor(StateMachine machine) {
        this.machine = machine;
        this.mirror = machine.writer.mirror();
        this.interval = machine.settings.timeouts().auditInterval();
        this.lists = machine.environment.lists();
        this.thread =
                new PeriodicThread(
                        "auditor-" + mirror.scope(),
                        this::audit,
                        interval,
                        machine.environment.sleeper());
    }

    /** Starts regular audits on a virtual thread, if audits are enabled. */
    void start() {
        if (interval.isPositive()) {
            thread.start();
        }
    }

    /** Stops as soon as the audit in progress allows. The result of that audit is discarded. */
    void stop() {
        thread.stop(Duration.ZERO);
    }

    /**
     * Audits, except the first time. An audit is a list too, but not an urgent one
     * (list-watch.md#bo-7).
     */
    private Duration audit() throws InterruptedException {
        if (!synced) {
            synced = mirror.await(Revision.ZERO, interval);
        } else if (isFollowing()) {
            lists.acquire();
            try {
                check();
            } finally {
                lists.release();
            }
        }
        return RetryState.scattered(interval, machine.environment.random());
    }

    private boolean isFollowing() {
        return mirror.upstream().phase() == Phase.WATCHING;
    }

    /**
     * Compares once if the mirror follows the server, counts and logs the result, and requests a
     * resynchronization if necessary. Blocks for as long as the list takes. Used by one thread.
     */
    Audit check() {
        // Read first: if a synchronization completes in between, the result is about the state
        // before it.
        long answers = machine.resyncRequest.answers();
        Optional<ResourceType> type = mirror.type();
        Optional<Snapshot> snapshot = mirror.snapshot();
        if (!isFollowing() || type.isEmpty() || snapshot.isEmpty()) {
            return new Audit.Untimely();
        }
        Revision revision = snapshot.get().revision();
        Audit audit = compare(machine, type.get(), snapshot.get(), revision);
        conclude(audit, revision, answers);
        return audit;
    }

    private void conclude(Audit audit, Revision revision, long answers) {
        switch (audit) {
            case Audit.Untimely _ -> {}
            case Audit.Consistent _ -> machine.counts.count(Counter.AUDITS_CONSISTENT);
            case Audit.Different(var how) -> {
                machine.counts.count(Counter.AUDITS_DIFFERENT);
                machine.reporter.log(
                        Level.WARN,
                        "audit-different",
                        "differs from the server at revision %s: %s; synchronizing again"
                                .formatted(revision, how));
                machine.resyncRequest.request(answers);
            }
            case Audit.Inconclusive(var failure) -> {
                machine.counts.count(Counter.AUDITS_FAILED);
                if (FailureHandler.isLasting(failure) && !FailureHandler.isExpired(failure)) {
                    refused(failure.summary());
                }
            }
        }
    }

    private void refused(String reason) {
        if (!refusalReported) {
            refusalReported = true;
            machine.reporter.log(
                    Level.WARN,
                    "audit-refused",
                    "cannot compare the mirror with the server: "
                            + reason
                            + "; audits are optional, set kubemirror.upstream.audit-interval=0 to"
                            + " disable them");
        }
    }

    /** The result of comparing the mirror with the server at one revision (list-watch.md#ca-6). */
    sealed interface Audit {

        /** The mirror was not following the server, so no comparison was made. */
        record Untimely() implements Audit {}

        /** The mirror and the server have the same objects in the same states. */
        record Consistent() implements Audit {}

        /**
         * The mirror and the server differ.
         *
         * @param how in what, for the log
         */
        record Different(String how) implements Audit {}

        /**
         * No comparison is possible.
         *
         * @param failure why not
         */
        record Inconclusive(Failure failure) implements Audit {}
    }

    /**
     * Compares a state of a mirror with that of the server at one revision, by a paged list of
     * metadata. Blocks for as long as the list takes. For any thread.
     *
     * <p>A server that does not have the revision was restored from a backup, and the watch waits
     * for a revision that may never come (list-watch.md#wa-10, #re-12).
     *
     * @param snapshot the state of the mirror
     * @param at the revision of the server's state
     */
    static Audit compare(StateMachine machine, ResourceType type, Snapshot snapshot, Revision at) {
        SnapshotComparison comparison = new SnapshotComparison(snapshot);
        Selection selection = machine.writer.mirror().scope().selection();
        ResourceCollection metadata =
                new ResourceCollection(type, selection, ObjectShape.plain(), Extent.METADATA);
        int pageSize = machine.settings.pageSize();
        ListRequest request = new ListRequest(metadata, at, RevisionMatch.EXACT, pageSize, null);
        int pages = MAX_PAGES + 2 * snapshot.size() / Math.max(1, pageSize);
        return switch (lastPage(machine.source, request, pages, comparison::add)) {
            case Result.Success(var last) when last.revision().equals(at) -> comparison.result();
            case Result.Success(var _) ->
                    new Audit.Inconclusive(
                            new Failure.Malformed("the list is at a different revision"));
            case Result.Failed(Failure.Refused(var status)) when status.isTooLargeRevision() ->
                    new Audit.Different("the server does not have it");
            case Result.Failed(var failure) -> new Audit.Inconclusive(failure);
        };
    }

    /** Lists up to the last page, or to one of another revision, but no more pages than that. */
    private static Result<ListMeta> lastPage(
            Source source, ListRequest first, int pages, Consumer<KubeObject> objects) {
        ListRequest request = first;
        Result<ListMeta> page = source.list(request, objects);
        int left = pages;
        while (page instanceof Result.Success(ListMeta(var at, var token, var _))
                && at.equals(first.revision())
                && token != null) {
            if (token.equals(request.continueToken()) || left-- == 0) {
                return Result.failed(new Failure.Malformed("the list does not end"));
            }
            request = request.next(token);
            page = source.list(request, objects);
        }
        return page;
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
                    : new Audit.Different(
                            "%d missing, %d surplus, %d in a different state"
                                    .formatted(missing, surplus, other));
        }
    }
}
