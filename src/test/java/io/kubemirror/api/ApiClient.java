package io.kubemirror.api;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** An ordinary HTTP client of the API. */
public final class ApiClient {

    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final int port;

    public ApiClient(int port) {
        this.port = port;
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    public HttpResponse<String> send(String method, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(method + " " + path, failed);
        }
    }

    /** Sends a request line as it is, which an ordinary client would correct, and reads it all. */
    public String raw(String request, Charset encoding) {
        String head = request + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        try (RawClient client = RawClient.to(port).send(head.getBytes(encoding))) {
            return client.untilClosed();
        }
    }

    public JsonNode json(String path, String... headers) {
        return JSON.readTree(get(path, headers).body());
    }

    /** Opens a watch and returns when its headers have arrived. */
    public WatchClient watch(String path, String... headers) {
        return WatchClient.open(port, path, headers);
    }

    public static JsonNode tree(String json) {
        return JSON.readTree(json);
    }
}
