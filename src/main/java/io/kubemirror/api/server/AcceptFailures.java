package io.kubemirror.api.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;

import com.sun.management.UnixOperatingSystemMXBean;

import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;

import org.eclipse.jetty.server.AbstractConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.springframework.beans.factory.DisposableBean;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Logs connections that cannot be accepted, and at the start that some will not be. Each log record
 * is one line with a remedy, at most once a minute, for all ports. Jetty would log a stack trace
 * for each failure. It waits a second before it tries again; meanwhile connections wait in the
 * queue of the operating system.
 *
 * <p>Rejected: a custom connector that handles the failure, because Spring Boot creates the
 * connectors, one type for TLS and one without.
 */
public final class AcceptFailures extends TurboFilter implements DisposableBean {

    private static final Duration PERIOD = Duration.ofMinutes(1);

    private static final org.slf4j.Logger log = LoggerFactory.getLogger(AcceptFailures.class);

    private final LongSupplier nanoTime;
    private long next;

    /**
     * Creates a filter for Jetty's log messages. It has no effect until it is {@link #installed}.
     *
     * @param nanoTime the time in nanoseconds, from any origin
     */
    public AcceptFailures(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.next = nanoTime.getAsLong();
    }

    /** Warns if the process may not open as many files as connections are allowed. */
    public AcceptFailures checked(ConnectionProperties connections) {
        // Negative: unlimited. The JVM has raised the soft limit to the hard one.
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                && unix.getMaxFileDescriptorCount() >= 0) {
            check(connections, unix.getMaxFileDescriptorCount());
        }
        return this;
    }

    private static void check(ConnectionProperties connections, long limit) {
        if (limit < connections.openFiles()) {
            log.warn(
                    "The process may open {} files, too few for kubemirror.connections.max={};"
                            + " raise the limit of open files (ulimit -n) to {} or more, or lower"
                            + " kubemirror.connections.max",
                    limit,
                    connections.max(),
                    connections.openFiles());
        }
    }

    /** Installs the filter if the log backend is Logback. */
    public AcceptFailures installed() {
        ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
        if (loggers instanceof LoggerContext context) {
            setContext(context);
            start();
            context.addTurboFilter(this);
        }
        return this;
    }

    @Override
    public void destroy() {
        if (getContext() instanceof LoggerContext context) {
            context.getTurboFilterList().remove(this);
        }
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] parameters,
            @Nullable Throwable failure) {
        boolean accepting =
                failure instanceof IOException
                        && level.equals(Level.WARN)
                        && logger.getName().equals(AbstractConnector.class.getName());
        if (!accepting) {
            return FilterReply.NEUTRAL;
        }
        if (isDue()) {
            logFailure(String.valueOf(Objects.requireNonNull(failure).getMessage()));
        }
        return FilterReply.DENY;
    }

    private synchronized boolean isDue() {
        long now = nanoTime.getAsLong();
        if (now - next < 0) {
            return false;
        }
        next = now + PERIOD.toNanos();
        return true;
    }

    private static void logFailure(String why) {
        if (why.contains("open files")) {
            log.warn(
                    "Cannot accept connections: {}; raise the limit of open files of the process"
                            + " (ulimit -n) above kubemirror.connections.max, or lower"
                            + " kubemirror.connections.max",
                    why);
        } else {
            log.warn("Cannot accept connections: {}", why);
        }
    }
}
