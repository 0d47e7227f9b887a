package io.kubemirror;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

/** The promises, against the Kubernetes API server itself. */
@WithApiServer(own = true)
class RealUpstreamTest extends UpstreamPromises {

    private final ApiServer server;

    RealUpstreamTest(ApiServer server) {
        this.server = server;
    }

    @Override
    ApiServer server() {
        return server;
    }
}
