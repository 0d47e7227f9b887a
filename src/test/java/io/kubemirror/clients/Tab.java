package io.kubemirror.clients;

import io.kubemirror.testground.Json;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A tab of headless Chromium that is used as a person would: by keys and by looking, told to it
 * through the DevTools protocol. It also knows what the tab has asked for and complained about.
 */
final class Tab implements AutoCloseable {

    private static final String INVITATION = "DevTools listening on ";
    private static final long PATIENCE_SECONDS = 60;

    private final CompletableFuture<URI> address = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Run run;
    private final WebSocket socket;
    private final String session;

    /** Opens an empty tab. */
    Tab() {
        List<String> command = new ArrayList<>(Browser.CHROMIUM);
        command.add("--remote-debugging-port=0");
        command.add("--user-data-dir=" + Browser.profile());
        command.add("about:blank");
        run = Run.start(Path.of("."), command, this::hear);
        socket = http.newWebSocketBuilder().buildAsync(get(address), new Listener()).join();
        String target =
                call("", "Target.createTarget", Map.of("url", "about:blank"))
                        .path("targetId")
                        .asString();
        session =
                call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                        .path("sessionId")
                        .asString();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", Map.of());
        }
    }

    private void hear(String line) {
        if (line.startsWith(INVITATION)) {
            address.complete(URI.create(line.substring(INVITATION.length()).strip()));
        }
    }

    /** Goes to a page. */
    void open(URI page) {
        call("Page.navigate", Map.of("url", page.toString()));
    }

    /** What an expression comes to in the page. */
    JsonNode look(String expression) {
        JsonNode answer =
                call(
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                expression,
                                "returnByValue",
                                true,
                                "awaitPromise",
                                true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.path("exceptionDetails"));
        }
        return answer.path("result").path("value");
    }

    /** Waits until an expression is true in the page, a minute at most. */
    void await(String expression) {
        try {
            look(
                    "new Promise(done => { const look = () => ("
                            + expression
                            + ") ? done(true) : setTimeout(look, 10); look(); })");
        } catch (AssertionError late) {
            throw new AssertionError(
                    "never true: " + expression + "\n" + look("document.body.innerText"), late);
        }
    }

    /** Presses a key, such as {@code Tab}, {@code Enter} or {@code ArrowDown}. */
    void press(String key) {
        int code =
                switch (key) {
                    case "Tab" -> 9;
                    case "Enter" -> 13;
                    case " " -> 32;
                    case "ArrowDown" -> 40;
                    default -> throw new IllegalArgumentException(key);
                };
        ObjectNode down = Json.object().put("type", "keyDown").put("key", key);
        down.put("windowsVirtualKeyCode", code);
        if (key.equals("Enter")) {
            down.put("text", "\r");
        } else if (key.equals(" ")) {
            down.put("text", " ");
        }
        call("Input.dispatchKeyEvent", down);
        call("Input.dispatchKeyEvent", down.deepCopy().put("type", "keyUp").without("text"));
    }

    /** Types a text where the focus is. */
    void type(String text) {
        call("Input.insertText", Map.of("text", text));
    }

    /** Shows the page as to somebody who prefers something, such as a dark colour scheme. */
    void prefer(String feature, String value) {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", feature, "value", value))));
    }

    /** Makes the window so large, without scroll bars. */
    void resize(int width, int height) {
        call("Emulation.setScrollbarsHidden", Map.of("hidden", true));
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Takes a picture of what can be seen. */
    void picture(Path file) {
        String png =
                call("Page.captureScreenshot", Map.of("format", "png")).path("data").asString();
        try {
            Files.write(file, Base64.getDecoder().decode(png));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The addresses of all that was asked for. */
    List<String> requests() {
        return requests;
    }

    /** The errors that the tab has complained about. */
    List<String> complaints() {
        return complaints;
    }

    private JsonNode call(String method, Object parameters) {
        return call(session, method, parameters);
    }

    private JsonNode call(String to, String method, Object parameters) {
        int id = calls.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        ObjectNode message = Json.object().put("id", id).put("method", method);
        message.putPOJO("params", parameters);
        if (!to.isEmpty()) {
            message.put("sessionId", to);
        }
        socket.sendText(Json.text(message), true).join();
        JsonNode answered = get(answer);
        if (answered.has("error")) {
            throw new AssertionError(method + ": " + answered.path("error"));
        }
        return answered.path("result");
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
        JsonNode told = message.path("params");
        switch (message.path("method").asString("")) {
            case "Network.requestWillBeSent" ->
                    requests.add(told.path("request").path("url").asString());
            case "Runtime.exceptionThrown" -> complaints.add(told.toString());
            case "Runtime.consoleAPICalled" -> complain(told, told.path("type").asString());
            case "Log.entryAdded" -> complain(told, told.path("entry").path("level").asString());
            default -> {}
        }
    }

    private void complain(JsonNode told, String level) {
        if (level.equals("error") || level.equals("warning")) {
            complaints.add(told.toString());
        }
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
        run.close();
    }

    /** Puts messages together, which come in pieces. */
    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                take(Json.parse(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
