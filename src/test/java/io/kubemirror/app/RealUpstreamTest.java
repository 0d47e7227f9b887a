package io.kubemirror.app;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

import java.util.List;

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
