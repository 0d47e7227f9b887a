package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.scripted.ServedTypes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** A process that stores one mirror, until it is killed. The test stores when it wants. */
final class PersistenceFixture {

    private static final Window WINDOW = new Window(4, 64, Duration.ofSeconds(75), 1 << 20);

    private final Path directory;
    private final Mirror mirror;
    private final MirrorWriter writer;
    private final MirrorPersistence persistence;
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private volatile Runnable storing = () -> {};
    private volatile Runnable writing = () -> {};
    private Instant now;

    private PersistenceFixture(Setup setup) {
        this.directory = setup.directory;
        this.now = setup.now;
        mirror =
                new Mirror(
                        new Scope(new ResourceName(setup.type.plural()), Selection.everything()),
                        WINDOW,
                        Mirrors.READS,
                        Runnable::run,
                        this::nanos);
        writer =
                new MirrorWriter(
                        mirror,
                        this::nanosOfWriter,
                        new MirrorMemory(setup.memory),
                        new MirrorMemory.Limits(0, 0));
        persistence =
                new MirrorPersistence(
                        directory,
                        setup.limit,
                        setup.version,
                        new SteadyClock(this::now, this::now),
                        this::nanosOfStore);
        persistence.bindTo(metrics);
        persistence.restore(writer, List.of(setup.server, setup.settings)).join();
        if (mirror.type().isEmpty()) {
            writer.identify(setup.type, DeclaredFields.NONE);
        }
    }

    /** How a process is set up. */
    static final class Setup {

        private Path directory;
        private ResourceType type = ServedTypes.CONFIGMAPS;
        private String server = "https://one";
        private String settings = "";
        private String version = "1.0";
        private MemoryBudget memory = MemoryBudget.unlimited();
        private long limit = Long.MAX_VALUE;
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        Setup(Path directory) {
            this.directory = directory;
        }

        Setup at(Instant time) {
            now = time;
            return this;
        }

        Setup in(Path other) {
            directory = other;
            return this;
        }

        Setup of(String otherServer, String otherSettings, String otherVersion) {
            server = otherServer;
            settings = otherSettings;
            version = otherVersion;
            return this;
        }

        Setup of(ResourceType other) {
            type = other;
            return this;
        }

        Setup within(MemoryBudget budget, long files) {
            memory = budget;
            limit = files;
            return this;
        }

        PersistenceFixture start() {
            return new PersistenceFixture(this);
        }
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }

    private MirrorWriter another(String resource) {
        Scope scope = new Scope(new ResourceName(resource), Selection.everything());
        return Mirrors.writer(
                new Mirror(scope, WINDOW, Mirrors.READS, Runnable::run, this::nanos), this::nanos);
    }

    /** Stores another mirror from now on, after it is filled. */
    CompletableFuture<?> stores(String resource) {
        MirrorWriter of = another(resource);
        CompletableFuture<?> filled = fill(of);
        of.identify(ServedTypes.CONFIGMAPS, DeclaredFields.NONE);
        of.resync().complete(new Revision("1"));
        return filled;
    }

    /** Fills another mirror of that resource, whose type is known, as one on demand. */
    Mirror fills(ResourceType known) {
        MirrorWriter of = empty(known);
        fill(of).join();
        return of.mirror();
    }

    /** Another mirror of that resource. */
    MirrorWriter empty(ResourceType known) {
        MirrorWriter of = another(known.plural());
        of.identify(known, DeclaredFields.NONE);
        return of;
    }

    /** Fills another mirror, and stores it from then on. */
    CompletableFuture<?> fill(MirrorWriter other) {
        return persistence.restore(other, List.of("https://one", ""));
    }

    private long nanosOfWriter() {
        writing.run();
        return nanos();
    }

    private long nanosOfStore() {
        storing.run();
        return nanos();
    }

    /** Sets what happens from now on while changes are stored. */
    void whileStoring(Runnable happens) {
        storing = happens;
    }

    Mirror mirror() {
        return mirror;
    }

    MirrorWriter writer() {
        return writer;
    }

    Instant now() {
        return now;
    }

    /** Lists, as a reflector does. */
    PersistenceFixture list(int revision, KubeObject... objects) {
        return list(revision, List.of(objects));
    }

    PersistenceFixture list(int revision, Collection<KubeObject> objects) {
        var resync = writer.resync();
        objects.forEach(resync::add);
        resync.complete(new Revision(Integer.toString(revision)));
        writer.report(new UpstreamStatus(Phase.WATCHING, now, now, ""));
        return this;
    }

    /** Stores everything, after enough time for another file. */
    PersistenceFixture stored() {
        pass(Duration.ofSeconds(5));
        return store();
    }

    /** Stores what is new at this moment. */
    PersistenceFixture store() {
        persistence.store();
        return this;
    }

    void pass(Duration time) {
        now = now.plus(time);
        if (mirror.upstream().phase() == Phase.WATCHING) {
            writer.report(writer.mirror().upstream().contacted(now));
        }
    }

    List<Finding> findings() {
        return persistence.findings();
    }

    /** The value of a metric of files, such as {@code failures}. */
    double metric(String name) {
        return metrics.get("kubemirror.persistence." + name).functionCounter().count();
    }

    /** How many files had a result when they were restored. */
    double restores(String result) {
        return metrics.get("kubemirror.persistence.restores")
                .tag("result", result)
                .functionCounter()
                .count();
    }

    double size() {
        return metrics.get("kubemirror.persistence.size").gauge().value();
    }

    /** Ends the process, which waits for the disk for some time. */
    void stop(Duration patience) {
        persistence.stop(patience);
    }

    /** Leaves the files as they are. */
    PersistenceFixture kill() {
        persistence.leave();
        return this;
    }

    /** The files of mirrors, complete or not. */
    List<Path> files() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> !file.endsWith("lock")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file of the mirror. */
    Path file() {
        List<Path> files = files();
        if (files.size() != 1) {
            throw new AssertionError(files);
        }
        return files.getFirst();
    }

    /** All that readers can see: the state, and each change that they can read. */
    List<String> shown() {
        List<String> shown = new ArrayList<>();
        mirror.snapshot()
                .ifPresent(
                        state -> {
                            shown.add(state.toString());
                            state.objects().forEach(one -> shown.add(text(one)));
                            changes(mirror.floor()).forEach(one -> shown.add(text(one)));
                        });
        return shown;
    }

    /** The changes after a revision. */
    List<LoggedChange> changes(Revision after) {
        if (mirror.start(after) instanceof StartPosition.From(var cursor)
                && mirror.read(cursor) instanceof Reading.Progress(var changes, var _)) {
            return changes;
        }
        throw new AssertionError("expired: " + after);
    }

    private static String text(LoggedChange logged) {
        return logged.change().getClass().getSimpleName()
                + " "
                + logged.change().revision()
                + " "
                + text(logged.change().latest());
    }

    private static String text(KubeObject object) {
        return object
                + " "
                + object.labels()
                + " "
                + object.fields()
                + " "
                + new String(object.json(), StandardCharsets.UTF_8);
    }
}
