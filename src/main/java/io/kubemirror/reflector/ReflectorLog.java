package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

import java.util.Locale;

/**
 * The log lines about one mirror: a text for people, and the same in fields for programs, which
 * show where the log is structured ({@code logging.structured.format.console}).
 *
 * <p>The fields are {@code event.action}, by Elastic's common schema, and below {@code kubemirror}
 * what is of this program alone. None of them names an object or holds anything of it.
 *
 * <p>May be used from any thread.
 */
final class ReflectorLog {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final Mirror mirror;

    ReflectorLog(Mirror mirror) {
        this.mirror = mirror;
    }

    /**
     * A line that has the fields of every line.
     *
     * @param action what has happened, in one word
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
