package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** The progress of a synchronization, for the log. Used by the reflector's thread. */
final class SyncProgress {

    /** The minimum interval between log lines. */
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Instant began;
    private Instant lastLogged;
    private long objects;
    private long bytes;

    /** The number of objects in all, as the server estimates it; 0 if unknown. */
    private long expected;

    /** Starts without objects. */
    SyncProgress(Instant began) {
        this.began = began;
        this.lastLogged = began;
    }

    /** Returns when the synchronization began. */
    Instant began() {
        return began;
    }

    /** Counts an object that has arrived. */
    void add(KubeObject object) {
        objects++;
        bytes += object.json().length;
    }

    /** Sets the server's estimate of the number of objects still to come. */
    void expect(long more) {
        expected = objects + more;
    }

    /** Returns the number of objects so far. */
    long objects() {
        return objects;
    }

    /** Returns their size in bytes. */
    long bytes() {
        return bytes;
    }

    /** Returns whether a log line is due; if so, the interval starts again. */
    boolean isDue(Instant now) {
        boolean due = !now.isBefore(lastLogged.plus(INTERVAL));
        if (due) {
            lastLogged = now;
        }
        return due;
    }

    /** Returns the number of objects still to come, 0 if unknown. */
    long remaining() {
        return Math.max(0, expected - objects);
    }

    /** Returns the average number of objects per second, as of the last call of {@link #isDue}. */
    long rate() {
        return objects * 1_000 / Math.max(1, millis());
    }

    /** Returns the progress as text for people. */
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
                        "%s; about %,d remaining, %d s",
                        sofar,
                        remaining(),
                        remaining() * millis() / Math.max(1, objects) / 1_000);
    }

    private long millis() {
        return Duration.between(began, lastLogged).toMillis();
    }
}
