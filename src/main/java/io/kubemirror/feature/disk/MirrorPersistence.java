package io.kubemirror.feature.disk;

import io.kubemirror.feature.disk.StoreHeader.Owner;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Sleeper;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Stores mirrors on disk, so that the next process answers at once, continues the watches of its
 * server without a list, and lets clients resume at their revisions. The format is described at the
 * package.
 *
 * <p>One thread writes for all mirrors. It reads the log of each, about ten times a second, so no
 * mirror waits for the disk. A disk that is full or read-only is tried again every minute.
 *
 * <p>Safe for use by any thread. The monitor guards the directory and is held while mirrors are
 * stored. Metrics, and mirrors that are added, do not wait for it: the disk may hang.
 */
public final class MirrorPersistence implements MeterBinder {

    /** How long changes may wait for the disk. */
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private static final Duration RETRY = Duration.ofMinutes(1);

    /** How long files wait for a mirror that starts on demand. */
    private static final Duration UNCLAIMED = Duration.ofMinutes(10);

    /** The end of the process does not wait longer for a disk that hangs. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String LOCK = "lock";

    private static final Set<PosixFilePermission> OWNER =
            PosixFilePermissions.fromString("rw-------");

    private final Path directory;
    private final byte @Nullable [] secret;
    private final long limit;
    private final String version;
    private final MemoryBudget memory;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Sleeper sleeper;
    private final StoreCounts counts = new StoreCounts();

    /** The files of mirrors that have been filled, or have nothing to be filled from. */
    private final Map<Path, StoredMirror> stored = new ConcurrentHashMap<>();

    /** The files that mirrors are being filled from, until the last of them is filled. */
    private final Map<Path, CompletableFuture<Void>> filling = new ConcurrentHashMap<>();

    /** Held while this process uses the directory; null if it does not. */
    private @Nullable FileLock lock;

    /** Whether there is a lock. Written under the monitor, read by writers of mirrors. */
    private volatile boolean owned;

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
     * @param secret the key of 32 bytes, null for none
     * @param limit the maximum size of all files, in bytes
     * @param version the version of kubemirror
     * @param memory the budget for buffers
     * @param nanos the clock of the writers of mirrors
     */
    public MirrorPersistence(
            Path directory,
            byte @Nullable [] secret,
            long limit,
            String version,
            MemoryBudget memory,
            InstantSource clock,
            LongSupplier nanos,
            Sleeper sleeper) {
        this.directory = directory;
        this.secret = secret == null ? null : secret.clone();
        this.limit = limit;
        this.version = version;
        this.memory = memory;
        this.clock = clock;
        this.nanos = nanos;
        this.sleeper = sleeper;
        this.current = clock.instant();
        var _ = isOpen(clock.instant());
    }

    /**
     * Returns whether this process may use the directory, and tries to get it from time to time.
     */
    private synchronized boolean isOpen(Instant now) {
        if (lock == null && !now.isBefore(nextAttempt)) {
            nextAttempt = now.plus(RETRY);
            open(now);
        }
        return lock != null;
    }

    private void open(Instant now) {
        try {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            lock = lock(directory.resolve(LOCK));
            owned = lock != null;
            if (lock == null) {
                counts.unusable(directory, "another process uses it");
            } else {
                unclaimedUntil = now.plus(UNCLAIMED);
            }
        } catch (IOException | UnsupportedOperationException e) {
            counts.unusable(directory, e.toString());
        }
    }

    /** Returns null if it is locked already. An open file would not be closed with the lock. */
    private static @Nullable FileLock lock(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            // Opening a named pipe would wait for its reader.
            throw new IOException(path + " is not a regular file");
        }
        FileChannel channel =
                FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(OWNER));
        FileLock locked = null;
        try {
            // One that existed keeps its permissions otherwise.
            Files.setPosixFilePermissions(path, OWNER);
            locked = channel.tryLock();
        } catch (OverlappingFileLockException _) {
            // It is locked by this process.
        } finally {
            if (locked == null) {
                channel.close();
            }
        }
        return locked;
    }

    /**
     * Stores a mirror from now on. If it is stored already, it is filled first, on a thread of its
     * own.
     *
     * @param writer the writer of an empty mirror
     * @param server what tells the server from others
     * @param settings what else determines the content, beside the scope
     * @return complete when the mirror is filled, or will not be; nothing else may write it before
     */
    public CompletableFuture<Void> restore(MirrorWriter writer, String server, String settings) {
        String content = writer.mirror().scope() + " " + settings;
        String key = secret == null ? "" : RecordCipher.name(secret);
        Owner owner = new Owner(version, server, content, key);
        StoredMirror mirror =
                new StoredMirror(
                        writer,
                        StoredMirror.path(directory, writer.mirror(), content),
                        owner,
                        secret,
                        () -> owned,
                        nanos,
                        memory,
                        counts);
        CompletableFuture<Void> filled = new CompletableFuture<>();
        CompletableFuture<Void> earlier = filling.put(mirror.path(), filled);
        StoredMirror before = stored.remove(mirror.path());
        Thread.ofVirtual()
                .name("restore-" + writer.mirror().scope())
                .start(
                        () -> {
                            try {
                                fill(mirror, earlier == null ? before : await(earlier, mirror));
                            } finally {
                                stored.put(mirror.path(), mirror);
                                filling.remove(mirror.path(), filled);
                                filled.complete(null);
                            }
                        });
        return filled;
    }

    /** A mirror may have ended while it was being filled: its file has one user at a time. */
    private @Nullable StoredMirror await(CompletableFuture<Void> earlier, StoredMirror mirror) {
        earlier.join();
        return stored.remove(mirror.path());
    }

    /** A mirror on demand may return before its file has been removed. */
    private void fill(StoredMirror mirror, @Nullable StoredMirror before) {
        if (before != null) {
            before.abandon();
        }
        if (!owned) {
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
            counts.failed(mirror.mirror(), e);
        }
    }

    /** Stores what has happened since the last time, and removes files that no mirror has. */
    public synchronized void store() {
        Instant now = clock.instant();
        if (Thread.currentThread().isInterrupted() || !isOpen(now)) {
            return;
        }
        boolean complete = true;
        try (RecordBuffer buffer = new RecordBuffer(memory)) {
            for (StoredMirror mirror : stored.values()) {
                complete &= store(mirror, now, buffer);
                size = sizeOfAll();
            }
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

    private boolean store(StoredMirror mirror, Instant now, RecordBuffer buffer) {
        if (mirror.mirror().isRemoved()) {
            // A mirror that returns meanwhile waits for this, or has the file by then.
            mirror.remove();
            stored.remove(mirror.path(), mirror);
            return true;
        }
        try {
            return mirror.store(now, buffer, limit - sizeOfAll());
        } catch (IOException e) {
            counts.failed(mirror.mirror(), e);
        } catch (RuntimeException bug) {
            counts.defect(bug);
        }
        return false;
    }

    private synchronized long sizeOfAll() {
        return stored.values().stream().mapToLong(StoredMirror::size).sum();
    }

    private void removeUnclaimed() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (StoredMirror.isPath(file)
                        && !filling.containsKey(file)
                        && !stored.containsKey(file)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            counts.unusable(directory, e.toString());
        }
    }

    /** Starts the thread that stores mirrors. */
    public void start() {
        thread = Thread.ofPlatform().daemon().name("persistence").start(this::run);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    store();
                } catch (RuntimeException bug) {
                    counts.defect(bug);
                }
                sleeper.sleep(INTERVAL);
            }
        } catch (InterruptedException _) {
            // stop() interrupts the wait.
        }
    }

    /**
     * Stores what is left, after the reflectors have stopped, and leaves the directory. Waits for
     * up to five seconds: if the disk hangs, its files stay as a killed process leaves them.
     */
    public void stop() {
        stop(PATIENCE);
    }

    void stop(Duration patience) {
        Thread running = thread;
        thread = null;
        Thread end =
                Thread.ofPlatform()
                        .daemon()
                        .name("persistence-end")
                        .start(() -> storeRest(running));
        try {
            if (!end.join(patience)) {
                counts.unusable(directory, "the disk does not answer; the process ends");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void storeRest(@Nullable Thread running) {
        if (running != null) {
            interrupt(running);
            try {
                running.join();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
        store();
        close();
    }

    /** An interrupt while a file is written would close it. The monitor keeps them apart. */
    private synchronized void interrupt(Thread running) {
        running.interrupt();
    }

    /** Closes all files as they are, which a killed process does as well. */
    public synchronized void close() {
        owned = false;
        stored.values().forEach(StoredMirror::close);
        stored.clear();
        try {
            if (lock != null) {
                lock.acquiredBy().close();
                lock = null;
                nextAttempt = Instant.MAX;
            }
        } catch (IOException e) {
            counts.unusable(directory, e.toString());
        }
    }

    /** Returns whether the thread is running. */
    public boolean isRunning() {
        return thread != null;
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
