package io.kubemirror.testing;

import module java.base;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Fails a test class if OkHttp finds a response that nobody has closed. It finds one after a
 * garbage collection, so the class that fails may run later; the stack names the request.
 *
 * <p>Registered for all tests. Safe for use by any thread.
 */
public final class LeakedResponses implements BeforeEachCallback, AfterAllCallback {

    /** A strong reference: the JVM forgets the level of a logger that nobody uses. */
    private static final Logger OKHTTP = Logger.getLogger("okhttp3.OkHttpClient");

    private static final Recorder RECORDER = new Recorder();

    static {
        OKHTTP.addHandler(RECORDER);
        // Tests that read what is logged see only their own lines.
        OKHTTP.setUseParentHandlers(false);
    }

    /** Makes OkHttp remember who sends a request. The start of an application resets the level. */
    @Override
    public void beforeEach(ExtensionContext context) {
        OKHTTP.setLevel(Level.FINE);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        failIfAny();
    }

    static void failIfAny() {
        List<LogRecord> leaks = RECORDER.take();
        if (!leaks.isEmpty()) {
            AssertionError error = new AssertionError(leaks.getFirst().getMessage());
            leaks.forEach(
                    leak -> {
                        if (leak.getThrown() != null) {
                            error.addSuppressed(leak.getThrown());
                        }
                    });
            throw error;
        }
    }

    /** Keeps what OkHttp logs about responses that were never closed. */
    private static final class Recorder extends Handler {

        private final Queue<LogRecord> leaks = new ConcurrentLinkedQueue<>();

        List<LogRecord> take() {
            List<LogRecord> taken = new ArrayList<>();
            for (LogRecord leak = leaks.poll(); leak != null; leak = leaks.poll()) {
                taken.add(leak);
            }
            return taken;
        }

        @Override
        public void publish(LogRecord entry) {
            if (String.valueOf(entry.getMessage()).contains("was leaked")) {
                leaks.add(entry);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
