package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;

import org.slf4j.LoggerFactory;

/** Records what is logged. The application replaces the appenders of the JVM when it starts. */
final class LogRecorder extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final Logger ROOT =
            (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

    /** Records from now on. */
    LogRecorder attach() {
        setContext(ROOT.getLoggerContext());
        start();
        ROOT.addAppender(this);
        return this;
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    /** Checks that nothing hidden and no exception was logged. */
    void check(HiddenValues hidden) {
        List<String> lines = events.stream().map(event -> event + " " + trace(event)).toList();
        lines.forEach(line -> hidden.check("the log", line));
        assertThat(events)
                .filteredOn(event -> event.getThrowableProxy() != null)
                .extracting(event -> event + "\n" + trace(event))
                .as("exceptions in the log")
                .isEmpty();
    }

    private static String trace(ILoggingEvent event) {
        String text =
                event.getThrowableProxy() == null
                        ? ""
                        : ThrowableProxyUtil.asString(event.getThrowableProxy());
        return text.lines().limit(12).reduce("", (all, line) -> all + line + "\n");
    }

    @Override
    public void close() {
        ROOT.detachAppender(this);
        stop();
    }
}
