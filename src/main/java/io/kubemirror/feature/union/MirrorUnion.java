package io.kubemirror.feature.union;

import static java.util.Comparator.naturalOrder;

import module java.base;

import io.kubemirror.mirror.Coverage;
import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.View;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * Writes a mirror that shows several others together, such as one resource in several namespaces
 * (list-watch.md#unions).
 *
 * <p>The revisions of a resource come from one counter, but each member reaches them on its own.
 * The union is at the smallest revision of its members: it reads their logs up to there, and
 * appends the changes in the order of their revisions. A client can therefore resume at every
 * revision that it has seen, here or at another process. A member in which nothing happens learns
 * only from bookmarks how far the server is, so the union requests progress while a change waits
 * and a client reads.
 *
 * <p>The union shares objects with its members, and its history is never longer than that of each,
 * so that both are accounted for once.
 *
 * <p>Used by one thread at a time, except for {@link #mirror}.
 */
public final class MirrorUnion implements AutoCloseable {

    /** How long a change waits for the other members before they are asked for their progress. */
    private static final Duration GRACE = Duration.ofMillis(100);

    /** The minimum interval of comparisons that find hidden updates. */
    private static final Duration REFRESH = Duration.ofSeconds(1);

    /** The maximum wait for a signal. */
    private static final Duration LONG = Duration.ofMinutes(1);

    private final MirrorWriter writer;
    private final Mirror mirror;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;
    private final List<UnionMember> members;

    /** Set by the writer of a member that needs the memory of the state that the union holds. */
    private volatile boolean aborted;

    /** The thread that waits in {@link #step}; written by it, read by the notifier. */
    private volatile @Nullable Thread waiting;

    /** Whether something is left to do without another signal. */
    private boolean pending;

    /** The time since which changes wait and the revision has not advanced. */
    private long stuckSince;

    private Revision last = Revision.ZERO;

    /** The revision from which on the changes in the history are those of the members. */
    private Revision rebuilt = Revision.ZERO;

    /** What the members have replaced, without what the union has, when no update was hidden. */
    private long balance;

    private long refreshed;

    /**
     * Creates the writer of a union without content.
     *
     * @param writer the writer of a mirror with parts, used by this union only
     * @param progress requests that a member soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public MirrorUnion(
            MirrorWriter writer, BiConsumer<Mirror, Revision> progress, LongSupplier nanos) {
        this.writer = writer;
        this.mirror = writer.mirror();
        this.progress = progress;
        this.nanos = nanos;
        this.members =
                mirror.parts().stream()
                        .map(member -> new UnionMember(member, mirror, this::wake, this::abort))
                        .toList();
        this.stuckSince = nanos.getAsLong();
        this.refreshed = stuckSince - REFRESH.toNanos();
    }

    private void wake() {
        LockSupport.unpark(waiting);
    }

    private void abort() {
        aborted = true;
        wake();
    }

    /** Returns the mirror that is written. May be called by any thread. */
    public Mirror mirror() {
        return mirror;
    }

    /**
     * Applies what the members have published, and waits for more.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public void step() throws InterruptedException {
        waiting = Thread.currentThread();
        update();
        boolean armed = true;
        for (UnionMember member : members) {
            armed &= member.arm();
        }
        if (armed) {
            LockSupport.parkNanos(this, (pending ? GRACE : LONG).toNanos());
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Requests that the members that are behind a revision reach it soon. For any thread. */
    void requestProgress(Revision revision) {
        mirror.parts().stream()
                .filter(part -> part.revision().isBefore(revision))
                .forEach(part -> progress.accept(part, revision));
    }

    /** Drops the content after a defect, so that it is read again. */
    public void drop() {
        writer.drop();
        members.forEach(UnionMember::release);
    }

    /** Applies what the members have published. */
    void update() {
        members.forEach(UnionMember::look);
        pending = true;
        if (aborted) {
            aborted = false;
            drop();
        }
        if (!isReady()) {
            return;
        }
        Revision target =
                members.stream()
                        .map(member -> member.seen().revision())
                        .min(naturalOrder())
                        .orElseThrow();
        if (mirror.view().snapshot() == null) {
            // All history that the members have in common, so that clients resume after a restart.
            rebuild(oldest());
        }
        lapse();
        if (!follow(target)) {
            rebuild(target);
        }
        refresh();
        evict();
        demand();
    }

    /**
     * Takes over that members which were restored from disk missed what readers of the earlier
     * process may have seen.
     */
    private void lapse() {
        View now = mirror.view();
        Coverage coverage = now.recent().coverage();
        Optional<UnknownStates> missed =
                members.stream()
                        .flatMap(
                                member ->
                                        Stream.ofNullable(
                                                member.seen().recent().coverage().lapse()))
                        .reduce(MirrorUnion::both);
        if (now.snapshot() != null && !missed.equals(Optional.ofNullable(coverage.lapse()))) {
            writer.lapse(missed.orElse(null));
        }
    }

    /** Returns the states between the earliest and the latest revision of both. */
    private static UnknownStates both(UnknownStates one, UnknownStates other) {
        return new UnknownStates(
                one.from().isBefore(other.from()) ? one.from() : other.from(),
                Revision.later(one.to(), other.to()));
    }

    private static boolean hasTypeOf(View one, View other) {
        return Objects.equals(one.type(), other.type())
                && one.declared().fields().equals(other.declared().fields());
    }

    /**
     * Takes over the type, and returns whether all members have content. What one of them has
     * dropped the union must not hold any longer.
     */
    private boolean isReady() {
        View now = mirror.view();
        View first = members.getFirst().seen();
        ResourceType type = first.type();
        boolean same =
                type != null && members.stream().allMatch(one -> hasTypeOf(one.seen(), first));
        boolean complete = members.stream().allMatch(one -> one.seen().snapshot() != null);
        if (!same && now.type() != null) {
            writer.forget();
        } else if (!complete && now.snapshot() != null) {
            writer.drop();
        }
        if (same && type != null && !hasTypeOf(mirror.view(), first)) {
            writer.identify(type, first.declared());
        }
        if (!same || !complete) {
            members.forEach(UnionMember::release);
        }
        return same && complete;
    }

    private boolean isJoined() {
        return mirror.view().snapshot() != null && members.stream().allMatch(UnionMember::isJoined);
    }

    /** Appends the changes up to a revision; returns false if the logs do not lead there. */
    private boolean follow(Revision target) {
        Revision reached = latestKnown(target);
        if (!isJoined() || !reached.isAfter(mirror.revision())) {
            return isJoined();
        }
        members.forEach(member -> member.read(reached));
        if (!isJoined()) {
            return false;
        }
        Optional<List<Change>> changes = UnionMember.take(members, reached);
        if (changes.isEmpty()) {
            members.forEach(UnionMember::lose);
            return false;
        }
        append(changes.get(), reached);
        members.forEach(member -> member.pin(reached));
        return true;
    }

    private void append(List<Change> changes, Revision until) {
        Revision from = mirror.revision();
        List<UnknownStates> missed =
                members.stream()
                        .flatMap(member -> member.missed(from, until))
                        .sorted(Comparator.comparing(UnknownStates::to))
                        .toList();
        writer.follow(changes, missed, until);
    }

    /** Returns the latest revision up to the given one whose state all members know. */
    private Revision latestKnown(Revision revision) {
        Revision latest = revision;
        for (UnionMember member : members) {
            latest = member.latestKnown(latest);
        }
        return latest.equals(revision) ? latest : latestKnown(latest);
    }

    /**
     * Replaces the content by the states of the members at a revision. Does nothing if a member
     * does not have that state.
     */
    private void rebuild(Revision reached) {
        Revision target = latestKnown(reached);
        boolean continues = members.stream().noneMatch(UnionMember::isBroken);
        if (target.isBefore(mirror.revision()) && continues) {
            // Spans of unknown states became one. The union waits for a state after them.
            return;
        }
        Map<ObjectKey, KubeObject> content = new HashMap<>();
        for (UnionMember member : members) {
            Snapshot state = member.at(target).orElse(null);
            if (state == null) {
                return;
            }
            state.objects().forEach(object -> content.put(object.key(), object));
        }
        writer.replace(content, target, continues);
        members.forEach(member -> member.join(target));
        rebuilt = target;
        balance = balance();
    }

    /**
     * Takes over updates that the members hide from readers and that are not in their logs
     * (list-watch.md#ca-4). Members that have replaced more than the union have stored some.
     */
    private void refresh() {
        Revision now = mirror.revision();
        boolean hides = writer.updates() == UpdateVisibility.VISIBLE && isJoined();
        long time = nanos.getAsLong();
        if (!hides || time - refreshed < REFRESH.toNanos() || balance() == balance) {
            return;
        }
        Snapshot state = mirror.snapshot().orElseThrow();
        List<KubeObject> hidden =
                members.stream().flatMap(member -> member.newerThan(state, now)).toList();
        writer.refresh(hidden);
        balance = balance();
        refreshed = time;
    }

    private long balance() {
        Revision now = mirror.revision();
        return members.stream()
                        .flatMap(member -> member.at(now).stream())
                        .mapToLong(Snapshot::replaced)
                        .sum()
                - mirror.snapshot().map(Snapshot::replaced).orElse(0L);
    }

    /**
     * Evicts what a member has evicted, so that members account for all objects in the history.
     * Changes that are not in their logs are accounted for by the union.
     */
    private void evict() {
        Revision until = oldest();
        if (until.isAfter(mirror.floor()) && until.isAfter(rebuilt)) {
            writer.evict(until);
        }
    }

    /** Returns the earliest revision whose state all members have. */
    private Revision oldest() {
        return latest(member -> member.seen().recent().base().revision());
    }

    /** Requests progress from the members that keep the others from being shown. */
    private void demand() {
        boolean joined = isJoined();
        Revision now = mirror.revision();
        Revision wanted = latest(member -> member.seen().newest());
        pending = !joined || wanted.isAfter(now);
        long time = nanos.getAsLong();
        if (!pending || !now.equals(last)) {
            stuckSince = time;
        }
        last = now;
        boolean stuck = pending && time - stuckSince >= GRACE.toNanos();
        if (stuck && (!joined || mirror.hasReaders())) {
            members.stream()
                    .filter(member -> member.seen().revision().isBefore(wanted))
                    .forEach(member -> progress.accept(member.source(), wanted));
        }
    }

    private Revision latest(Function<UnionMember, Revision> value) {
        return members.stream().map(value).max(naturalOrder()).orElseThrow();
    }

    /** Returns all memory, because the mirror has been removed. */
    public void end() {
        writer.end();
    }

    /** Releases the subscriptions and states of the members. */
    @Override
    public void close() {
        members.forEach(UnionMember::close);
    }
}
