package io.kubemirror.app;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

/** Tests {@link UpstreamPromises} with a real API server. */
@WithApiServer(own = true)
class RealUpstreamTest extends UpstreamPromises {

    private final ApiServer server;

    RealUpstreamTest(ApiServer server) {
        this.server = server;
    }

    @Override
    protected ApiServer server() {
        return server;
    }
}
