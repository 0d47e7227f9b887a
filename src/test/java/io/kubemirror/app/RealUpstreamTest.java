package io.kubemirror.app;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

/** Tests {@link UpstreamPromises} with a real API server. */
@WithApiServer(own = true)
class RealUpstreamTest extends UpstreamPromises {

    private final ApiServer server;

    RealUpstreamTest(ApiServer server) {
        this.server = server;
    }

    /** A stream of the initial state, and lists; what others differ in, no API server sees. */
    static List<Strategy> strategies() {
        return List.of(Strategy.AUTO, Strategy.LIST_WATCH);
    }

    @Override
    protected ApiServer server() {
        return server;
    }
}
