package io.kubemirror.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Turns the log off while a test class runs that causes thousands of faults. */
public final class SilentLog implements BeforeAllCallback, AfterAllCallback {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.kubemirror");

    /** Creates an instance for {@link ExtendWith}. */
    public SilentLog() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(null);
    }
}
