package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * How far the fetching of a state has come, for those who wait for it.
 *
 * <p>Used by one thread.
 */
final class SyncProgress {

    /** How long it is silent at least. */
    static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Instant began;
    private Instant told;
    private long objects;
    private long bytes;
    private long expected;

    /** Nothing has come yet. */
    SyncProgress(Instant began) {
        this.began = began;
        this.told = began;
    }

    /** An object has come. */
    void add(KubeObject object) {
        objects++;
        bytes += object.json().length;
    }

    /** So many objects are still to come, by the server's estimate. */
    void expect(long more) {
        expected = objects + more;
    }

    /** Whether it is time to tell; if so, it is not for a while. */
    boolean isDue(Instant now) {
        boolean due = !now.isBefore(told.plus(INTERVAL));
        if (due) {
            told = now;
        }
        return due;
    }

    /** How many objects have come. */
    long objects() {
        return objects;
    }

    /** How many bytes of them are kept. */
    long bytes() {
        return bytes;
    }

    /** How many objects are still to come, 0 if nobody knows. */
    long remaining() {
        return Math.max(0, expected - objects);
    }

    /** Objects in a second on average, by the time that was last asked about. */
    long rate() {
        return objects * 1_000 / Math.max(1, millis());
    }

    /** The same for people. */
    @Override
    public String toString() {
        String sofar =
                String.format(
                        Locale.ROOT,
                        "%,d objects so far, %.1f MB in %d s, %,d/s",
                        objects,
                        bytes / 1e6,
                        millis() / 1_000,
                        rate());
        return remaining() == 0
                ? sofar
                : String.format(
                        Locale.ROOT,
                        "%s; about %,d to come, %d s",
                        sofar,
                        remaining(),
                        remaining() * millis() / Math.max(1, objects) / 1_000);
    }

    private long millis() {
        return Duration.between(began, told).toMillis();
    }
}
