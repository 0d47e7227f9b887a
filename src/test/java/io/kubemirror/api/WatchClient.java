package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import tools.jackson.databind.JsonNode;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;

/** A watching client on a plain socket, which sees single chunks and can stop reading. */
public final class WatchClient implements AutoCloseable {

    /** Comes after the last line of a stream that ended as it should. */
    public static final String CLEAN_END = "\0clean end";

    private static final String BROKEN = "\0broken";

    private final Socket socket;
    private final InputStream in;
    private final int code;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private WatchClient(Socket socket, byte[] request) throws IOException {
        this.socket = socket;
        socket.getOutputStream().write(request);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.code = Integer.parseInt(line().split(" ", -1)[1]);
        for (String line = line(); !line.isEmpty(); line = line()) {
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
            return new WatchClient(connect(port), request(path, headers));
        } catch (IOException failed) {
            throw new AssertionError(path, failed);
        }
    }

    /** Opens a watch over TLS and reads it. */
    public static WatchClient openSecurely(SSLContext tls, int port, String path) {
        WatchClient client = openStalledSecurely(tls, port, path);
        client.readOn();
        return client;
    }

    /** Opens a watch over TLS and reads little but its headers. */
    public static WatchClient openStalledSecurely(SSLContext tls, int port, String path) {
        try {
            Socket socket = tls.getSocketFactory().createSocket(connect(port), "test", port, true);
            return new WatchClient(socket, request(path));
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

    private static byte[] request(String path, String... headers) {
        StringBuilder request =
                new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        for (int i = 0; i < headers.length; i += 2) {
            request.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        return request.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
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
        JsonNode event = ApiClient.tree(line);
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

    /** Asks for something else on the same connection. */
    public void ask(String path) {
        try {
            socket.getOutputStream().write(request(path));
        } catch (IOException failed) {
            throw new AssertionError(path, failed);
        }
    }

    /** The first line of the next answer, after the clean end of the watch. */
    public String answer() {
        try {
            return line();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** Says that it will send nothing more, and reads on. */
    public void closeOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
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
            return new String(
                    in.readNBytes(Integer.parseInt(header("Content-Length"))),
                    StandardCharsets.UTF_8);
        }
        StringBuilder rest = new StringBuilder();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            rest.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
            for (int end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
                lines.add(rest.substring(0, end));
                rest.delete(0, end + 1);
            }
            line();
        }
        line();
        return rest.isEmpty() ? CLEAN_END : rest.toString();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection broke");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
