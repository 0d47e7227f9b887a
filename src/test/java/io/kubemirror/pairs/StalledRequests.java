package io.kubemirror.pairs;

import module java.base;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * Holds marked requests between the filters, which let them in, and the controller, which answers
 * them. What changes meanwhile must not open a door to them.
 */
final class StalledRequests implements HandlerInterceptor {

    /** The header of requests that are held. */
    static final String HEADER = "Pairs-Stalled";

    private final ServerFront.Gate gate = new ServerFront.Gate();
    private final AtomicInteger arrived = new AtomicInteger();

    /** Holds marked requests until the gate is opened. */
    StalledRequests() {
        gate.close();
    }

    ServerFront.Gate gate() {
        return gate;
    }

    /** How many have arrived at the gate. */
    int arrived() {
        return arrived.get();
    }

    /** A bean that every mapping of requests finds. */
    MappedInterceptor bean() {
        return new MappedInterceptor(new String[] {"/**"}, this);
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getHeader(HEADER) != null) {
            arrived.incrementAndGet();
            gate.pass();
        }
        return true;
    }
}
