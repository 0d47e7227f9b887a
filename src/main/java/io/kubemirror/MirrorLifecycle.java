package io.kubemirror;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorUnion;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.ops.DiagnosisInput.Mirrored;
import io.kubemirror.reflector.ConnectionProbe;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.UnionReflector;
import io.kubemirror.upstream.etcd.EtcdClient;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Creates mirrors from their definitions, each with its writer and its reflector, and the unions of
 * mirrors. Starts them before the web server listens, and stops them after it has answered its last
 * request, so that responses are as recent as possible. Adds, changes, and removes mirrors while
 * the process runs.
 *
 * <p>Safe for use by any thread. Changes are made one at a time, under a lock; readers take the
 * newest immutable state.
 */
final class MirrorLifecycle implements SmartLifecycle {

    /** Lower than the phases of Boot's web servers, which are close to the maximum. */
    private static final int BEFORE_WEB_SERVERS = 0;

    private final MirrorSet mirrors = new MirrorSet();
    private final UpstreamSources sources;
    private final MirrorMemory memory;
    private final ReflectorEnvironment environment;
    private final ReflectorEnvironment ofEtcd;
    private final Executor notifier;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under the lock, before the set that it describes; read by any thread. */
    private volatile Members members = new Members(List.of(), List.of());

    /** Written under the lock. */
    private volatile boolean running;

    /**
     * Creates mirrors that have not started.
     *
     * @param definitions the mirrors in the order of the configuration
     * @param notifier signals the subscriptions of all mirrors
     */
    MirrorLifecycle(
            List<MirrorDefinition> definitions,
            UpstreamSources sources,
            MirrorMemory memory,
            ReflectorEnvironment environment,
            Executor notifier) {
        this.sources = sources;
        this.memory = memory;
        this.environment = environment;
        this.ofEtcd = ofEtcd(environment, sources.etcd());
        this.notifier = notifier;
        change(_ -> definitions);
    }

    /** The members of etcd return on their own. */
    private static ReflectorEnvironment ofEtcd(
            ReflectorEnvironment environment, @Nullable EtcdClient etcd) {
        return new ReflectorEnvironment(
                environment.clock(),
                environment.random(),
                environment.sleeper(),
                environment.limiter(),
                etcd == null
                        ? environment.probe()
                        : new ConnectionProbe(
                                etcd::acceptsConnections,
                                environment.clock(),
                                environment.random(),
                                environment.sleeper()));
    }

    /** A mirror with what keeps it up to date. */
    private record Single(MirrorDefinition definition, MirrorWriter writer, Reflector reflector) {

        Mirror mirror() {
            return writer.mirror();
        }
    }

    /**
     * A union of mirrors.
     *
     * @param definition that of its first member
     */
    private record Union(MirrorDefinition definition, UnionReflector reflector) {

        boolean shows(List<Mirror> mirrors, MirrorDefinition first) {
            return reflector.mirror().members().equals(mirrors)
                    && definition.window().equals(first.window())
                    && definition.settings().equals(first.settings());
        }
    }

    /** All mirrors, in the order of the configuration. */
    private record Members(
            List<Single> singles, List<Union> unions, Map<Scope, MirrorDefinition> definitions) {

        Members(List<Single> singles, List<Union> unions) {
            this(singles, unions, new HashMap<>());
            // If two selectors are equivalent, the first mirror is served.
            for (Single single : singles) {
                MirrorDefinition definition = single.definition();
                definitions.putIfAbsent(definition.scope(), definition);
                if (definition.union() != null) {
                    definitions.putIfAbsent(definition.union(), definition);
                }
            }
        }

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
                            unions.stream().map(one -> one.reflector().mirror()))
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

    /** Returns the definition of a mirror; that of the first member for a union. */
    Optional<MirrorDefinition> definition(Scope scope) {
        return Optional.ofNullable(members.definitions().get(scope));
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

    /** Adds mirrors after the present ones. A mirror that exists already is changed instead. */
    void add(List<MirrorDefinition> added) {
        change(
                present -> {
                    Map<String, MirrorDefinition> all = new LinkedHashMap<>();
                    Stream.concat(present.stream().map(Single::definition), added.stream())
                            .forEach(one -> all.put(one.scope().toString(), one));
                    return List.copyOf(all.values());
                });
    }

    /** Removes mirrors; returns when their memory is free, at the latest after five seconds. */
    void remove(List<Mirror> removed) {
        change(
                present ->
                        present.stream()
                                .filter(one -> !removed.contains(one.mirror()))
                                .map(Single::definition)
                                .toList());
    }

    /**
     * Makes the mirrors those of the given definitions, in their order, in one step for readers.
     *
     * <p>A mirror whose definition is the same is left alone. If only the reading of the API server
     * changes, another reflector continues the mirror, and its watches go on: they see a
     * resynchronization. If its content or its history changes, another mirror takes its place, and
     * its watches end cleanly. The watches of other mirrors are not affected.
     *
     * <p>Returns when the mirrors that were replaced or removed have returned their memory, at the
     * latest after five seconds.
     */
    void configure(List<MirrorDefinition> next) {
        change(_ -> next);
    }

    private void change(Function<List<Single>, List<MirrorDefinition>> next) {
        Members before;
        Members after;
        lock.lock();
        try {
            Members present = members;
            before = present;
            List<Single> singles =
                    next.apply(present.singles()).stream()
                            .map(one -> single(present, one))
                            .toList();
            after = new Members(singles, unions(before, singles));
            members = after;
            mirrors.update(after.mirrors());
            if (running) {
                start(after, before);
            }
        } finally {
            lock.unlock();
        }
        end(before, after);
    }

    private Single single(Members before, MirrorDefinition next) {
        Single present = before.find(next.scope()).orElse(null);
        if (present == null || !present.definition().hasSameContent(next)) {
            MirrorWriter writer =
                    new MirrorWriter(
                            new Mirror(next.scope(), next.window(), notifier, System::nanoTime),
                            System::nanoTime,
                            next.settings().updates(),
                            memory,
                            next.limits());
            return new Single(next, writer, reflector(next, writer, new ReflectorCounts()));
        }
        if (present.definition().isReadAs(next)) {
            return new Single(next, present.writer(), present.reflector());
        }
        return continued(present, next);
    }

    /** A mirror has one writer: a reflector that does not stop keeps its settings. */
    private Single continued(Single present, MirrorDefinition next) {
        present.reflector().close();
        return new Single(
                next,
                present.writer(),
                present.reflector().isStopped()
                        ? reflector(next, present.writer(), present.reflector().counts())
                        : present.reflector());
    }

    private Reflector reflector(
            MirrorDefinition definition, MirrorWriter writer, ReflectorCounts counts) {
        var source = sources.of(definition.scope().resource());
        return new Reflector(
                source,
                writer,
                definition.settings(),
                source == sources.etcd() ? ofEtcd : environment,
                counts);
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
        MirrorDefinition first = singles.getFirst().definition();
        return before.unions().stream()
                .filter(one -> one.reflector().mirror().scope().equals(scope))
                .filter(one -> one.shows(shown, first))
                .findFirst()
                .orElseGet(
                        () ->
                                union(
                                        new Mirror(
                                                scope,
                                                first.window(),
                                                notifier,
                                                System::nanoTime,
                                                shown),
                                        first));
    }

    /** A union accounts for its objects with its members, which have the limits. */
    private Union union(Mirror mirror, MirrorDefinition first) {
        MirrorWriter writer =
                new MirrorWriter(
                        mirror,
                        System::nanoTime,
                        first.settings().updates(),
                        memory,
                        MirrorMemory.Limits.NONE);
        MirrorUnion union = new MirrorUnion(writer, this::requestProgress, System::nanoTime);
        return new Union(
                first, new UnionReflector(union, first.settings().strategy(), Thread::sleep));
    }

    private void requestProgress(Mirror member, Revision revision) {
        members.of(member).ifPresent(one -> one.reflector().requestProgress(revision));
    }

    private static void start(Members after, Members before) {
        List<Reflector> known = before.reflectors();
        after.reflectors().stream().filter(one -> !known.contains(one)).forEach(Reflector::start);
        List<UnionReflector> united = before.unionReflectors();
        after.unionReflectors().stream()
                .filter(one -> !united.contains(one))
                .forEach(UnionReflector::start);
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
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                tasks.forEach(threads::execute);
            }
        }
    }

    @Override
    public void start() {
        lock.lock();
        try {
            running = true;
            start(members, new Members(List.of(), List.of()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        lock.lock();
        try {
            Members now = members;
            List<Runnable> ends = new ArrayList<>();
            now.reflectors().forEach(one -> ends.add(one::close));
            now.unionReflectors().forEach(one -> ends.add(one::close));
            atOnce(ends);
            running = false;
        } finally {
            lock.unlock();
        }
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
