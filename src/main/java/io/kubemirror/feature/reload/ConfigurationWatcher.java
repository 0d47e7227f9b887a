package io.kubemirror.feature.reload;

import module java.base;

import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.springframework.context.SmartLifecycle;

/**
 * Checks several times a second whether the configuration files have changed, and requests a
 * reload.
 *
 * <p>A change is complete when two checks in a row find the same content, because most programs
 * write a file in several steps. A writer that pauses for longer has its first part read; the rest
 * is the next change.
 */
final class ConfigurationWatcher implements SmartLifecycle {

    /** Two looks and a reload take less than a second. */
    static final Duration INTERVAL = Duration.ofMillis(200);

    /** The number of checks after which a reload that is not complete is requested again. */
    private static final int RETRY = 25;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Supplier<String> fingerprint;
    private final BooleanSupplier reload;
    private final PeriodicThread thread;
    private String reloaded = "";
    private String before = "";
    private int checks;

    /**
     * Creates a watcher that has not started.
     *
     * @param fingerprint identifies the content of the files
     * @param reload reads the files, and returns false if it has to be requested again although
     *     they do not change; must not throw an exception because of their content
     * @param sleeper waits between two checks
     */
    ConfigurationWatcher(Supplier<String> fingerprint, BooleanSupplier reload, Sleeper sleeper) {
        this.fingerprint = fingerprint;
        this.reload = reload;
        this.thread = new PeriodicThread("configuration", this::check, INTERVAL, sleeper);
    }

    /**
     * The first reload finds what changed during the start, and what the files import. Later ones
     * follow a change.
     */
    private Duration check() {
        String now = fingerprint.get();
        boolean first = reloaded.isEmpty();
        boolean again = checks > 0 && --checks == 0;
        if (first || again || (!now.equals(reloaded) && now.equals(before))) {
            reloaded = now;
            checks = RETRY;
            checks = reload.getAsBoolean() ? 0 : RETRY;
        }
        before = now;
        return INTERVAL;
    }

    @Override
    public void start() {
        thread.start();
    }

    /** Checks on the calling thread, until it is interrupted. */
    void run() {
        thread.run();
    }

    /** Waits for a reload in progress. */
    @Override
    public void stop() {
        thread.stop(PATIENCE);
    }

    @Override
    public boolean isRunning() {
        return thread.isRunning();
    }
}
