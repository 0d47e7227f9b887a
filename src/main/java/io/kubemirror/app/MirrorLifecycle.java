package io.kubemirror.app;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.app.MirrorFactory.Single;
import io.kubemirror.app.MirrorFactory.Union;
import io.kubemirror.app.health.Mirrored;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.UnionReflector;

import org.springframework.context.SmartLifecycle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Creates mirrors from their definitions, each with its writer and its reflector, and the unions of
 * mirrors. Starts them before the web server listens, and stops them after it has answered its last
 * request, so that responses are as recent as possible. Adds and removes mirrors while the process
 * runs.
 *
 * <p>Safe for use by any thread. Changes are made one at a time, under a lock, under which no
 * thread waits; readers take the newest immutable state.
 */
public final class MirrorLifecycle implements SmartLifecycle {

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
    public MirrorSet mirrors() {
        return mirrors;
    }

    /**
     * Returns the definition of a mirror, also after it has left the set; that of the first member
     * for a union.
     */
    public Optional<MirrorDefinition> definition(Mirror mirror) {
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
    public List<Mirror> add(List<MirrorDefinition> added) {
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
    public void begin(List<Mirror> begun) {
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
    public void remove(List<Mirror> removed) {
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
     * <p>A mirror whose definition is the same is left alone. One whose definition has changed is
     * removed, and another one is added in its place, which has content as after a start. A union
     * with other members is another union.
     *
     * <p>Mirrors that are added start when those that were removed have returned their memory, at
     * the latest after five seconds; then this returns.
     */
    void configure(List<MirrorDefinition> next) {
        change(
                present ->
                        joined(next, present.stream().filter(one -> one.known() != null).toList()));
    }

    private Members change(UnaryOperator<List<MirrorDefinition>> next) {
        Members before;
        Members after;
        lock.lock();
        try {
            before = members;
            List<Single> singles =
                    next.apply(definitions()).stream().map(one -> single(before, one)).toList();
            after = new Members(singles, unions(before, singles));
            members = after;
            singles.forEach(one -> definitions.put(one.mirror(), one.definition()));
            after.unions().forEach(one -> definitions.put(one.mirror(), one.definition()));
            mirrors.update(after.mirrors());
        } finally {
            lock.unlock();
        }
        end(before, after);
        startAdded();
        return after;
    }

    private Single single(Members before, MirrorDefinition next) {
        return before.find(next.scope())
                .filter(present -> present.definition().isSameAs(next))
                .orElseGet(() -> factory.create(next));
    }

    private List<Union> unions(Members before, List<Single> singles) {
        Map<Scope, List<Single>> united = new LinkedHashMap<>();
        for (Single single : singles) {
            Scope scope = single.definition().union();
            if (scope != null) {
                united.computeIfAbsent(scope, _ -> new ArrayList<>()).add(single);
            }
        }
        return united.entrySet().stream()
                .map(union -> union(before, union.getKey(), union.getValue()))
                .toList();
    }

    private Union union(Members before, Scope scope, List<Single> singles) {
        List<Mirror> shown = singles.stream().map(Single::mirror).toList();
        return before.unions().stream()
                .filter(one -> one.mirror().scope().equals(scope) && one.shows(shown))
                .findFirst()
                .orElseGet(
                        () ->
                                factory.unite(
                                        scope,
                                        shown,
                                        singles.getFirst().definition(),
                                        this::requestProgress));
    }

    /** Requests that a mirror soon reaches a revision of the server. Returns at once. */
    void requestProgress(Mirror member, Revision revision) {
        members.of(member).ifPresent(one -> one.reflector().requestProgress(revision));
    }

    /** Mirrors on demand start when they are {@linkplain #begin asked to}. */
    private void startAdded() {
        lock.lock();
        try {
            if (running) {
                members.unionReflectors().stream()
                        .filter(one -> !one.isStarted())
                        .forEach(UnionReflector::start);
                members.singles().stream()
                        .filter(one -> !one.isOnDemand() && !one.reflector().isStarted())
                        .forEach(one -> one.reflector().start());
            }
        } finally {
            lock.unlock();
        }
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
        running = true;
        startAdded();
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
