package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Result;

/**
 * Answers discovery of the API server with what only mirrors have (list-watch.md#di-16).
 *
 * @param services pass the request on
 */
record CompletedDiscovery(DiscoveryEndpoints discovery, PassThrough.Services services) {

    private static final String JSON = "application/json";

    /** How often the bytes of a document exist at most: parsed, and written again. */
    private static final int COPIES = 12;

    private static final int PIECE = 64 * 1024;

    /**
     * Sends a document.
     *
     * @param target path and query for the API server
     * @param headers the headers for the API server, of which some are replaced
     * @throws Rejection if the API server does not respond, or there is no memory
     * @throws IOException if the client or the server has disconnected
     */
    void send(
            RequestPath.Discovery path,
            CredentialOwner credentials,
            String target,
            Map<String, List<String>> headers,
            Exchange exchange)
            throws Rejection, IOException {
        headers.put("Accept", List.of(exchange.parsed().accept().json()));
        headers.put("Accept-Encoding", List.of("identity"));
        // What the client has is another document than that of the API server.
        headers.remove("If-None-Match");
        PassedRequest request =
                new PassedRequest(
                        credentials, "GET", target, headers, null, null, services.silence());
        MemoryBudget memory = exchange.memory().responses();
        AtomicInteger acquired = new AtomicInteger();
        try (PassedResponse response = response(request)) {
            byte[] document = document(response.body(), memory, acquired);
            reply(path, response, document)
                    .with(StalenessPolicy.STATE, "passed")
                    .send(exchange.response());
        } finally {
            memory.release(acquired.get());
        }
    }

    private PassedResponse response(PassedRequest request) throws Rejection {
        return switch (services.api().get().pass(request)) {
            case Result.Success(var response) -> response;
            case Result.Failed(var failure) -> throw new Rejection(PassThrough.error(failure));
        };
    }

    private static byte[] document(InputStream body, MemoryBudget memory, AtomicInteger acquired)
            throws Rejection, IOException {
        ByteArrayOutputStream document = new ByteArrayOutputStream();
        byte[] piece;
        do {
            if (!memory.tryAcquire(COPIES * PIECE)) {
                throw new Rejection(StatusErrors.outOfMemory());
            }
            acquired.addAndGet(COPIES * PIECE);
            piece = body.readNBytes(PIECE);
            document.write(piece);
        } while (piece.length == PIECE);
        return document.toByteArray();
    }

    private Reply reply(RequestPath.Discovery path, PassedResponse response, byte[] document) {
        String type = PassedExchange.first(response, "Content-Type");
        boolean json = type.startsWith(JSON);
        Optional<byte[]> merged =
                switch (response.code()) {
                    case 404 -> discovery.merged(path, Optional.empty());
                    case 200 ->
                            Optional.of(document)
                                    .filter(_ -> json)
                                    .flatMap(found -> discovery.merged(path, Optional.of(found)));
                    default -> Optional.empty();
                };
        return merged.map(body -> Reply.json(json ? type : JSON, body))
                .orElseGet(() -> new Reply(response.code(), type, Map.of(), document));
    }
}
