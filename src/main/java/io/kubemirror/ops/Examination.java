package io.kubemirror.ops;

import io.kubemirror.mirror.Follower;
import io.kubemirror.mirror.Followers;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Upstream;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Names;
import io.kubemirror.ops.MirrorDiagnosis.Access;
import io.kubemirror.ops.MirrorDiagnosis.Content;
import io.kubemirror.ops.MirrorDiagnosis.LastError;
import io.kubemirror.ops.MirrorDiagnosis.LastSync;
import io.kubemirror.ops.MirrorDiagnosis.State;
import io.kubemirror.ops.MirrorDiagnosis.Sync;
import io.kubemirror.ops.MirrorDiagnosis.Watcher;
import io.kubemirror.ops.MirrorDiagnosis.Watchers;
import io.kubemirror.ops.MirrorDiagnosis.Window;
import io.kubemirror.reflector.Account;
import io.kubemirror.reflector.ReflectorCounts.Counter;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Looks at one mirror, its reflector and its watchers. */
final class Examination {

    /** So many watchers are named, the slowest first. */
    private static final int SHOWN = 50;

    private final Followers followers;
    private final InstantSource clock;

    Examination(Followers followers, InstantSource clock) {
        this.followers = followers;
        this.clock = clock;
    }

    /**
     * How a mirror is.
     *
     * @param access what the server said to its permissions
     */
    MirrorDiagnosis of(Observed.Mirrored mirrored, Map<String, Access> access) {
        Mirror mirror = mirrored.mirror();
        Account account = mirrored.account().get();
        return new MirrorDiagnosis(
                mirror.scope().toString(),
                path(mirror),
                state(mirror, account),
                content(mirror),
                sync(account),
                access,
                window(mirror),
                watchers(mirror),
                counts(mirrored));
    }

    private static @Nullable String path(Mirror mirror) {
        String namespace = mirror.scope().selection().namespace();
        return mirror.type()
                .map(
                        type ->
                                namespace.isEmpty()
                                        ? type.collectionPath()
                                        : type.collectionPath(namespace))
                .orElse(null);
    }

    private State state(Mirror mirror, Account account) {
        Upstream upstream = mirror.upstream();
        boolean never = upstream.contact().equals(Instant.EPOCH);
        return new State(
                Names.kebab(upstream.phase()),
                upstream.since(),
                mirror.snapshot().isPresent() || upstream.phase() == Phase.ABSENT,
                never ? null : upstream.contact(),
                never ? null : seconds(Duration.between(upstream.contact(), clock.instant())),
                upstream.problem().isEmpty() ? null : upstream.problem(),
                account.trouble()
                        .map(trouble -> new LastError(trouble.at(), trouble.problem()))
                        .orElse(null));
    }

    private static Content content(Mirror mirror) {
        int objects = mirror.snapshot().map(Snapshot::size).orElse(0);
        return new Content(objects, mirror.bytes(), mirror.revision().digits());
    }

    private static Sync sync(Account account) {
        return new Sync(Names.kebab(account.strategy()), account.lessons(), last(account));
    }

    private static @Nullable LastSync last(Account account) {
        return account.synchronisation()
                .map(last -> new LastSync(last.how(), last.at(), seconds(last.duration())))
                .orElse(null);
    }

    private static Window window(Mirror mirror) {
        return new Window(
                mirror.windowChanges(),
                mirror.windowBytes(),
                seconds(mirror.windowSpan()),
                mirror.floor().digits());
    }

    private Watchers watchers(Mirror mirror) {
        List<Watcher> all =
                followers.of(mirror).stream()
                        .map(Examination::watcher)
                        .sorted(
                                Comparator.comparingLong(Watcher::behind)
                                        .reversed()
                                        .thenComparing(Watcher::since))
                        .toList();
        int waiting = (int) all.stream().filter(watcher -> watcher.behind() > 0).count();
        List<Watcher> shown = all.stream().limit(SHOWN).toList();
        long most = shown.isEmpty() ? 0 : shown.getFirst().behind();
        return new Watchers(all.size(), waiting, most, shown, all.size() - shown.size());
    }

    private static Watcher watcher(Follower follower) {
        return new Watcher(
                follower.client(),
                follower.agent().isEmpty() ? null : follower.agent(),
                follower.selection().isEmpty() ? null : follower.selection(),
                follower.since(),
                follower.revision().digits(),
                follower.backlog().changes(),
                seconds(follower.backlog().age()),
                follower.events(),
                follower.bytes());
    }

    private static Map<String, Long> counts(Observed.Mirrored mirrored) {
        Map<String, Long> counts = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            CounterSeries series = CounterSeries.of(counter);
            String name = series.family().meter + "." + series.tagValue();
            long count = mirrored.counts().applyAsLong(counter);
            if (count > 0) {
                counts.put(name.substring("kubemirror.".length()), count);
            }
        }
        return counts;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
