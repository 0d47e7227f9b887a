package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tab of headless Chromium that is controlled by keys and read through the DevTools protocol. It
 * records requests and errors.
 */
final class BrowserTab implements AutoCloseable {

    /** The documents that have been shown. */
    private final List<String> loaders = new CopyOnWriteArrayList<>();

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final Chromium chromium;
    private final String context;
    private final String session;

    /** Opens an empty tab without a shared cache, storage, or emulation. */
    BrowserTab(Chromium chromium) {
        this.chromium = chromium;
        context =
                chromium.call("Target.createBrowserContext", Map.of())
                        .path("browserContextId")
                        .asString();
        String target =
                chromium.call(
                                "Target.createTarget",
                                Map.of("url", "about:blank", "browserContextId", context))
                        .path("targetId")
                        .asString();
        session =
                chromium.call("Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                        .path("sessionId")
                        .asString();
        chromium.listen(session, this::take);
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", Map.of());
        }
    }

    /** Goes to a page. What is asked of the page before is never answered once it has ended. */
    void open(URI page) {
        String loader =
                call("Page.navigate", Map.of("url", page.toString())).path("loaderId").asString();
        Awaitility.await().until(() -> loaders.contains(loader));
    }

    /** Evaluates an expression in the page. */
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
                    // A page has no body until the browser has read that far.
                    "new Promise(done => { const look = () => document.body && ("
                            + expression
                            + ") ? done(true) : setTimeout(look, 10); look(); })");
        } catch (AssertionError late) {
            // In one line, because reports of many tests show no more of a message.
            String shown = look("document.body.innerText").asString().replaceAll("\\s+", " ");
            throw new AssertionError("never true: " + expression + " on: " + shown, late);
        }
    }

    /** Presses a key, such as {@code Tab}, {@code Enter}, or {@code ArrowDown}. */
    void press(String key) {
        int code =
                switch (key) {
                    case "Tab" -> 9;
                    case "Enter" -> 13;
                    case " " -> 32;
                    case "ArrowDown" -> 40;
                    case "/" -> 191;
                    default -> throw new IllegalArgumentException(key);
                };
        ObjectNode down = JsonTrees.object().put("type", "keyDown").put("key", key);
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

    /** Emulates a media feature, such as a dark color scheme. */
    void prefer(String feature, String value) {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", feature, "value", value))));
    }

    /** Sets the size of the window, without scroll bars. */
    void resize(int width, int height) {
        call("Emulation.setScrollbarsHidden", Map.of("hidden", true));
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Returns the addresses of all requests. */
    List<String> requests() {
        return requests;
    }

    /** Returns the errors that the tab has reported. */
    List<String> complaints() {
        return complaints;
    }

    private JsonNode call(String method, Object parameters) {
        return chromium.call(session, method, parameters);
    }

    private void take(JsonNode message) {
        JsonNode told = message.path("params");
        switch (message.path("method").asString("")) {
            case "Page.frameNavigated" ->
                    loaders.add(told.path("frame").path("loaderId").asString());
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
        chromium.ignore(session);
        chromium.call("Target.disposeBrowserContext", Map.of("browserContextId", context));
    }
}
