package io.kubemirror.app;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.app.MirrorFactory.Single;
import io.kubemirror.app.MirrorFactory.Union;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.UnionReflector;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Creates mirrors from their definitions, each with its writer and its reflector, and the unions of
 * mirrors. Starts them before the web server listens, and stops them after it has answered its last
 * request, so that responses are as recent as possible. Adds, changes, and removes mirrors while
 * the process runs.
 *
 * <p>Safe for use by any thread. Changes are made one at a time, under a lock; readers take the
 * newest immutable state. No thread waits for another while it holds the lock: neither for the end
 * of a reflector, nor for the content of a mirror or a union.
 */
final class MirrorLifecycle implements SmartLifecycle {

    /** Lower than the phases of Boot's web servers, which are close to the maximum. */
    private static final int BEFORE_WEB_SERVERS = 0;

    private final MirrorSet mirrors = new MirrorSet();
    private final MirrorFactory factory;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * The definition of each mirror that anything refers to. Written under the lock, before the
     * mirror is visible; read by any thread.
     */
    private final Cache<Mirror, MirrorDefinition> definitions =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    /** Written under the lock, before the set that it describes; read by any thread. */
    private volatile Members members = new Members(List.of(), List.of());

    /** Written under the lock. */
    private volatile boolean running;

    /**
     * Creates mirrors that have not started.
     *
     * @param definitions the mirrors in the order of the configuration
     */
    MirrorLifecycle(List<MirrorDefinition> definitions, MirrorFactory factory) {
        this.factory = factory;
        change(_ -> definitions);
    }

    /** All mirrors, in the order of the configuration. */
    private record Members(List<Single> singles, List<Union> unions) {

        Optional<Single> find(Scope scope) {
            return singles.stream()
                    .filter(one -> one.mirror().scope().toString().equals(scope.toString()))
                    .findFirst();
        }

        /** Returns the mirror that goes on with a definition. */
        Optional<Single> continuedBy(MirrorDefinition next) {
            return find(next.scope()).filter(one -> MirrorFactory.isContinued(one, next));
        }

        Optional<Single> of(Mirror mirror) {
            return singles.stream().filter(one -> one.mirror() == mirror).findFirst();
        }

        List<Mirror> mirrors() {
            return Stream.concat(
                            singles.stream().map(Single::mirror),
                            unions.stream().map(Union::mirror))
                    .toList();
        }

        List<Reflector> reflectors() {
            return singles.stream().map(Single::reflector).toList();
        }

        List<UnionReflector> unionReflectors() {
            return unions.stream().map(Union::reflector).toList();
        }
    }

    /** Returns the set of the present mirrors: first those of definitions, then unions. */
    MirrorSet mirrors() {
        return mirrors;
    }

    /**
     * Returns the definition of a mirror, also after it has left the set; that of the first member
     * for a union.
     */
    Optional<MirrorDefinition> definition(Mirror mirror) {
        return Optional.ofNullable(definitions.getIfPresent(mirror));
    }

    /** Returns whether the process is not ready without a mirror: if it is not one on demand. */
    boolean isRequired(Mirror mirror) {
        return definition(mirror).filter(one -> one.known() != null).isEmpty();
    }

    /** Returns the definitions of the present mirrors, in the order of the configuration. */
    List<MirrorDefinition> definitions() {
        return members.singles().stream().map(Single::definition).toList();
    }

    /** Returns the mirrors with the state of their reflectors, for operators. */
    List<Mirrored> mirrored() {
        Members now = members;
        return Stream.concat(
                        now.reflectors().stream().map(Mirrored::by),
                        now.unionReflectors().stream().map(Mirrored::by))
                .toList();
    }

    /** Returns the counts of the reflector of a mirror in the set. */
    ReflectorCounts counts(Mirror mirror) {
        Members now = members;
        return now.of(mirror)
                .map(one -> one.reflector().counts())
                .or(
                        () ->
                                now.unionReflectors().stream()
                                        .filter(one -> one.mirror() == mirror)
                                        .map(UnionReflector::counts)
                                        .findFirst())
                .orElseGet(ReflectorCounts::new);
    }

    /**
     * Adds mirrors on demand after the present ones. Their reflectors wait for {@link #begin}. If
     * there is a mirror of that name, it stays.
     *
     * @return the mirrors of the definitions
     */
    List<Mirror> add(List<MirrorDefinition> added) {
        Members after = change(present -> joined(present, added));
        return added.stream()
                .flatMap(one -> after.find(one.scope()).stream())
                .map(Single::mirror)
                .toList();
    }

    private static List<MirrorDefinition> joined(
            List<MirrorDefinition> first, List<MirrorDefinition> second) {
        Map<String, MirrorDefinition> all = new LinkedHashMap<>();
        Stream.concat(first.stream(), second.stream())
                .forEach(one -> all.putIfAbsent(one.scope().toString(), one));
        return List.copyOf(all.values());
    }

    /** Starts the reflectors of mirrors on demand, once. */
    void begin(List<Mirror> begun) {
        lock.lock();
        try {
            if (running) {
                members.singles().stream()
                        .filter(one -> one.isOnDemand() && begun.contains(one.mirror()))
                        .forEach(one -> one.reflector().start());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes mirrors on demand; returns when their memory is free, at the latest after five
     * seconds.
     */
    void remove(List<Mirror> removed) {
        Members now = members;
        List<String> names =
                now.singles().stream()
                        .filter(one -> one.isOnDemand() && removed.contains(one.mirror()))
                        .map(one -> one.mirror().scope().toString())
                        .toList();
        change(
                present ->
                        present.stream()
                                .filter(
                                        one ->
                                                one.known() == null
                                                        || !names.contains(one.scope().toString()))
                                .toList());
    }

    /**
     * Makes the mirrors those of the given definitions, in their order, in one step for readers.
     * Mirrors on demand stay.
     *
     * <p>A mirror whose definition is the same is left alone. If only the reading of the API server
     * changes, another reflector continues the mirror, and its watches go on: they see a
     * resynchronization. Its history and its limits change in place. If its content changes,
     * another mirror takes its place as soon as it has content, and its watches end with 410. The
     * watches of other mirrors are not affected.
     *
     * <p>Returns when the mirrors that were replaced or removed have returned their memory, at the
     * latest after five seconds.
     */
    void configure(List<MirrorDefinition> next) {
        if (running) {
            MirrorReplacement replacement =
                    MirrorReplacement.of(next, members.singles(), factory::create);
            if (!replacement.isEmpty()) {
                replace(
                        present -> withOnDemand(replacement.until(next, present), present),
                        MirrorReplacement.NONE);
                replacement.fill();
                List<MirrorDefinition> fitting = replacement.fitting(next);
                if (!fitting.equals(next)) {
                    replace(present -> withOnDemand(fitting, present), replacement);
                }
            }
            replace(present -> withOnDemand(next, present), replacement);
        } else {
            change(present -> withOnDemand(next, present));
        }
    }

    private static List<MirrorDefinition> withOnDemand(
            List<MirrorDefinition> next, List<MirrorDefinition> present) {
        return joined(next, present.stream().filter(one -> one.known() != null).toList());
    }

    /**
     * Changes the mirrors. A union that takes the place of another has the content of its members
     * before readers see it, which this waits for without the lock.
     *
     * @param started mirrors that have started already
     */
    private void replace(UnaryOperator<List<MirrorDefinition>> next, MirrorReplacement started) {
        List<Union> filled = successors(next, started);
        MirrorReplacement.await(filled.stream().map(Union::mirror).toList());
        List<Mirror> kept = change(next, started, filled).mirrors();
        // The mirrors may be others by now.
        atOnce(
                filled.stream()
                        .filter(one -> !kept.contains(one.mirror()))
                        .map(one -> (Runnable) one.reflector()::end)
                        .toList());
    }

    /** Starts the unions that a change will put in the place of others. */
    private List<Union> successors(
            UnaryOperator<List<MirrorDefinition>> next, MirrorReplacement started) {
        lock.lock();
        try {
            Members before = members;
            List<Union> added =
                    united(next.apply(definitions()), MirrorDefinition::union).entrySet().stream()
                            .flatMap(one -> successor(before, one, started).stream())
                            .toList();
            added.forEach(one -> one.reflector().start());
            return added;
        } finally {
            lock.unlock();
        }
    }

    /** A union of a mirror that does not exist yet would have no content. */
    private Optional<Union> successor(
            Members before,
            Map.Entry<Scope, List<MirrorDefinition>> next,
            MirrorReplacement started) {
        MirrorDefinition first = next.getValue().getFirst();
        List<Mirror> shown =
                next.getValue().stream()
                        .flatMap(
                                one ->
                                        before
                                                .continuedBy(one)
                                                .or(() -> started.of(one).findFirst())
                                                .stream())
                        .map(Single::mirror)
                        .toList();
        List<Union> present =
                before.unions().stream()
                        .filter(one -> one.mirror().scope().equals(next.getKey()))
                        .toList();
        boolean replaced =
                running
                        && shown.size() == next.getValue().size()
                        && !present.isEmpty()
                        && present.stream().noneMatch(one -> one.shows(shown, first));
        return replaced
                ? Optional.of(factory.unite(next.getKey(), shown, first, this::requestProgress))
                : Optional.empty();
    }

    private static <T> Map<Scope, List<T>> united(
            List<T> parts, Function<T, @Nullable Scope> union) {
        Map<Scope, List<T>> united = new LinkedHashMap<>();
        for (T part : parts) {
            Scope scope = union.apply(part);
            if (scope != null) {
                united.computeIfAbsent(scope, _ -> new ArrayList<>()).add(part);
            }
        }
        return united;
    }

    private Members change(UnaryOperator<List<MirrorDefinition>> next) {
        return change(next, MirrorReplacement.NONE, List.of());
    }

    /**
     * Changes the mirrors.
     *
     * @param started mirrors that have started already
     * @param filled unions that have started already
     */
    private Members change(
            UnaryOperator<List<MirrorDefinition>> next,
            MirrorReplacement started,
            List<Union> filled) {
        Members before;
        Members after;
        lock.lock();
        try {
            before = members;
            List<Single> singles =
                    next.apply(definitions()).stream()
                            .map(one -> single(before, one, started))
                            .toList();
            List<Union> present = Stream.concat(before.unions().stream(), filled.stream()).toList();
            after = new Members(singles, unions(present, singles));
            members = after;
            singles.forEach(one -> definitions.put(one.mirror(), one.definition()));
            after.unions().forEach(one -> definitions.put(one.mirror(), one.definition()));
            mirrors.update(after.mirrors());
            stopReplaced(before, after);
            if (running) {
                start(after);
            }
        } finally {
            lock.unlock();
        }
        end(before, after);
        return after;
    }

    /** Stops reflectors whose mirrors others continue, which wait for them. */
    private static void stopReplaced(Members before, Members after) {
        List<Mirror> kept = after.mirrors();
        before.reflectors().stream()
                .filter(one -> kept.contains(one.mirror()) && !after.reflectors().contains(one))
                .forEach(Reflector::stop);
    }

    private Single single(Members before, MirrorDefinition next, MirrorReplacement started) {
        return before.continuedBy(next)
                .map(present -> factory.changed(present, next))
                .or(() -> started.of(next).findFirst())
                .orElseGet(() -> factory.create(next));
    }

    private List<Union> unions(List<Union> present, List<Single> singles) {
        return united(singles, one -> one.definition().union()).entrySet().stream()
                .map(union -> union(present, union.getKey(), union.getValue()))
                .toList();
    }

    private Union union(List<Union> present, Scope scope, List<Single> singles) {
        List<Mirror> shown = singles.stream().map(Single::mirror).toList();
        MirrorDefinition first = singles.getFirst().definition();
        return present.stream()
                .filter(one -> one.mirror().scope().equals(scope))
                .filter(one -> one.shows(shown, first))
                .findFirst()
                .map(one -> one.changed(first))
                .orElseGet(() -> factory.unite(scope, shown, first, this::requestProgress));
    }

    /** Requests that a mirror soon reaches a revision of the server. Returns at once. */
    void requestProgress(Mirror member, Revision revision) {
        members.of(member).ifPresent(one -> one.reflector().requestProgress(revision));
    }

    /** Mirrors on demand start when they are {@linkplain #begin asked to}. */
    private static void start(Members after) {
        after.unionReflectors().stream()
                .filter(one -> !one.isStarted())
                .forEach(UnionReflector::start);
        after.singles().stream()
                .filter(one -> !one.isOnDemand() && !one.reflector().isStarted())
                .forEach(one -> one.reflector().start());
    }

    /** Ends unions and mirrors that are gone, all at the same time. */
    private static void end(Members before, Members after) {
        List<Mirror> kept = after.mirrors();
        List<Runnable> ends = new ArrayList<>();
        before.unionReflectors().stream()
                .filter(one -> !kept.contains(one.mirror()))
                .forEach(one -> ends.add(one::end));
        before.reflectors().stream()
                .filter(one -> !kept.contains(one.mirror()))
                .forEach(one -> ends.add(one::end));
        atOnce(ends);
    }

    /** Runs tasks that wait for threads to end. */
    private static void atOnce(List<Runnable> tasks) {
        if (!tasks.isEmpty()) {
            try (ExecutorService threads =
                    Executors.newThreadPerTaskExecutor(
                            Thread.ofVirtual().name("mirror-end").factory())) {
                tasks.forEach(threads::execute);
            }
        }
    }

    @Override
    public void start() {
        lock.lock();
        try {
            running = true;
            start(members);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        List<Runnable> ends = new ArrayList<>();
        lock.lock();
        try {
            running = false;
            members.reflectors().forEach(one -> ends.add(one::close));
            members.unionReflectors().forEach(one -> ends.add(one::close));
        } finally {
            lock.unlock();
        }
        atOnce(ends);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A reflector runs once, so it cannot be paused. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return BEFORE_WEB_SERVERS;
    }
}
