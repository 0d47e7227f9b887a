package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;

/** A watching client on a plain socket, which sees single chunks and can stop reading. */
public final class WatchClient implements AutoCloseable {

    /** Comes after the last line of a stream that ended as it should. */
    public static final String CLEAN_END = "\0clean end";

    private static final String BROKEN = "\0broken";

    private final RawClient connection;
    private final int code;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private WatchClient(Socket socket, String path, String... fields) throws IOException {
        connection = RawClient.on(socket).ask(path, fields);
        List<String> head = connection.head();
        code = Integer.parseInt(head.removeFirst().split(" ", -1)[1]);
        for (String line : head) {
            int colon = line.indexOf(':');
            headers.put(line.substring(0, colon), line.substring(colon + 1).trim());
        }
    }

    /** Opens a watch and reads it. */
    public static WatchClient open(int port, String path, String... headers) {
        WatchClient client = openStalled(port, path, headers);
        client.readOn();
        return client;
    }

    /** Opens a watch and reads nothing but its headers. */
    public static WatchClient openStalled(int port, String path, String... headers) {
        try {
            return new WatchClient(connect(port), path, headers);
        } catch (IOException failed) {
            throw new AssertionError(path, failed);
        }
    }

    /** Opens a watch over TLS and reads little but its headers. */
    public static WatchClient openStalledSecurely(SSLContext tls, int port, String path) {
        try {
            Socket socket = tls.getSocketFactory().createSocket(connect(port), "test", port, true);
            return new WatchClient(socket, path);
        } catch (IOException failed) {
            throw new AssertionError(path, failed);
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(16 * 1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    /** Begins to read what it was sent. */
    public void readOn() {
        Thread.ofVirtual().start(this::readAll);
    }

    public int code() {
        return code;
    }

    public String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /** The next line; waits for it. */
    public String next() {
        try {
            String line = lines.poll(30, TimeUnit.SECONDS);
            assertThat(line).as("a line within 30 seconds").isNotNull();
            return String.valueOf(line);
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    /** The next event in short, such as {@code ADDED a/x 103}. */
    public String brief() {
        return brief(next());
    }

    public static String brief(String line) {
        JsonNode event = JsonTrees.parse(line);
        JsonNode metadata = event.path("object").path("metadata");
        String place = metadata.has("namespace") ? metadata.path("namespace").asString() + "/" : "";
        String name = metadata.path("name").asString("");
        return (event.path("type").asString()
                        + " "
                        + place
                        + name
                        + " "
                        + metadata.path("resourceVersion").asString())
                .replace("  ", " ");
    }

    /** Reads on up to an event of a revision. */
    public void expectRevision(long revision) {
        String wanted = "\"resourceVersion\":\"" + revision + "\"";
        String line = next();
        while (!line.contains(wanted)) {
            assertThat(line).startsWith("{");
            line = next();
        }
    }

    /** Demands that the stream ends with its final chunk, and that nothing comes before. */
    public void expectCleanEnd() {
        assertThat(next()).isEqualTo(CLEAN_END);
    }

    /** The connection, for other requests after the clean end. */
    public RawClient connection() {
        return connection;
    }

    @Override
    public void close() {
        connection.close();
    }

    private void readAll() {
        try {
            lines.add(readBody());
        } catch (IOException failed) {
            lines.add(BROKEN);
        }
    }

    private String readBody() throws IOException {
        boolean chunked = header("Transfer-Encoding").toLowerCase(Locale.ROOT).contains("chunked");
        if (!chunked && header("Content-Length").isEmpty()) {
            return "";
        }
        if (!chunked) {
            return connection.read(Integer.parseInt(header("Content-Length")));
        }
        StringBuilder rest = new StringBuilder();
        for (byte[] chunk = connection.chunk(); chunk.length > 0; chunk = connection.chunk()) {
            rest.append(new String(chunk, StandardCharsets.UTF_8));
            for (int end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
                lines.add(rest.substring(0, end));
                rest.delete(0, end + 1);
            }
        }
        return rest.isEmpty() ? CLEAN_END : rest.toString();
    }
}
