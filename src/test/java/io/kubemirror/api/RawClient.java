package io.kubemirror.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;

/** A connection on which a test sends arbitrary bytes, and reads what comes piece by piece. */
public final class RawClient implements AutoCloseable {

    private final Closeable socket;
    private final InputStream in;
    private final OutputStream out;

    private RawClient(Closeable socket, InputStream in, OutputStream out) {
        this.socket = socket;
        this.in = new BufferedInputStream(in);
        this.out = out;
    }

    /** Uses a connection that is open. */
    public static RawClient on(Socket socket) throws IOException {
        return new RawClient(socket, socket.getInputStream(), socket.getOutputStream());
    }

    /** Connects. */
    public static RawClient to(int port) {
        return from("127.0.0.1", port);
    }

    /** Connects from an address of this machine. */
    public static RawClient from(String address, int port) {
        try {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            // A read of what does not come must fail, and an interrupt would not end it.
            socket.setSoTimeout((int) WaitLimit.GENEROUS.toMillis());
            return on(socket);
        } catch (IOException failed) {
            throw new AssertionError(address, failed);
        }
    }

    /** Sends a text as it is. */
    public RawClient send(String text) {
        return send(text.getBytes(UTF_8));
    }

    /** Sends bytes as they are. */
    public RawClient send(byte[] bytes) {
        try {
            out.write(bytes);
            return this;
        } catch (IOException failed) {
            throw new AssertionError(new String(bytes, UTF_8), failed);
        }
    }

    /**
     * Asks for a page.
     *
     * @param fields names and values of header fields by turns
     */
    public RawClient ask(String path, String... fields) {
        StringBuilder head = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        for (int i = 0; i < fields.length; i += 2) {
            head.append(fields[i]).append(": ").append(fields[i + 1]).append("\r\n");
        }
        return send(head.append("\r\n").toString());
    }

    /** Says that it will send nothing more. */
    public void closeOutput() {
        Unchecked.run(() -> ((Socket) socket).shutdownOutput());
    }

    /** The next line, without its end; empty at the end of the headers. */
    public String line() {
        return Unchecked.call(this::nextLine);
    }

    private String nextLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("after " + line);
            }
            line.write(next);
        }
        return line.toString(UTF_8).strip();
    }

    /** Whether something has come. */
    public boolean hasInput() throws IOException {
        return in.available() > 0;
    }

    /** The status line of an answer and its headers. */
    public List<String> head() {
        List<String> lines = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            lines.add(line);
        }
        return lines;
    }

    /** So many of the next bytes. */
    public String read(int count) throws IOException {
        return new String(bytes(count), UTF_8);
    }

    /**
     * So many of the next bytes.
     *
     * @throws EOFException if there are fewer
     */
    public byte[] bytes(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("after " + bytes.length);
        }
        return bytes;
    }

    /** The content of the next chunk; empty after the last one. */
    public byte[] chunk() throws IOException {
        byte[] content = bytes(Integer.parseInt(nextLine(), 16));
        String end = nextLine();
        if (!end.isEmpty()) {
            throw new IOException("a chunk continues with " + end);
        }
        return content;
    }

    /** What comes until the server closes the connection, if only by breaking it. */
    public String untilClosed() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            in.transferTo(bytes);
        } catch (IOException broken) {
            // What came before counts.
        }
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        Unchecked.run(socket::close);
    }
}
