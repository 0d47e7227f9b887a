package io.kubemirror.testing.containers;

import module java.base;

import io.kubemirror.testing.containers.ContainerStreams.BinaryOutput;

/**
 * The server's side of SPDY/3.1 as far as kubectl needs it to forward ports: it opens a stream for
 * errors and one for data by turns.
 */
final class SpdyStreams {

    private static final int SYN_STREAM = 1;
    private static final int SYN_REPLY = 2;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int FIN = 1;

    private final DataInputStream in;
    private final BinaryOutput out;
    private final int port;

    /** Compresses the headers of all replies, of which none has any. */
    private final Deflater headers = new Deflater();

    private final Map<Integer, Socket> data = new ConcurrentHashMap<>();

    /**
     * Creates the streams of a connection.
     *
     * @param port where each stream of data is connected to
     */
    SpdyStreams(InputStream in, BinaryOutput out, int port) {
        this.in = new DataInputStream(in);
        this.out = out;
        this.port = port;
    }

    /** Serves the connection until its end. */
    void run() throws IOException {
        try {
            while (true) {
                frame(in.readInt(), in.readInt());
            }
        } catch (EOFException end) {
            // The client has gone.
        } finally {
            headers.end();
            for (Socket socket : data.values()) {
                socket.close();
            }
        }
    }

    private void frame(int first, int second) throws IOException {
        boolean last = (second >>> 24 & FIN) != 0;
        byte[] payload = in.readNBytes(second & 0xffffff);
        if (first >= 0) {
            received(first, payload, last);
            return;
        }
        switch (first & 0xffff) {
            case SYN_STREAM -> opened(ByteBuffer.wrap(payload).getInt());
            case PING -> control(PING, payload);
            case GOAWAY -> throw new EOFException();
            default -> {}
        }
    }

    private void opened(int stream) throws IOException {
        byte[] none = new byte[64];
        headers.setInput(new byte[4]);
        int length = headers.deflate(none, 0, none.length, Deflater.SYNC_FLUSH);
        control(
                SYN_REPLY,
                ByteBuffer.allocate(4 + length).putInt(stream).put(none, 0, length).array());
        if (stream % 4 == 3) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            data.put(stream, socket);
            Thread.ofVirtual().start(() -> answer(stream, socket));
        }
    }

    private void answer(int stream, Socket socket) {
        byte[] buffer = new byte[8192];
        try {
            InputStream from = socket.getInputStream();
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                send(stream, 0, Arrays.copyOf(buffer, count));
            }
            send(stream, FIN, new byte[0]);
            send(stream - 2, FIN, new byte[0]);
        } catch (IOException over) {
            // One of both sides has gone.
        }
    }

    private void received(int stream, byte[] payload, boolean last) throws IOException {
        Socket socket = data.get(stream);
        if (socket != null) {
            socket.getOutputStream().write(payload);
            if (last) {
                socket.shutdownOutput();
            }
        }
    }

    private void control(int type, byte[] payload) throws IOException {
        out.send(
                ByteBuffer.allocate(8 + payload.length)
                        .putInt(0x80030000 | type)
                        .putInt(payload.length)
                        .put(payload)
                        .array());
    }

    private void send(int stream, int flags, byte[] payload) throws IOException {
        out.send(
                ByteBuffer.allocate(8 + payload.length)
                        .putInt(stream)
                        .putInt(flags << 24 | payload.length)
                        .put(payload)
                        .array());
    }
}
