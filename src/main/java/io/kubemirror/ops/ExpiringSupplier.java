package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * Caches the result of an expensive call for a fixed time. Concurrent callers share one call. Safe
 * for use by any thread.
 *
 * @param <T> the result
 */
public final class ExpiringSupplier<T> {

    private final Supplier<T> question;
    private final Duration age;
    private final InstantSource clock;

    /** Guarded by this, together with its expiry. */
    private @Nullable T answer;

    private Instant until = Instant.MIN;

    /**
     * Creates a supplier without a cached result.
     *
     * @param question computes the result
     * @param age how long a result is returned again
     */
    public ExpiringSupplier(Supplier<T> question, Duration age, InstantSource clock) {
        this.question = question;
        this.age = age;
        this.clock = clock;
    }

    /** Returns the cached result, or computes a new one if it has expired. */
    public synchronized T get() {
        T known = answer;
        if (known == null || !clock.instant().isBefore(until)) {
            known = question.get();
            answer = known;
            until = clock.instant().plus(age);
        }
        return known;
    }
}
