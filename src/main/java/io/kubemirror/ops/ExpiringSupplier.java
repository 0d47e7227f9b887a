package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The last answer to a question that is dear, given again while it is young: however many ask at
 * once, it is found once. For any thread.
 *
 * @param <T> the answer
 */
public final class ExpiringSupplier<T> {

    private final Supplier<T> question;
    private final Duration age;
    private final InstantSource clock;

    /** Guarded by this, as is until when it counts. */
    private @Nullable T answer;

    private Instant until = Instant.MIN;

    /**
     * Nothing has been asked yet.
     *
     * @param question finds the answer
     * @param age how long it is given again
     */
    public ExpiringSupplier(Supplier<T> question, Duration age, InstantSource clock) {
        this.question = question;
        this.age = age;
        this.clock = clock;
    }

    /** The answer, at most so old. */
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
