package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;

/** A client of HTTP/2 with prior knowledge (RFC 9113) that sends arbitrary frames. */
final class FrameClient implements AutoCloseable {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;

    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    static final int CANCEL = 8;

    private static final int ACK = 1;
    private static final int INITIAL_WINDOW_SIZE = 4;

    private final Closeable socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final HpackDecoder decoder = new HpackDecoder(1 << 20, System::nanoTime);
    private final Map<Integer, BlockingQueue<Frame>> frames = new ConcurrentHashMap<>();
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final CompletableFuture<Boolean> settled = new CompletableFuture<>();

    /**
     * A frame of the server.
     *
     * @param status the status of a response that begins, 0 in other frames
     */
    record Frame(int type, int flags, String text, int code, int status) {}

    private FrameClient(Closeable socket, InputStream in, OutputStream out, int window)
            throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(in);
        this.out = out;
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer settings = ByteBuffer.allocate(6);
        settings.putShort((short) INITIAL_WINDOW_SIZE).putInt(window);
        send(SETTINGS, 0, 0, settings.array());
        grant(0, 1 << 30);
        Thread.ofVirtual().start(this::read);
        // No other frame may come between the frames of a head.
        settled.join();
    }

    /** Connects to a port; each stream may send so many bytes. */
    static FrameClient to(int port, int window) {
        try {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            return new FrameClient(
                    socket, socket.getInputStream(), socket.getOutputStream(), window);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** Sends a frame. */
    FrameClient send(int type, int flags, int stream, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.putInt(payload.length << 8 | type).put((byte) flags).putInt(stream).put(payload);
        try {
            synchronized (out) {
                out.write(frame.array());
                out.flush();
            }
        } catch (IOException closed) {
            // The frames that have arrived tell why.
        }
        return this;
    }

    /** Requests a page on a stream. */
    FrameClient get(int stream, String path) {
        return send(HEADERS, END_HEADERS | END_STREAM, stream, head(path));
    }

    /** Lets the server send more bytes. */
    void grant(int stream, int bytes) {
        send(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    /** Cancels a stream. */
    FrameClient cancel(int stream) {
        return send(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
    }

    /** The head of a request, in fields of the static table and literals without an index. */
    static byte[] head(String path) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(0x82); // :method GET
        head.write(0x86); // :scheme http
        literal(head, 4, path); // :path
        literal(head, 1, "localhost"); // :authority
        return head.toByteArray();
    }

    /** The head of a request with a bearer token. */
    static byte[] head(String path, String token) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(head(path));
        head.write(0x0f); // An index of more than four bits.
        literal(head, 23 - 0x0f, "Bearer " + token); // authorization
        return head.toByteArray();
    }

    private static void literal(ByteArrayOutputStream head, int name, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length >= 127) {
            throw new IllegalArgumentException(value);
        }
        head.write(name);
        head.write(bytes.length);
        head.writeBytes(bytes);
    }

    /** The next frame of a stream. */
    Frame next(int stream) {
        try {
            return queue(stream).take();
        } catch (InterruptedException e) {
            throw new AssertionError("no frame on stream " + stream, e);
        }
    }

    /** Whether a stream has a frame that has not been taken. */
    boolean hasNext(int stream) {
        return !queue(stream).isEmpty();
    }

    /** The status of the response of a stream. */
    int status(int stream) {
        return next(stream).status();
    }

    /** Whether the connection has not ended. */
    boolean isOpen() {
        return !end.isDone();
    }

    private BlockingQueue<Frame> queue(int stream) {
        return frames.computeIfAbsent(stream, _ -> new LinkedBlockingQueue<>());
    }

    private void read() {
        try {
            while (true) {
                int head = in.readInt();
                int flags = in.read();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(head >>> 8);
                int type = head & 0xff;
                if (type == GOAWAY) {
                    end.complete(true);
                } else if (type == SETTINGS && (flags & ACK) == 0) {
                    send(SETTINGS, ACK, 0, new byte[0]);
                    settled.complete(true);
                } else {
                    queue(stream).add(frame(type, flags, payload));
                }
            }
        } catch (IOException | HpackException closed) {
            end.complete(true);
            settled.complete(false);
        }
    }

    private Frame frame(int type, int flags, byte[] payload) throws HpackException {
        int status =
                type == HEADERS
                                && decoder.decode(ByteBuffer.wrap(payload))
                                        instanceof MetaData.Response response
                        ? response.getStatus()
                        : 0;
        int code = type == RST_STREAM ? ByteBuffer.wrap(payload).getInt() : 0;
        return new Frame(type, flags, new String(payload, StandardCharsets.UTF_8), code, status);
    }

    @Override
    public void close() {
        Unchecked.run(socket::close);
    }
}
