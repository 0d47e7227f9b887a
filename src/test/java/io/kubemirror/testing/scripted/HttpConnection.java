package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.LoopbackServer;

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
        String first = line(in);
        if (first.isEmpty()) {
            return null;
        }
        String[] parts = first.split(" ", -1);
        Map<String, String> headers = headers(in);
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        String target = parts[1];
        int mark = target.indexOf('?');
        String path = decode((mark < 0 ? target : target.substring(0, mark)).replace("+", "%2B"));
        return new ReceivedRequest(
                parts[0],
                path,
                query(mark < 0 ? "" : target.substring(mark + 1)),
                headers,
                body,
                Route.of(path));
    }

    private static Map<String, String> headers(InputStream in) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            headers.put(name, line.substring(colon + 1).trim());
        }
        return headers;
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : text.split("&", -1)) {
            int sign = pair.indexOf('=');
            String name = decode(sign < 0 ? pair : pair.substring(0, sign));
            if (!pair.isEmpty()) {
                query.putIfAbsent(name, sign < 0 ? "" : decode(pair.substring(sign + 1)));
            }
        }
        return query;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** A line without its end; empty at the end of the stream. */
    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 && line.size() > 0) {
                throw new EOFException("a request broke off");
            }
            if (next < 0) {
                return "";
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
