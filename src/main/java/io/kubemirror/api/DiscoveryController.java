package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.DiscoveryEndpoints;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the discovery documents of what is mirrored. */
@RestController
final class DiscoveryController {

    private final DiscoveryEndpoints documents;

    DiscoveryController(DiscoveryEndpoints documents) {
        this.documents = documents;
    }

    /** Sends a document. Types on demand are those of the API server, which is asked for them. */
    @GetMapping({"/api", "/apis", "/apis/{group}", "/api/{version}", "/apis/{group}/{version}"})
    void document(RequestPath.Discovery path, Exchange exchange) throws Rejection, IOException {
        documents.document(path, exchange).send(exchange.response());
    }
}
