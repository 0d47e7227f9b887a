package io.kubemirror.ops;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Server-sent events whose data are JSON. */
final class EventStream {

    private final OutputStream out;

    EventStream(OutputStream out) {
        this.out = out;
    }

    /**
     * Sends an event, and returns when it is on its way.
     *
     * @throws IOException if nobody is there to take it
     */
    void send(String event, Object data) throws IOException {
        sendRaw(event, json(data));
    }

    /** The same with data that are JSON already, on one line. */
    void sendRaw(String event, String json) throws IOException {
        String text = "event: " + event + "\ndata: " + json + "\n\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Data as JSON on one line. */
    static String json(Object data) {
        return JsonMapper.shared().writeValueAsString(data);
    }
}
