package io.kubemirror;

import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.UnionReflector;

import org.springframework.context.SmartLifecycle;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts the reflectors before the web server listens, and stops them after it has answered its
 * last request, so that responses are as recent as possible. All reflectors are closed at the same
 * time, because each close waits for a thread.
 */
final class ReflectorLifecycle implements SmartLifecycle {

    /** Lower than the phases of Boot's web servers, which are close to the maximum. */
    private static final int BEFORE_WEB_SERVERS = 0;

    private final List<Reflector> reflectors;
    private final List<UnionReflector> unions;
    private volatile boolean running;

    ReflectorLifecycle(List<Reflector> reflectors, List<UnionReflector> unions) {
        this.reflectors = List.copyOf(reflectors);
        this.unions = List.copyOf(unions);
    }

    @Override
    public void start() {
        running = true;
        reflectors.forEach(Reflector::start);
        unions.forEach(UnionReflector::start);
    }

    @Override
    public void stop() {
        try (ExecutorService closers = Executors.newVirtualThreadPerTaskExecutor()) {
            reflectors.forEach(reflector -> closers.execute(reflector::close));
            unions.forEach(union -> closers.execute(union::close));
        }
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A reflector runs once, so it cannot be paused. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return BEFORE_WEB_SERVERS;
    }
}
