package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.source.Source;

import org.springframework.context.SmartLifecycle;

/**
 * Creates mirrors from their definitions, each with its writer and its reflector. Starts them
 * before the web server listens, and stops them after it has answered its last request, so that
 * responses are as recent as possible. Adds and removes mirrors while the process runs.
 *
 * <p>Safe for use by any thread. Changes are made one at a time, under a lock, under which no
 * thread waits; readers take the newest immutable state.
 */
public final class MirrorLifecycle implements SmartLifecycle {

    /** Lower than the phases of Boot's web servers, which are close to the maximum. */
    private static final int BEFORE_WEB_SERVERS = 0;

    private final MirrorSet mirrors = new MirrorSet();
    private final Sources sources;
    private final MirrorMemory memory;
    private final ReflectorEnvironment environment;
    private final Executor notifier;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * First those of the configuration in its order, then those that were added. Written under the
     * lock, before the set that it describes; read by any thread.
     */
    private volatile List<Member> members = List.of();

    private volatile boolean running;

    /**
     * Creates mirrors that have not started.
     *
     * @param definitions the mirrors in the order of the configuration
     * @param environment that of all reflectors
     * @param notifier signals the subscriptions of all mirrors
     */
    MirrorLifecycle(
            List<MirrorDefinition> definitions,
            Sources sources,
            MirrorMemory memory,
            ReflectorEnvironment environment,
            Executor notifier) {
        this.sources = sources;
        this.memory = memory;
        this.environment = environment;
        this.notifier = notifier;
        List<Member> configured =
                definitions.stream()
                        .map(one -> create(one, /* configured= */ true, _ -> {}))
                        .toList();
        change(_ -> configured.stream());
    }

    /**
     * A mirror with what keeps it up to date.
     *
     * @param configured whether the configuration names it; others are added while the process runs
     * @param origin what its content depends on, beside its scope
     */
    private record Member(
            boolean configured, MirrorWriter writer, Reflector updater, List<String> origin) {

        Mirror mirror() {
            return writer.mirror();
        }

        boolean has(Scope scope) {
            return mirror().scope().toString().equals(scope.toString());
        }
    }

    /**
     * Creates a mirror, its writer, and a reflector that has not started.
     *
     * @param identify tells the writer the type, if it is known
     */
    private Member create(
            MirrorDefinition of, boolean configured, Consumer<MirrorWriter> identify) {
        Mirror mirror = new Mirror(of.scope(), of.window(), of.reads(), notifier, System::nanoTime);
        MirrorWriter writer = new MirrorWriter(mirror, System::nanoTime, memory, of.limits());
        try {
            identify.accept(writer);
            Source source = sources.of(of.scope().resource());
            Reflector reflector = new Reflector(source, writer, of.settings(), environment);
            reflector.counts().listen(new UnmatchedNames(mirror, source, of.settings()));
            List<String> origin = List.of(source.description().identity(), of.stored());
            return new Member(configured, writer, reflector, origin);
        } catch (RuntimeException | Error failed) {
            writer.end();
            throw failed;
        }
    }

    private Optional<Member> member(Mirror mirror) {
        return members.stream().filter(one -> one.mirror().equals(mirror)).findFirst();
    }

    /**
     * Returns the set of the present mirrors: first those of the configuration, then those that
     * were added.
     */
    public MirrorSet mirrors() {
        return mirrors;
    }

    /**
     * Lets another thread fill a mirror that has just been added, before its reflector writes it.
     *
     * @param fill begins to fill the empty mirror of a writer, given the server and the settings
     *     that its content depends on, beside the scope; its result is complete when the mirror is
     *     filled, or will not be
     */
    public void fill(
            Mirror mirror, BiFunction<MirrorWriter, List<String>, CompletableFuture<?>> fill) {
        member(mirror)
                .ifPresent(one -> one.updater().startAfter(fill.apply(one.writer(), one.origin())));
    }

    /** Returns whether the process is not ready without a mirror: if it is configured. */
    boolean isRequired(Mirror mirror) {
        return member(mirror).filter(Member::configured).isPresent();
    }

    /** Returns what updates the mirrors, in their order. */
    List<Reflector> reflectors() {
        return members.stream().map(Member::updater).toList();
    }

    /** Returns the mirrors with the state of what updates them, for operators. */
    List<Mirrored> mirrored() {
        return reflectors().stream().map(Mirrored::by).toList();
    }

    /** Returns the counts of what updates a mirror in the set. */
    ReflectorCounts counts(Mirror mirror) {
        return member(mirror).map(one -> one.updater().counts()).orElseGet(ReflectorCounts::new);
    }

    /**
     * Adds mirrors of a known type after the present ones. Their reflectors wait for {@link
     * #begin}. If there is a mirror of that name, it stays.
     *
     * <p>If one of them cannot be created, none is added, and none keeps memory.
     *
     * @param declared the fields that the definition of the type declares
     * @return the mirrors of the definitions
     */
    public List<Mirror> add(
            List<MirrorDefinition> definitions, ResourceType type, DeclaredFields declared) {
        List<Member> created = new ArrayList<>();
        Consumer<MirrorWriter> identify = writer -> writer.identify(type, declared);
        try {
            List<Member> after =
                    change(
                            present -> {
                                definitions.stream()
                                        .filter(one -> !has(present, one.scope()))
                                        .map(one -> create(one, false, identify))
                                        .forEach(created::add);
                                return Stream.concat(present.stream(), created.stream());
                            });
            return definitions.stream()
                    .flatMap(one -> after.stream().filter(member -> member.has(one.scope())))
                    .map(Member::mirror)
                    .toList();
        } catch (RuntimeException | Error failed) {
            end(created, members);
            throw failed;
        }
    }

    private static boolean has(List<Member> members, Scope scope) {
        return members.stream().anyMatch(one -> one.has(scope));
    }

    /** Starts the reflectors of mirrors that were added, once. */
    public void begin(List<Mirror> begun) {
        start(one -> !one.configured() && begun.contains(one.mirror()));
    }

    /**
     * Removes mirrors that were added; returns when their memory is free, at the latest after five
     * seconds.
     */
    public void remove(List<Mirror> removed) {
        change(present -> present.stream().filter(one -> !removed.contains(one.mirror())));
    }

    private List<Member> change(Function<List<Member>, Stream<Member>> next) {
        List<Member> before;
        List<Member> after;
        lock.lock();
        try {
            before = members;
            after = next.apply(before).toList();
            members = after;
            mirrors.update(after.stream().map(Member::mirror).toList());
        } finally {
            lock.unlock();
        }
        end(before, after);
        start(Member::configured);
        return after;
    }

    /** Requests that a mirror soon reaches a revision of the server. Returns at once. */
    void requestProgress(Mirror mirror, Revision revision) {
        member(mirror).ifPresent(one -> one.updater().requestProgress(revision));
    }

    /** Mirrors that were added start when they are {@linkplain #begin asked to}. */
    private void start(Predicate<Member> started) {
        lock.lock();
        try {
            members.stream()
                    .filter(one -> running && started.test(one))
                    .map(Member::updater)
                    .filter(one -> !one.isStarted())
                    .forEach(Reflector::start);
        } finally {
            lock.unlock();
        }
    }

    /** Ends mirrors that are gone, all at the same time. */
    private static void end(List<Member> before, List<Member> after) {
        List<Reflector> gone =
                before.stream().filter(one -> !after.contains(one)).map(Member::updater).toList();
        gone.forEach(Reflector::remove);
        Reflector.awaitEnd(gone);
    }

    @Override
    public void start() {
        running = true;
        start(Member::configured);
    }

    @Override
    public void stop() {
        List<Reflector> last;
        lock.lock();
        try {
            running = false;
            last = reflectors();
        } finally {
            lock.unlock();
        }
        last.forEach(Reflector::stop);
        Reflector.awaitEnd(last);
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
