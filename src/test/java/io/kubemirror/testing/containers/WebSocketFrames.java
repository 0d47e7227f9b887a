package io.kubemirror.testing.containers;

import module java.base;

/** The server's side of a WebSocket: binary messages, without extensions (RFC 6455). */
final class WebSocketFrames {

    private static final int BINARY = 2;
    private static final int END = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final DataInputStream in;
    private final OutputStream out;

    WebSocketFrames(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = out;
    }

    /** The next message, empty after the last one. */
    byte[] next() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (true) {
            int first = in.read();
            if (first < 0) {
                return new byte[0];
            }
            byte[] payload = payload();
            switch (first & 0x0f) {
                case END -> {
                    return new byte[0];
                }
                case PING -> frame(PONG, payload);
                case PONG -> {}
                default -> {
                    message.write(payload);
                    boolean complete = (first & 0x80) != 0;
                    if (complete && message.size() > 0) {
                        return message.toByteArray();
                    }
                }
            }
        }
    }

    private byte[] payload() throws IOException {
        int second = in.readUnsignedByte();
        long length = second & 0x7f;
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        byte[] mask = (second & 0x80) == 0 ? new byte[4] : in.readNBytes(4);
        byte[] payload = in.readNBytes((int) length);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i % 4];
        }
        return payload;
    }

    /** Sends a message on a channel of kubectl's. */
    void send(int channel, byte[] bytes) throws IOException {
        send(ByteBuffer.allocate(bytes.length + 1).put((byte) channel).put(bytes).array());
    }

    /** Sends a message. */
    void send(byte[] message) throws IOException {
        frame(BINARY, message);
    }

    /** Sends the end (code 1000). */
    void close() throws IOException {
        frame(END, new byte[] {0x03, (byte) 0xe8});
    }

    private synchronized void frame(int code, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 10);
        frame.put((byte) (0x80 | code));
        if (payload.length < 126) {
            frame.put((byte) payload.length);
        } else {
            frame.put((byte) 127).putLong(payload.length);
        }
        frame.put(payload);
        out.write(frame.array(), 0, frame.position());
        out.flush();
    }
}
