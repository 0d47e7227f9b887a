package io.kubemirror.feature.union;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;

/** A mirror that shows others together. {@link MirrorUnion} fills it. */
public final class UnionMirror extends Mirror {

    /** Orders by how far a mirror is from following the server. */
    private static final Comparator<UpstreamStatus> WORST =
            comparing(
                    status ->
                            switch (status.phase()) {
                                case WATCHING -> 0;
                                case POLLING -> 1;
                                case ABSENT -> 2;
                                case SYNCHRONIZING -> 3;
                                case RESOLVING -> 4;
                                case BACKING_OFF -> 5;
                                case OVER_BUDGET -> 6;
                                case STOPPED -> 7;
                            });

    private final List<Mirror> members;

    /**
     * Creates a union without content, with as much history as its first member.
     *
     * @param members the mirrors that it shows together, at least one
     */
    public UnionMirror(Scope scope, List<Mirror> members) {
        super(scope, members.getFirst());
        this.members = List.copyOf(members);
    }

    @Override
    public List<Mirror> parts() {
        return members;
    }

    @Override
    public List<String> warnings() {
        return members.stream().flatMap(member -> member.warnings().stream()).distinct().toList();
    }

    /**
     * Returns the phase of the member that is worst off, and the times of contact and answer of
     * those that have heard nothing for the longest time: a union is as stale as its stalest
     * member.
     */
    @Override
    public UpstreamStatus upstream() {
        List<UpstreamStatus> all = members.stream().map(Mirror::upstream).toList();
        UpstreamStatus worst = Collections.max(all, WORST);
        Instant contact =
                all.stream().map(UpstreamStatus::contact).min(naturalOrder()).orElseThrow();
        Instant answer = all.stream().map(UpstreamStatus::answer).min(naturalOrder()).orElseThrow();
        String problem =
                Stream.concat(Stream.of(worst), all.stream())
                        .map(UpstreamStatus::problem)
                        .filter(text -> !text.isEmpty())
                        .findFirst()
                        .orElse("");
        boolean following = worst.phase() == Phase.WATCHING || worst.phase() == Phase.POLLING;
        boolean begins = following && snapshot().isEmpty();
        return new UpstreamStatus(
                begins ? Phase.SYNCHRONIZING : worst.phase(),
                worst.since(),
                contact,
                answer,
                problem,
                begins ? worst.since() : worst.stateSince());
    }

    /** A union shows a change later than its member does (list-watch.md#un-3). */
    @Override
    public Revision newest() {
        Revision newest = revision();
        for (Mirror member : members) {
            newest = Revision.later(newest, member.view().newest());
        }
        return newest;
    }

    /** The objects are those of its members. */
    @Override
    public long bytes() {
        return 0;
    }
}
