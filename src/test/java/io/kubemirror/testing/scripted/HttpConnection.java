package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.containers.ContainerServer;

import org.jspecify.annotations.Nullable;

/** One connection to a scripted server: reads requests and hands them on until it ends. */
final class HttpConnection {

    private final Socket socket;

    HttpConnection(Socket socket) {
        this.socket = socket;
    }

    /** Answers requests. */
    @FunctionalInterface
    interface RequestHandler {
        void handle(ReceivedRequest request, ScriptedResponse answer) throws IOException;
    }

    /** Serves the connection; returns when it has ended for whatever reason. */
    void run(RequestHandler handler) {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            ReceivedRequest request = read(in);
            while (request != null) {
                ScriptedResponse answer = new ScriptedResponse(this, in, out);
                handler.handle(request, answer);
                request = answer.leavesOpen() ? read(in) : null;
            }
        } catch (IOException e) {
            // The other side went away or this one was cut: the connection is over either way.
            cut();
        }
    }

    /** Ends the connection with a reset, so that the other side notices at once; any thread. */
    void cut() {
        LoopbackServer.cut(socket);
    }

    /** Ends the connection in the ordinary way (FIN) without finishing the answer; any thread. */
    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed already.
        }
    }

    private static @Nullable ReceivedRequest read(InputStream in) throws IOException {
        ContainerServer.RawHead head = ContainerServer.head(in);
        if (head == null) {
            return null;
        }
        int length = Integer.parseInt(head.headers().getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        return ReceivedRequest.of(head.method(), head.target(), head.headers(), body);
    }
}
