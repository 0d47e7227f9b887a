package io.kubemirror.parity;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.testing.real.ServerAccess;
import io.kubernetes.client.util.ClientBuilder;

/**
 * A request over a separate connection, and its response.
 *
 * <p>Written to a socket, because HTTP clients clean paths, refuse characters, add headers, and
 * decompress bodies, all of which is compared here.
 */
final class RawExchange implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final SocketFactory UNVERIFIED =
            new ClientBuilder().setVerifyingSsl(false).build().getHttpClient().sslSocketFactory();

    private final RawClient connection;
    private final int code;
    private final Map<String, String> headers = new TreeMap<>();
    private final boolean bodiless;

    private RawExchange(RawClient connection, RawRequest request) {
        this.connection = connection;
        List<String> head = connection.head();
        code = Integer.parseInt(head.removeFirst().split(" ", 3)[1]);
        for (String field : head) {
            int colon = field.indexOf(':');
            headers.merge(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip(),
                    (one, other) -> one + ", " + other);
        }
        bodiless = request.method().equals("HEAD") || code == 304 || code == 204;
    }

    /**
     * Sends a request and reads the head of the answer.
     *
     * @throws UncheckedIOException if there is no answer
     */
    static RawExchange send(URI server, RawRequest request) {
        try {
            boolean secure = server.getScheme().equals("https");
            SocketFactory sockets = secure ? UNVERIFIED : SocketFactory.getDefault();
            Socket socket = sockets.createSocket(server.getHost(), server.getPort());
            socket.setSoTimeout((int) PATIENCE.toMillis());
            StringBuilder head = new StringBuilder(request.method());
            head.append(' ').append(request.target()).append(" HTTP/1.1\r\n");
            head.append("Host: ").append(server.getAuthority()).append("\r\n");
            if (secure) {
                head.append("Authorization: Bearer ").append(ServerAccess.TOKEN).append("\r\n");
            }
            request.headers().forEach(header -> head.append(header).append("\r\n"));
            head.append("\r\n");
            return new RawExchange(RawClient.on(socket).send(head.toString()), request);
        } catch (IOException e) {
            throw new UncheckedIOException(request.text(), e);
        }
    }

    int code() {
        return code;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    /** The whole body, unpacked; ends the connection. */
    Body body() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        boolean whole = true;
        try (this) {
            copy(read);
        } catch (EOFException cut) {
            whole = false;
        }
        byte[] bytes = read.toByteArray();
        if (header("content-encoding").equals("gzip")) {
            bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
        }
        return new Body(new String(bytes, StandardCharsets.UTF_8), whole);
    }

    /** A body and whether its end came as announced. */
    record Body(String text, boolean whole) {}

    private void copy(ByteArrayOutputStream to) throws IOException {
        if (bodiless) {
            return;
        }
        if (header("transfer-encoding").equals("chunked")) {
            for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
                to.write(chunk);
            }
        } else if (headers.containsKey("content-length")) {
            to.write(connection.bytes(Integer.parseInt(header("content-length"))));
        } else {
            to.write(connection.untilClosed().getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * The chunks of a stream, one call after another, without waiting for more than the next.
     *
     * @return the bytes, none at the end of the stream
     */
    byte[] chunk() throws IOException {
        return connection.chunk();
    }

    @Override
    public void close() {
        connection.close();
    }
}
