package io.kubemirror.feature.disk;

import io.kubemirror.app.MirrorStore;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.unit.DataSize;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The mirrors in a directory. Stops after the reflectors, so that the disk has everything that
 * readers have seen.
 */
final class StoredMirrors implements MirrorStore, SmartLifecycle, MeterBinder {

    private static final String KEY_FILE = "kubemirror.persistence.key-file";

    private static final String MAX_BYTES = "kubemirror.persistence.max-bytes";

    /** The length of a key, in bytes. */
    private static final int KEY = 32;

    /** Lower than the phase of the reflectors. */
    private static final int BEFORE_REFLECTORS = -1;

    private final MirrorPersistence persistence;
    private final byte @Nullable [] key;

    /**
     * Creates the mirrors of a directory.
     *
     * @param key the key of the directory, null for none
     */
    private StoredMirrors(MirrorPersistence persistence, byte @Nullable [] key) {
        this.persistence = persistence;
        this.key = key == null ? null : key.clone();
    }

    /**
     * Opens the directory; null if none is configured.
     *
     * @param version the version of kubemirror
     * @param memory the budget for buffers
     * @throws InvalidConfigurationPropertyValueException if the key cannot be used
     */
    static @Nullable StoredMirrors of(
            PersistenceProperties properties,
            String version,
            MemoryBudget memory,
            InstantSource clock) {
        String directory = properties.directory();
        String keyFile = properties.keyFile();
        DataSize limit = properties.maxBytes();
        if (directory == null || directory.isBlank()) {
            refuseWithoutDirectory(KEY_FILE, keyFile);
            refuseWithoutDirectory(MAX_BYTES, limit);
            return null;
        }
        if (limit != null && limit.toBytes() < 1) {
            throw new InvalidConfigurationPropertyValueException(
                    MAX_BYTES, limit, "is too small; use a size such as 2GB, or remove it");
        }
        byte[] key = keyFile == null ? null : key(keyFile);
        return new StoredMirrors(
                new MirrorPersistence(
                        Path.of(directory),
                        key,
                        limit == null ? Long.MAX_VALUE : limit.toBytes(),
                        version,
                        memory.part("persistence", memory.limit()),
                        clock,
                        System::nanoTime,
                        Thread::sleep),
                key);
    }

    private static void refuseWithoutDirectory(String property, @Nullable Object value) {
        if (value != null) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    value,
                    "is not used; set kubemirror.persistence.directory, or remove it");
        }
    }

    private static byte[] key(String file) {
        try {
            byte[] key = Base64.getDecoder().decode(Files.readString(Path.of(file)).strip());
            if (key.length == KEY) {
                return key;
            }
        } catch (IOException | IllegalArgumentException _) {
            // The message would contain a part of the key.
        }
        throw new InvalidConfigurationPropertyValueException(
                KEY_FILE,
                file,
                "is no readable file with 32 bytes in Base64; create one with: openssl rand -base64"
                        + " 32");
    }

    @Override
    public CompletableFuture<Void> restore(MirrorWriter writer, String server, String settings) {
        return persistence.restore(writer, server, settings);
    }

    @Override
    public Optional<byte[]> secret() {
        return Optional.ofNullable(key).map(byte[]::clone);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        persistence.bindTo(registry);
    }

    @Override
    public void start() {
        persistence.start();
    }

    @Override
    public void stop() {
        persistence.stop();
    }

    @Override
    public boolean isRunning() {
        return persistence.isRunning();
    }

    /** It leaves the directory to another process when it stops. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return BEFORE_REFLECTORS;
    }
}
