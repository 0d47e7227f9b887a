package io.kubemirror.testing;

import module java.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import org.slf4j.LoggerFactory;

/** What one class logs while this is open. */
public final class LogLines implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    /** Records from now on. An application in the same JVM may have raised the level of all. */
    public LogLines(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
    }

    /** The messages so far. */
    public List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** The structured fields of a line. */
    public Map<String, Object> fields(int line) {
        return lines.list.get(line).getKeyValuePairs().stream()
                .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }

    @Override
    public void close() {
        logger.setLevel(null);
        logger.detachAppender(lines);
    }
}
