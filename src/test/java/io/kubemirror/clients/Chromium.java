package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpClient;
import java.net.http.WebSocket;

/** Headless Chromium with any number of tabs, controlled by the DevTools protocol. */
final class Chromium implements AutoCloseable {

    private static final String INVITATION = "DevTools listening on ";
    private static final String NOBODY = "";
    private static final long PATIENCE_SECONDS = 60;

    private final CompletableFuture<URI> address = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonNode>> listeners = new ConcurrentHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ProgramRun run;
    private final WebSocket socket;

    /** Starts it with a profile of its own and further options. */
    Chromium(String... options) {
        List<String> command = new ArrayList<>(EventSourcePage.CHROMIUM);
        command.add("--remote-debugging-port=0");
        command.add("--user-data-dir=" + EventSourcePage.profile());
        command.addAll(List.of(options));
        command.add("about:blank");
        run = ProgramRun.start(Path.of("."), command, this::hear);
        socket = http.newWebSocketBuilder().buildAsync(get(address), new Listener()).join();
    }

    private void hear(String line) {
        if (line.startsWith(INVITATION)) {
            address.complete(URI.create(line.substring(INVITATION.length()).strip()));
        }
    }

    /** Calls a method of the browser as a whole. */
    JsonNode call(String method, Object parameters) {
        return call(NOBODY, method, parameters);
    }

    /** Calls a method of a session. */
    JsonNode call(String session, String method, Object parameters) {
        int id = calls.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        ObjectNode message = JsonTrees.object().put("id", id).put("method", method);
        message.putPOJO("params", parameters);
        if (!session.equals(NOBODY)) {
            message.put("sessionId", session);
        }
        socket.sendText(JsonTrees.text(message), true).join();
        JsonNode answered = get(answer);
        if (answered.has("error")) {
            throw new AssertionError(method + ": " + answered.path("error"));
        }
        return answered.path("result");
    }

    /** Registers the listener to the events of a session. */
    void listen(String session, Consumer<JsonNode> listener) {
        listeners.put(session, listener);
    }

    /** Removes the listener to the events of a session. */
    void ignore(String session) {
        listeners.remove(session);
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("the browser does not answer", e);
        }
    }

    private void take(JsonNode message) {
        CompletableFuture<JsonNode> answer = waiting.remove(message.path("id").asInt(0));
        if (answer != null) {
            answer.complete(message);
            return;
        }
        listeners.getOrDefault(message.path("sessionId").asString(NOBODY), _ -> {}).accept(message);
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
        run.close();
    }

    /** Assembles messages that arrive in pieces. */
    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                take(JsonTrees.parse(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
