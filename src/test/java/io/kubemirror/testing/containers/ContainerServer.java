package io.kubemirror.testing.containers;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Unchecked;

import org.jspecify.annotations.Nullable;

/**
 * An API server whose pods have containers: what the path of a request begins or ends with selects
 * a script that reads and writes the connection itself. Any other request goes to an API server
 * behind it, if there is one.
 *
 * <p>{@link #withPods} serves {@code exec}, {@code attach}, and {@code log}.
 */
public final class ContainerServer implements AutoCloseable {

    private final LoopbackServer listener = new LoopbackServer(this::serve);
    private final @Nullable URI behind;
    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final BlockingQueue<RawHead> received = new LinkedBlockingQueue<>();

    /**
     * The head of a request.
     *
     * @param headers the header fields, with names in lower case; several values are joined
     */
    public record RawHead(String method, String target, Map<String, String> headers) {

        /** A header, empty if it is absent. */
        public String header(String name) {
            return headers.getOrDefault(name, "");
        }

        String path() {
            return target.split("\\?", 2)[0];
        }
    }

    /** Answers a request on its connection, which is closed afterwards. */
    @FunctionalInterface
    public interface Script {

        void run(RawHead request, InputStream in, OutputStream out) throws IOException;
    }

    /** Answers with the lines of a head and a body, and closes the connection. */
    public static Script answer(String body, String... head) {
        return (_, _, out) -> {
            out.write(lines(head));
            out.write(text(body));
        };
    }

    private ContainerServer(@Nullable URI behind) {
        this.behind = behind;
    }

    /** Serves scripts only. */
    public static ContainerServer alone() {
        return new ContainerServer(null);
    }

    /**
     * Serves the containers of all pods, and everything else from a server behind it that speaks
     * plain HTTP. A command is run on this machine.
     */
    public static ContainerServer withPods(ApiServer behind) {
        ContainerServer server = new ContainerServer(behind.url());
        server.on("/exec", ContainerStreams::exec);
        server.on("/attach", ContainerStreams::exec);
        server.on("/log", ContainerStreams::log);
        return server;
    }

    /** Runs a script for all paths that end so. */
    public ContainerServer on(String ending, Script script) {
        scripts.put(ending, script);
        return this;
    }

    /** The address, as plain HTTP. */
    public URI url() {
        return listener.url();
    }

    /** The requests that scripts have answered, each as soon as its head has arrived. */
    public BlockingQueue<RawHead> received() {
        return received;
    }

    /** The number of open connections. */
    public int connections() {
        return listener.connections();
    }

    private void serve(Socket socket) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        RawHead head = head(in);
        while (head != null && answer(head, in, socket)) {
            head = head(in);
        }
    }

    /** Answers a request, and returns whether another one may follow. */
    private boolean answer(RawHead head, InputStream in, Socket socket) throws IOException {
        for (Map.Entry<String, Script> script : scripts.entrySet()) {
            if (head.path().endsWith(script.getKey())) {
                received.add(head);
                script.getValue().run(head, in, socket.getOutputStream());
                return false;
            }
        }
        if (behind == null) {
            socket.getOutputStream()
                    .write(text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
            return !head.headers().containsKey("transfer-encoding")
                    && head.header("content-length").isEmpty();
        }
        relay(head, in, socket, behind);
        return false;
    }

    /** Sends one request to the server behind, which closes the connection after the response. */
    private static void relay(RawHead head, InputStream in, Socket client, URI server)
            throws IOException {
        try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
            StringBuilder request =
                    new StringBuilder(head.method() + " " + head.target() + " HTTP/1.1\r\n");
            head.headers()
                    .forEach(
                            (name, value) -> {
                                if (!name.equals("connection")) {
                                    request.append(name).append(": ").append(value).append("\r\n");
                                }
                            });
            upstream.getOutputStream().write(text(request + "connection: close\r\n\r\n"));
            LoopbackServer.passOn(in, upstream.getOutputStream());
            upstream.getInputStream().transferTo(client.getOutputStream());
        }
    }

    /** The next head, or null at the end of the stream. */
    public static @Nullable RawHead head(InputStream in) throws IOException {
        String[] first = line(in).split(" ", -1);
        if (first.length < 3) {
            return null;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip(),
                    (one, other) -> one + ", " + other);
        }
        return new RawHead(first[0], first[1], headers);
    }

    /** Answers with each text that is added, in a chunk of its own, until one is empty. */
    public static Script following(BlockingQueue<String> added) {
        return (_, _, out) -> {
            String chunked = "Transfer-Encoding: chunked";
            out.write(lines("HTTP/1.1 200 OK", "Connection: close", chunked));
            for (String next = take(added); !next.isEmpty(); next = take(added)) {
                out.write(text(Integer.toHexString(next.length()) + "\r\n" + next + "\r\n"));
            }
            out.write(lines("0", "Trailing: dropped"));
        };
    }

    private static String take(BlockingQueue<String> added) {
        return Unchecked.call(added::take);
    }

    /** The next line without its end, empty at the end of the stream. */
    public static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** A text as bytes. */
    public static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The lines of a head, with the empty one that ends it, as bytes. */
    public static byte[] lines(String... lines) {
        return text(String.join("\r\n", lines) + "\r\n\r\n");
    }

    @Override
    public void close() {
        listener.close();
    }
}
