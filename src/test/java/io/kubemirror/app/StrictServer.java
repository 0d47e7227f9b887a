package io.kubemirror.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.LoopbackServer;

/**
 * An HTTP/1.1 server that reads requests by the letter of RFC 9112, and records each and whatever
 * is not a request. Connections that begin with a request for the Kubernetes API lead to another
 * server.
 */
final class StrictServer implements AutoCloseable {

    private static final Pattern REQUEST_LINE =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\\x21-\\x7e]+ HTTP/1\\.1");
    private static final Pattern FIELD =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Pattern SIZE = Pattern.compile("[0-9a-fA-F]{1,8}");
    private static final Pattern API = Pattern.compile("[A-Z]+ /(apis?|version)[/? ].*");

    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

    private final List<Recorded> requests = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final LoopbackServer listener = new LoopbackServer(this::serve);
    private final URI api;

    /**
     * A complete request.
     *
     * @param fields the lines of the header
     */
    record Recorded(String method, String target, List<String> fields, String body) {

        /** Returns all values of a field. */
        List<String> values(String name) {
            String prefix = name.toLowerCase(Locale.ROOT) + ":";
            return fields.stream()
                    .filter(field -> field.toLowerCase(Locale.ROOT).startsWith(prefix))
                    .map(field -> field.substring(prefix.length()).strip())
                    .toList();
        }
    }

    /** What was received is not a request. */
    private static final class FaultException extends IOException {

        private static final long serialVersionUID = 1L;

        private FaultException(String message) {
            super(message);
        }
    }

    /**
     * Starts the server.
     *
     * @param api the server of the Kubernetes API
     */
    StrictServer(URI api) {
        this.api = api;
    }

    URI url() {
        return listener.url();
    }

    /** Returns the complete requests so far, those for the Kubernetes API aside. */
    List<Recorded> requests() {
        return requests;
    }

    /** Returns what was not a request. */
    List<String> faults() {
        return faults;
    }

    private void serve(Socket socket) throws IOException {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            in.mark(8192);
            String first = line(in);
            in.reset();
            if (API.matcher(first).matches()) {
                relay(in, socket);
                return;
            }
            while (true) {
                Recorded request = read(in);
                requests.add(request);
                String body = request.method().equals("HEAD") ? "" : "ok";
                socket.getOutputStream().write((ANSWER + body).getBytes(ISO_8859_1));
            }
        } catch (FaultException fault) {
            faults.add(fault.getMessage());
        }
    }

    private void relay(InputStream in, Socket client) throws IOException {
        try (Socket server = new Socket(api.getHost(), api.getPort())) {
            LoopbackServer.passOn(server.getInputStream(), client.getOutputStream());
            in.transferTo(server.getOutputStream());
        }
    }

    private static Recorded read(InputStream in) throws IOException {
        String line = line(in);
        require(REQUEST_LINE.matcher(line).matches(), "request line", line);
        List<String> fields = new ArrayList<>();
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            require(FIELD.matcher(field).matches(), "field of " + line, field);
            fields.add(field);
        }
        String[] parts = line.split(" ", -1);
        Recorded head = new Recorded(parts[0], parts[1], List.copyOf(fields), "");
        for (String single :
                List.of("host", "content-length", "transfer-encoding", "authorization")) {
            require(head.values(single).size() <= 1, "repeated field", head.toString());
        }
        require(head.values("host").size() == 1, "host", head.toString());
        return new Recorded(parts[0], parts[1], head.fields(), body(head, in));
    }

    private static String body(Recorded head, InputStream in) throws IOException {
        List<String> lengths = head.values("content-length");
        List<String> codings = head.values("transfer-encoding");
        require(lengths.isEmpty() || codings.isEmpty(), "two framings", head.toString());
        if (!codings.isEmpty()) {
            require(codings.equals(List.of("chunked")), "coding", head.toString());
            return chunks(in);
        }
        if (lengths.isEmpty()) {
            return "";
        }
        require(lengths.getFirst().matches("\\d{1,9}"), "length", head.toString());
        return text(in, Integer.parseInt(lengths.getFirst()));
    }

    private static String chunks(InputStream in) throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            String line = line(in);
            require(SIZE.matcher(line).matches(), "chunk size", line);
            int size = Integer.parseInt(line, 16);
            body.append(text(in, size));
            String end = line(in);
            require(end.isEmpty(), size == 0 ? "trailer" : "end of chunk", end);
            if (size == 0) {
                return body.toString();
            }
        }
    }

    private static String text(InputStream in, int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException();
        }
        return new String(bytes, ISO_8859_1);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.write(next);
        }
        String text = line.toString(ISO_8859_1);
        require(text.endsWith("\r"), "end of line", text);
        String content = text.substring(0, text.length() - 1);
        require(content.indexOf('\r') < 0, "carriage return", content);
        return content;
    }

    private static void require(boolean condition, String what, String text) throws FaultException {
        if (!condition) {
            throw new FaultException(what + ": " + text);
        }
    }

    @Override
    public void close() {
        listener.close();
    }
}
