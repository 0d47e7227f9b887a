package io.kubemirror.app;

import io.kubemirror.feature.disk.MirrorPersistence;
import io.kubemirror.feature.disk.PersistenceProperties;
import io.kubemirror.feature.redact.RedactingTransform;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.source.Source;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.unit.DataSize;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The mirrors on disk, of which there are none unless a directory is configured. Stops after the
 * reflectors, so that the disk has everything that readers have seen.
 */
final class StoredMirrors implements SmartLifecycle, MeterBinder {

    private static final String KEY_FILE = "kubemirror.persistence.key-file";

    private static final String MAX_BYTES = "kubemirror.persistence.max-bytes";

    private static final String HMAC = "HmacSHA256";

    /** The length of a key, in bytes. */
    private static final int KEY = 32;

    /** Lower than the phase of the reflectors. */
    private static final int BEFORE_REFLECTORS = -1;

    private final @Nullable MirrorPersistence persistence;
    private final SecretKeySpec redactionKey;

    /**
     * Creates the mirrors of a directory.
     *
     * @param key the key of the directory, null for none
     */
    private StoredMirrors(@Nullable MirrorPersistence persistence, byte @Nullable [] key) {
        this.persistence = persistence;
        byte[] secret = key;
        if (secret == null) {
            secret = new byte[KEY];
            new SecureRandom().nextBytes(secret);
        }
        this.redactionKey =
                new SecretKeySpec(digest(new SecretKeySpec(secret, HMAC), "redact-fields"), HMAC);
    }

    private static byte[] digest(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the JDK does not support " + HMAC, impossible);
        }
    }

    /**
     * Opens the directory, if there is one.
     *
     * @param version the version of kubemirror
     * @param memory the budget for buffers
     * @throws InvalidConfigurationPropertyValueException if the key cannot be used
     */
    static StoredMirrors of(
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
            return new StoredMirrors(null, null);
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

    /**
     * Returns the key of hashes that take the place of redacted values: derived from the key of the
     * directory, so that they are the same after a restart; otherwise random.
     */
    SecretKeySpec redactionKey() {
        return redactionKey;
    }

    /** Returns a transform that knows the key. */
    ObjectTransform keyed(ObjectTransform transform) {
        return transform instanceof RedactingTransform redacting
                ? redacting.hashedWith(redactionKey)
                : transform;
    }

    private static String words(Object... parts) {
        return Stream.of(parts).map(Object::toString).collect(Collectors.joining(" "));
    }

    /**
     * Stores a mirror from now on, and fills it with what is stored of it before its reflector
     * starts.
     *
     * @param source where its objects come from
     */
    void restore(
            MirrorWriter writer, MirrorDefinition definition, Source source, Reflector reflector) {
        if (persistence != null) {
            String settings =
                    words(
                            definition.scope().extent(),
                            keyed(definition.settings().transform()).identity(),
                            definition.settings().indexed());
            reflector.startAfter(
                    persistence.restore(writer, source.description().identity(), settings));
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (persistence != null) {
            persistence.bindTo(registry);
        }
    }

    @Override
    public void start() {
        if (persistence != null) {
            persistence.start();
        }
    }

    @Override
    public void stop() {
        if (persistence != null) {
            persistence.stop();
        }
    }

    @Override
    public boolean isRunning() {
        return persistence != null && persistence.isRunning();
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
