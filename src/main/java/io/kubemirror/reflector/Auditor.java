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
import io.kubemirror.model.Status;
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
    private final ListLimiter.ListPermit permit;
    private final PeriodicThread thread;
    private boolean synced;
    private boolean refusalReported;

    Auditor(StateMachine machine) {
        this.machine = machine;
        this.mirror = machine.writer.mirror();
        this.interval = machine.settings.timeouts().auditInterval();
        this.permit = machine.environment.limiter().permit();
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
            permit.acquire(true);
            try {
                check();
            } finally {
                permit.release();
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
            case Audit.Expired _ -> machine.counts.count(Counter.AUDITS_EXPIRED);
            case Audit.Failed _ -> machine.counts.count(Counter.AUDITS_FAILED);
            case Audit.Refused(var reason) -> refused(reason);
            case Audit.Different different -> {
                different(different, revision);
                machine.resyncRequest.request(
                        answers, different.missing() + different.surplus() + different.other());
            }
            case Audit.Ahead _ -> {
                ahead(revision);
                machine.resyncRequest.request(answers, 0);
            }
        }
    }

    private void refused(String reason) {
        machine.counts.count(Counter.AUDITS_REFUSED);
        if (!refusalReported) {
            refusalReported = true;
            machine.reporter
                    .line(Level.WARN, "audit-refused")
                    .addKeyValue("kubemirror.problem", reason)
                    .log(
                            "{}: cannot compare the mirror with the server: {}; audits are"
                                + " optional, set kubemirror.upstream.audit-interval=0 to disable"
                                + " them",
                            mirror.scope(),
                            reason);
        }
    }

    private void different(Audit.Different different, Revision revision) {
        machine.counts.count(Counter.AUDITS_DIFFERENT);
        machine.reporter
                .line(Level.WARN, "audit-different")
                .addKeyValue("kubemirror.missing", different.missing())
                .addKeyValue("kubemirror.surplus", different.surplus())
                .addKeyValue("kubemirror.other", different.other())
                .log(
                        "{}: differs from the server at revision {}: {} missing, {} surplus, {} in"
                                + " a different state; synchronizing again",
                        mirror.scope(),
                        revision,
                        different.missing(),
                        different.surplus(),
                        different.other());
    }

    private void ahead(Revision revision) {
        machine.counts.count(Counter.AUDITS_AHEAD);
        machine.reporter
                .line(Level.WARN, "audit-ahead")
                .log(
                        "{}: the server does not have revision {}; synchronizing again",
                        mirror.scope(),
                        revision);
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
         * @param missing the number of objects that only the server has
         * @param surplus the number of objects that only the mirror has
         * @param other the number of objects that both have in different states
         */
        record Different(int missing, int surplus, int other) implements Audit {}

        /**
         * The server does not have the mirror's revision. It was restored from a backup, and the
         * watch waits for a revision that may never come (list-watch.md#wa-10, #re-12).
         */
        record Ahead() implements Audit {}

        /** The server does not keep the revision any more, so that no comparison is possible. */
        record Expired() implements Audit {}

        /**
         * The server refuses a list at an exact revision.
         *
         * @param reason the reason, in one line
         */
        record Refused(String reason) implements Audit {}

        /** The server did not answer. The reflector finds the cause itself. */
        record Failed() implements Audit {}
    }

    /**
     * Compares a state of a mirror with that of the server at one revision, by a paged list of
     * metadata. Blocks for as long as the list takes. For any thread.
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
                    new Audit.Refused("the server returned a list at a different revision");
            case Result.Failed(Failure.Refused refused) ->
                    refused(refused.status(), refused.summary());
            case Result.Failed(Failure.Malformed malformed) ->
                    new Audit.Refused(malformed.summary());
            case Result.Failed(Failure.Unreachable _) -> new Audit.Failed();
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
