package io.kubemirror.feature.reload;

import io.kubemirror.model.Sleeper;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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

    private static final Logger log = LoggerFactory.getLogger(ConfigurationWatcher.class);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Supplier<String> fingerprint;
    private final BooleanSupplier reload;
    private final Sleeper sleeper;

    /** Changed only by the thread that starts and stops beans; volatile for all others. */
    private volatile @Nullable Thread thread;

    /**
     * Creates a watcher that has not started.
     *
     * @param fingerprint identifies the content of the files
     * @param reload reads the files, and returns false if it has to be requested again although
     *     they do not change; must not throw an exception because of their content
     * @param sleeper waits between two checks
     */
    public ConfigurationWatcher(
            Supplier<String> fingerprint, BooleanSupplier reload, Sleeper sleeper) {
        this.fingerprint = fingerprint;
        this.reload = reload;
        this.sleeper = sleeper;
    }

    @Override
    public void start() {
        thread = Thread.ofVirtual().name("configuration").start(this::run);
    }

    /**
     * The first reload finds what changed during the start, and what the files import. Later ones
     * follow a change.
     */
    void run() {
        String reloaded = "";
        String before = "";
        int checks = 0;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    String now = fingerprint.get();
                    boolean first = reloaded.isEmpty();
                    boolean again = checks > 0 && --checks == 0;
                    if (first || again || (!now.equals(reloaded) && now.equals(before))) {
                        reloaded = now;
                        checks = RETRY;
                        checks = reload.getAsBoolean() ? 0 : RETRY;
                    }
                    before = now;
                } catch (RuntimeException | Error bug) {
                    log.error("Cannot watch the configuration files", bug);
                }
                sleeper.sleep(INTERVAL);
            }
        } catch (InterruptedException stopped) {
            log.debug("Stopped to watch the configuration files");
        }
    }

    /** Waits for a reload in progress. */
    @Override
    public void stop() {
        Thread watching = thread;
        thread = null;
        if (watching != null) {
            watching.interrupt();
            try {
                watching.join(PATIENCE);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
