package io.kubemirror.feature.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.FindingSource;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SteadyClock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
public final class MirrorPersistence implements SmartLifecycle, MeterBinder, FindingSource {

    private static final Logger log = LoggerFactory.getLogger(MirrorPersistence.class);

    private static final String COST = "mirrors cannot be stored, so a restart costs a list: ";

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
    private final SteadyClock clock;
    private final LongSupplier nanos;
    private final CountDownLatch ending = new CountDownLatch(1);
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong restored = new AtomicLong();
    private final AtomicLong discarded = new AtomicLong();

    /** Why mirrors are not stored at present, empty if they are. The log has a line for each. */
    private final AtomicReference<String> problem = new AtomicReference<>("");

    /** The mirrors by their files. */
    private final Map<Path, StoredMirror> stored = new ConcurrentHashMap<>();

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
     * @param nanos the clock of the writers of mirrors
     */
    public MirrorPersistence(
            Path directory, long limit, String version, SteadyClock clock, LongSupplier nanos) {
        this.directory = directory;
        this.limit = limit;
        this.version = version;
        this.clock = clock;
        this.nanos = nanos;
        this.current = clock.instant();
        var _ = isOpen(clock.instant());
    }

    @Override
    public List<Finding> findings() {
        return Finding.warning(Kind.STORAGE, problem.get());
    }

    private void failed(Path path, Throwable why) {
        failures.incrementAndGet();
        String present = path + ": " + COST + why;
        if (problem.compareAndSet("", present)) {
            log.warn("{}; check kubemirror.persistence.directory", present);
        }
        if (!(why instanceof IOException)) {
            // The stack trace names no object.
            log.error("Cannot store mirrors", why);
        }
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
            } catch (IOException e) {
                failed(directory, e);
            } catch (UnsupportedOperationException e) {
                failed(directory, new IOException("its file system has no POSIX permissions"));
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

    private static FileLock lock(Path path) throws IOException {
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

    /**
     * Stores a mirror from now on, and fills it with what is stored of it, on a thread of its own.
     *
     * @param writer the writer of an empty mirror
     * @param origin what determines the content, beside the scope
     * @return complete when the mirror is filled, or will not be; nothing else may write it before
     */
    public CompletableFuture<?> restore(MirrorWriter writer, List<String> origin) {
        Mirror mirror = writer.mirror();
        List<String> owner = Stream.concat(Stream.of(version), origin.stream()).toList();
        StoredHistory history = new StoredHistory(mirror, owner, clock, nanos);
        Path path = StoredMirror.path(directory, mirror);
        StoredMirror added =
                Objects.requireNonNull(
                        stored.compute(
                                path,
                                (_, before) -> new StoredMirror(writer, path, history, before)));
        return CompletableFuture.runAsync(
                () -> fill(added),
                task -> Thread.ofVirtual().name("restore-" + mirror.scope()).start(task));
    }

    private void fill(StoredMirror mirror) {
        long begun = nanos.getAsLong();
        Scope scope = mirror.mirror().scope();
        try {
            if (mirror.restore(clock.instant(), lock != null)) {
                restored.incrementAndGet();
                Duration took = Duration.ofNanos(nanos.getAsLong() - begun);
                log.info(
                        "{}: restored in {} ms: {}; last contact with the server at {}",
                        scope,
                        took.toMillis(),
                        mirror.mirror().snapshot().orElseThrow(),
                        mirror.mirror().upstream().contact());
            }
        } catch (IOException e) {
            discarded.incrementAndGet();
            log.warn("{}: the stored mirror is discarded: {}", scope, e.getMessage());
        } catch (RuntimeException | Error bug) {
            failed(mirror.path(), bug);
        }
    }

    /** Stores what has happened since the last time, and removes files that no mirror has. */
    public synchronized void store() {
        Instant now = clock.instant();
        if (!isOpen(now)) {
            return;
        }
        boolean complete = true;
        List<StoredMirror> mirrors = List.copyOf(stored.values());
        long all = mirrors.stream().mapToLong(StoredMirror::size).sum();
        for (StoredMirror mirror : mirrors) {
            long others = all - mirror.size();
            complete &= store(mirror, now, limit - others);
            all = others + mirror.size();
            size = all;
        }
        if (complete) {
            current = now;
            if (!problem.getAndSet("").isEmpty()) {
                log.info("All mirrors are stored again");
            }
        }
        if (unclaimedUntil != null && !now.isBefore(unclaimedUntil)) {
            unclaimedUntil = null;
            removeUnclaimed();
        }
    }

    private boolean store(StoredMirror mirror, Instant now, long max) {
        try {
            if (mirror.mirror().isRemoved()) {
                mirror.remove();
                stored.remove(mirror.path(), mirror);
                return true;
            }
            return mirror.store(now, max);
        } catch (IOException | RuntimeException | Error e) {
            failed(mirror.path(), e);
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
            failed(directory, e);
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
            failed(directory, bug);
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
                failed(directory, new IOException("the disk does not answer; the process ends"));
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
        try {
            for (StoredMirror mirror : stored.values()) {
                mirror.abandon();
            }
            if (held != null) {
                held.acquiredBy().close();
            }
        } catch (IOException e) {
            failed(directory, e);
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
        counter("failures", failures, "Failures to store a mirror").register(registry);
        String found = "Files found at the start, by what became of them";
        counter("restores", restored, found).tag("result", "restored").register(registry);
        counter("restores", discarded, found).tag("result", "discarded").register(registry);
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

    private static FunctionCounter.Builder<AtomicLong> counter(
            String name, AtomicLong count, String description) {
        return FunctionCounter.builder("kubemirror.persistence." + name, count, AtomicLong::get)
                .description(description);
    }
}
