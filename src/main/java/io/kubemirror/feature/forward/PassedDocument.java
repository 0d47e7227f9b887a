package io.kubemirror.feature.forward;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.source.Result;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers a request for discovery with the document of the API server and the mirrored types that
 * are missing in it (list-watch.md#di-16).
 *
 * <p>The document is requested as JSON, without the client's condition, and kept in memory.
 *
 * @param discovery knows the types that may be missing
 * @param credentials those that the server gets
 */
record PassedDocument(
        DiscoveryEndpoints discovery, Services services, CredentialOwner credentials) {

    /**
     * Answers a request.
     *
     * @param headers the headers for the server, which are changed
     * @throws Rejection if the server does not answer, or there is not enough memory
     * @throws IOException if the client or the server has disconnected
     */
    void answer(Exchange exchange, Map<String, List<String>> headers)
            throws Rejection, IOException {
        headers.put("Accept", List.of(exchange.parsed().accept().json()));
        headers.put("Accept-Encoding", List.of("identity"));
        headers.remove("If-None-Match");
        PassedRequest request =
                new PassedRequest(
                        credentials,
                        "GET",
                        PassedExchange.target(exchange.request()),
                        headers,
                        null,
                        null,
                        services.limits().ordinary());
        switch (services.api().get().pass(request)) {
            case Result.Success(var response) -> send(response, exchange);
            case Result.Failed(var failure) -> throw new Rejection(PassThroughErrors.of(failure));
        }
    }

    private void send(PassedResponse response, Exchange exchange) throws Rejection, IOException {
        try (response;
                ResponseDocument document =
                        ResponseDocument.read(response.body(), exchange.memory().responses())) {
            send(response, document.bytes(), exchange);
        }
    }

    private void send(PassedResponse response, byte[] document, Exchange exchange)
            throws IOException {
        Map<String, List<String>> headers = ForwardedHeaders.ofResponse(response.headers());
        boolean json =
                headers.getOrDefault("Content-Type", List.of()).stream()
                        .anyMatch(type -> type.startsWith(ResponseDocument.JSON));
        Optional<byte[]> merged = merged(response.code(), json, document, exchange);
        merged.ifPresent(
                _ -> {
                    headers.remove("ETag");
                    headers.remove("X-Content-Type-Options");
                    headers.computeIfPresent(
                            "Content-Type",
                            (_, types) -> json ? types : List.of(ResponseDocument.JSON));
                });
        HttpServletResponse client = exchange.response();
        int code = merged.isPresent() ? 200 : response.code();
        ResponseSink.describe(code, headers, PassedExchange.STATE, client);
        byte[] body = merged.orElse(document);
        client.setContentLength(body.length);
        client.getOutputStream().write(body);
    }

    private Optional<byte[]> merged(int code, boolean json, byte[] document, Exchange exchange) {
        RequestPath path = exchange.parsed().requestPath();
        if (code == 404) {
            return discovery.merged(path, Optional.empty());
        }
        return code == 200 && json
                ? discovery.merged(path, Optional.of(document))
                : Optional.empty();
    }
}
