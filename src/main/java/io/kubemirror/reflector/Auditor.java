package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListPage;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ListRequest.RevisionMatch;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;

import org.slf4j.event.Level;

import java.time.Duration;
import java.util.Optional;

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

    /**
     * The fraction by which waits may exceed the interval, so that audits of different mirrors
     * spread out.
     */
    private static final double SCATTER = 0.2;

    private static final Duration LONG = Duration.ofDays(1);

    private final ReflectorContext context;
    private final Mirror mirror;
    private final ReflectorLog log;
    private final ListPermit permit;
    private final Thread thread;
    private boolean refusalTold;

    /** Creates an auditor that has not started. */
    Auditor(ReflectorContext context) {
        this.context = context;
        this.mirror = context.writer().mirror();
        this.log = new ReflectorLog(mirror);
        this.permit = new ListPermit(context.environment().limiter());
        this.thread = Thread.ofVirtual().name("auditor-" + mirror.scope()).unstarted(this::run);
    }

    /** Starts regular audits on a virtual thread, if audits are enabled. */
    void start() {
        if (context.settings().timeouts().auditInterval().isPositive()) {
            thread.start();
        }
    }

    /** Stops as soon as the audit in progress allows. The result of that audit is discarded. */
    void stop() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (!mirror.await(Revision.ZERO, LONG)) {
                log.line(Level.DEBUG, "waiting").log("{}: not synchronized yet", mirror.scope());
            }
            while (!Thread.currentThread().isInterrupted()) {
                context.environment().sleeper().sleep(scattered());
                checkSafely();
            }
        } catch (InterruptedException _) {
            // close() interrupts the wait.
        }
    }

    private Duration scattered() {
        long interval = context.settings().timeouts().auditInterval().toMillis();
        double extra = context.environment().random().nextDouble(SCATTER);
        return Duration.ofMillis(interval + (long) (interval * extra));
    }

    /** A defect of kubemirror must not end the audits permanently. */
    private void checkSafely() throws InterruptedException {
        try {
            // An audit is a list too, but not an urgent one (list-watch.md#bo-7).
            permit.acquire(true);
            check();
        } catch (RuntimeException defect) {
            log.line(Level.ERROR, "defect")
                    .setCause(defect)
                    .log("{}: internal error", mirror.scope());
        } finally {
            permit.release();
        }
    }

    /**
     * Compares once if the mirror follows the server, counts and logs the result, and requests a
     * resynchronization if necessary. Blocks for as long as the list takes. Used by one thread.
     */
    Audit check() {
        // Read first: if a synchronization completes in between, the result is about the state
        // before it.
        long answers = context.resyncRequest().answers();
        Optional<ResourceType> type = mirror.type();
        Optional<Snapshot> snapshot = mirror.snapshot();
        if (mirror.upstream().phase() != Phase.WATCHING || type.isEmpty() || snapshot.isEmpty()) {
            return new Audit.Untimely();
        }
        Audit audit = compare(type.get(), snapshot.get());
        conclude(audit, snapshot.get().revision(), answers);
        return audit;
    }

    private Audit compare(ResourceType type, Snapshot snapshot) {
        SnapshotComparison comparison = new SnapshotComparison(snapshot);
        ListRequest request = request(type, snapshot.revision());
        Result<ListPage> outcome = context.api().list(request, comparison::add);
        while (outcome instanceof Result.Success(ListPage(var revision, var token, var _))
                && revision.equals(snapshot.revision())
                && token != null) {
            outcome = context.api().list(request.next(token), comparison::add);
        }
        return switch (outcome) {
            case Result.Success(var page) when page.revision().equals(snapshot.revision()) ->
                    comparison.result();
            case Result.Success(var _) -> new Audit.Refused("the server lists another revision");
            case Result.Failed(var failure) -> audit(failure);
        };
    }

    private ListRequest request(ResourceType type, Revision revision) {
        ResourceCollection collection =
                new ResourceCollection(
                        type, mirror.scope().selection(), ObjectShape.plain(), Extent.METADATA);
        int limit = context.settings().pageSize();
        return new ListRequest(collection, revision, RevisionMatch.EXACT, limit, null);
    }

    private static Audit audit(Failure failure) {
        return switch (failure) {
            case Failure.Refused refused -> audit(refused.status(), refused.summary());
            case Failure.Malformed malformed -> new Audit.Refused(malformed.summary());
            case Failure.Unreachable _ -> new Audit.Failed();
        };
    }

    private static Audit audit(Status status, String summary) {
        if (status.isTooLargeRevision()) {
            return new Audit.Ahead();
        }
        if (status.isExpired()) {
            return new Audit.Expired();
        }
        boolean passing = status.code() == 429 || status.code() >= 500;
        return passing ? new Audit.Failed() : new Audit.Refused(summary);
    }

    private void conclude(Audit audit, Revision revision, long answers) {
        switch (audit) {
            case Audit.Untimely _ -> {}
            case Audit.Consistent _ -> context.counts().count(Counter.AUDITS_CONSISTENT);
            case Audit.Expired _ -> context.counts().count(Counter.AUDITS_EXPIRED);
            case Audit.Failed _ -> context.counts().count(Counter.AUDITS_FAILED);
            case Audit.Refused refused -> refused(refused.reason());
            case Audit.Different different -> different(different, revision, answers);
            case Audit.Ahead _ -> ahead(revision, answers);
        }
    }

    private void refused(String reason) {
        context.counts().count(Counter.AUDITS_REFUSED);
        if (!refusalTold) {
            refusalTold = true;
            log.line(Level.WARN, "audit-refused")
                    .addKeyValue("kubemirror.problem", reason)
                    .log(
                            "{}: cannot be compared with the server: {}; that is only a safeguard,"
                                    + " kubemirror.upstream.audit-interval=0 does without",
                            mirror.scope(),
                            reason);
        }
    }

    private void different(Audit.Different different, Revision revision, long answers) {
        context.counts().count(Counter.AUDITS_DIFFERENT);
        log.line(Level.WARN, "audit-different")
                .addKeyValue("kubemirror.missing", different.missing())
                .addKeyValue("kubemirror.surplus", different.surplus())
                .addKeyValue("kubemirror.other", different.other())
                .log(
                        "{}: differs from the server at revision {}: {} missing, {} surplus, {} in"
                                + " another state; synchronising anew",
                        mirror.scope(),
                        revision,
                        different.missing(),
                        different.surplus(),
                        different.other());
        context.resyncRequest().request(answers);
    }

    private void ahead(Revision revision, long answers) {
        context.counts().count(Counter.AUDITS_AHEAD);
        log.line(Level.WARN, "audit-ahead")
                .log(
                        "{}: the server does not have revision {} any more or yet; synchronizing"
                                + " again",
                        mirror.scope(),
                        revision);
        context.resyncRequest().request(answers);
    }
}
