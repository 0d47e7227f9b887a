package io.kubemirror.feature.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import module java.base;

import io.kubemirror.app.MirrorStore;
import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.FindingSource;
import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException;
import io.kubemirror.feature.disk.StoredHistory.StoreHeader.Owner;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.SteadyClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Stores mirrors on disk, so that the next process answers at once, continues the watches of its
 * server without a list, and lets clients resume at their revisions. The format is described at the
 * package.
 *
 * <p>One thread writes for all mirrors. It reads the log of each, about ten times a second, so no
 * mirror waits for the disk. A disk that is full or read-only is tried again every minute.
 *
 * <p>Safe for use by any thread. The monitor guards the directory and is held while mirrors are
 * stored. Metrics, and mirrors that are added, do not wait for it: the disk may hang. Stops after
 * the reflectors, so that the disk has everything that readers have seen.
 */
public final class MirrorPersistence
        implements MirrorStore, SmartLifecycle, MeterBinder, FindingSource {

    /** How long changes may wait for the disk. */
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private static final Duration RETRY = Duration.ofMinutes(1);

    /** How long files wait for a mirror that starts on demand. */
    private static final Duration UNCLAIMED = Duration.ofMinutes(10);

    /** The end of the process does not wait longer for a disk that hangs. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String LOCK = "lock";

    private final Path directory;
    private final long limit;
    private final String version;
    private final MemoryBudget memory;
    private final SteadyClock clock;
    private final LongSupplier nanos;
    private final CountDownLatch ending = new CountDownLatch(1);
    private final StoreCounts counts = new StoreCounts();

    /** The mirrors by their files, each complete when it has been filled. */
    private final Map<Path, CompletableFuture<StoredMirror>> stored = new ConcurrentHashMap<>();

    /**
     * Held while this process uses the directory; null if it does not. Written under the monitor,
     * read by writers of mirrors.
     */
    private volatile @Nullable FileLock lock;

    private Instant nextAttempt = Instant.MIN;
    private @Nullable Instant unclaimedUntil;

    /** The size of all files after they were written. Written under the monitor. */
    private volatile long size;

    /** When the disk had everything. Written under the monitor. */
    private volatile Instant current;

    /** Set by {@link #start} and {@link #stop}. */
    private volatile @Nullable Thread thread;

    /**
     * Opens the directory, and creates it if it does not exist. If that fails, it is tried again
     * later.
     *
     * @param directory the directory, used by no other process
     * @param limit the maximum size of all files, in bytes
     * @param version the version of kubemirror
     * @param memory the budget for buffers
     * @param nanos the clock of the writers of mirrors
     */
    public MirrorPersistence(
            Path directory,
            long limit,
            String version,
            MemoryBudget memory,
            SteadyClock clock,
            LongSupplier nanos) {
        this.directory = directory;
        this.limit = limit;
        this.version = version;
        this.memory = memory;
        this.clock = clock;
        this.nanos = nanos;
        this.current = clock.instant();
        var _ = isOpen(clock.instant());
    }

    /** Returns why mirrors are not stored at present, in one line; empty if they are. */
    String problem() {
        return counts.problem();
    }

    @Override
    public List<Finding> findings() {
        String problem = problem();
        return problem.isEmpty()
                ? List.of()
                : List.of(new Finding(Severity.WARNING, Kind.STORAGE, "", problem));
    }

    /**
     * Returns whether this process may use the directory, and tries to get it from time to time.
     */
    private synchronized boolean isOpen(Instant now) {
        if (lock == null && !now.isBefore(nextAttempt)) {
            nextAttempt = now.plus(RETRY);
            try {
                created(directory);
                lock = lock(directory.resolve(LOCK));
                unclaimedUntil = now.plus(UNCLAIMED);
            } catch (IOException | UnsupportedOperationException e) {
                counts.failed(directory, e);
            }
        }
        return lock != null;
    }

    /** Creates a directory that only this user may read, unless it exists. */
    static Path created(Path directory) throws IOException {
        return Files.createDirectories(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private boolean isOwned() {
        return lock != null;
    }

    private static FileLock lock(Path path) throws IOException {
        boolean exists = Files.exists(path, NOFOLLOW_LINKS);
        if (exists && !Files.isRegularFile(path, NOFOLLOW_LINKS)) {
            // Opening a named pipe would wait for its reader.
            throw new IOException(path + " is not a regular file");
        }
        FileChannel channel =
                FileChannel.open(
                        path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, NOFOLLOW_LINKS);
        FileLock locked = null;
        try {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            locked = channel.tryLock();
        } catch (OverlappingFileLockException _) {
            // It is locked by this process.
        } finally {
            if (locked == null) {
                channel.close();
            }
        }
        if (locked == null) {
            throw new IOException("another process uses it");
        }
        return locked;
    }

    /** The mirror is filled on a thread of its own. */
    @Override
    public CompletableFuture<Void> restore(MirrorWriter writer, String server, String settings) {
        String content = writer.mirror().scope() + " " + settings;
        StoredMirror mirror =
                new StoredMirror(
                        writer,
                        StoredMirror.path(directory, writer.mirror(), content),
                        new Owner(version, server, content),
                        this::isOwned,
                        clock,
                        nanos,
                        memory,
                        counts);
        CompletableFuture<StoredMirror> filled = new CompletableFuture<>();
        CompletableFuture<StoredMirror> before = stored.put(mirror.path(), filled);
        Thread.ofVirtual()
                .name("restore-" + writer.mirror().scope())
                .start(
                        () -> {
                            try {
                                // It may be filled itself: a file has one user at a time.
                                fill(mirror, before == null ? null : before.join());
                            } finally {
                                filled.complete(mirror);
                            }
                        });
        return filled.thenAccept(_ -> {});
    }

    /** A mirror on demand may return before its file has been removed. */
    private void fill(StoredMirror mirror, @Nullable StoredMirror before) {
        if (before != null) {
            before.abandon();
        }
        if (!isOwned()) {
            return;
        }
        long begun = nanos.getAsLong();
        try {
            if (mirror.restore(clock.instant())) {
                Duration took = Duration.ofNanos(nanos.getAsLong() - begun);
                counts.restored(mirror.mirror(), took, mirror.mirror().upstream().contact());
            }
        } catch (UntrustedStoreException e) {
            counts.discarded(mirror.mirror(), e);
        } catch (IOException e) {
            counts.failed(mirror.path(), e);
        }
    }

    /** Stores what has happened since the last time, and removes files that no mirror has. */
    public synchronized void store() {
        Instant now = clock.instant();
        if (!isOpen(now)) {
            return;
        }
        boolean complete = true;
        List<StoredMirror> mirrors = filled();
        long all = mirrors.stream().mapToLong(StoredMirror::size).sum();
        for (StoredMirror mirror : mirrors) {
            long others = all - mirror.size();
            complete &= store(mirror, now, limit - others);
            all = others + mirror.size();
            size = all;
        }
        if (complete) {
            current = now;
            counts.succeeded();
        }
        if (unclaimedUntil != null && !now.isBefore(unclaimedUntil)) {
            unclaimedUntil = null;
            removeUnclaimed();
        }
    }

    private List<StoredMirror> filled() {
        return stored.values().stream()
                .filter(CompletableFuture::isDone)
                .map(CompletableFuture::join)
                .toList();
    }

    private boolean store(StoredMirror mirror, Instant now, long max) {
        if (mirror.mirror().isRemoved()) {
            // A mirror that returns meanwhile waits for this, or has the file by then.
            mirror.remove();
            stored.computeIfPresent(
                    mirror.path(), (_, present) -> present.getNow(null) == mirror ? null : present);
            return true;
        }
        try {
            return mirror.store(now, max);
        } catch (IOException e) {
            counts.failed(mirror.path(), e);
        } catch (RuntimeException | Error bug) {
            counts.defect(bug);
        }
        return false;
    }

    private void removeUnclaimed() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (StoredMirror.isPath(file) && !stored.containsKey(file)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            counts.failed(directory, e);
        }
    }

    @Override
    public void start() {
        thread = Thread.ofPlatform().daemon().name("persistence").start(this::run);
    }

    /** It is not interrupted: that would close a file that is written. */
    private void run() {
        try {
            do {
                storeGuarded();
            } while (!ending.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        storeGuarded();
        leave();
    }

    private void storeGuarded() {
        try {
            store();
        } catch (RuntimeException | Error bug) {
            counts.defect(bug);
        }
    }

    /**
     * Stores what is left, after the reflectors have stopped, and leaves the directory. Waits for
     * up to five seconds: if the disk hangs, its files stay as a killed process leaves them.
     */
    @Override
    public void stop() {
        stop(PATIENCE);
    }

    void stop(Duration patience) {
        ending.countDown();
        if (thread == null) {
            start();
        }
        Thread running = Objects.requireNonNull(thread);
        thread = null;
        try {
            if (!running.join(patience)) {
                counts.failed(
                        directory, new IOException("the disk does not answer; the process ends"));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all files as they are, which a killed process does as well. */
    public synchronized void leave() {
        FileLock held = lock;
        lock = null;
        nextAttempt = Instant.MAX;
        filled().forEach(StoredMirror::close);
        stored.clear();
        try {
            if (held != null) {
                held.acquiredBy().close();
            }
        } catch (IOException e) {
            counts.failed(directory, e);
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    /** It leaves the directory to another process when it stops. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Lower than the phase of the reflectors. */
    @Override
    public int getPhase() {
        return -1;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        counts.bindTo(registry);
        Gauge.builder("kubemirror.persistence.size", this, one -> one.size)
                .description("Size of the files")
                .baseUnit("bytes")
                .register(registry);
        TimeGauge.builder(
                        "kubemirror.persistence.age",
                        this,
                        TimeUnit.MILLISECONDS,
                        one -> Duration.between(one.current, clock.instant()).toMillis())
                .description("Time since all mirrors were on disk")
                .register(registry);
    }
}
