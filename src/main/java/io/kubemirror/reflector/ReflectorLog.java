package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

import java.util.Locale;

/**
 * The log of one mirror. Each line has a text for people and the same content in fields, which
 * appear if the log is structured ({@code logging.structured.format.console}).
 *
 * <p>The fields are {@code event.action}, from the Elastic Common Schema, and kubemirror's own
 * fields below {@code kubemirror}. No field names an object or contains a part of it.
 *
 * <p>Safe for use by any thread.
 */
final class ReflectorLog {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final Mirror mirror;

    ReflectorLog(Mirror mirror) {
        this.mirror = mirror;
    }

    /**
     * Starts a line with the common fields.
     *
     * @param action the event, in one word
     */
    LoggingEventBuilder line(Level level, String action) {
        return LOG.atLevel(level)
                .addKeyValue("event.action", action)
                .addKeyValue("kubemirror.resource", mirror.scope().toString())
                .addKeyValue("kubemirror.phase", phase())
                .addKeyValue("kubemirror.revision", mirror.revision().digits());
    }

    private String phase() {
        return mirror.upstream().phase().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
