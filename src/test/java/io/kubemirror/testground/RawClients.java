package io.kubemirror.testground;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections to a port of loopback that send what a test says and read only when told to. One
 * thread serves all of them without blocking.
 */
public final class RawClients implements AutoCloseable {

    /** As little as the system allows, so that a server has to keep what is not read. */
    private static final int RECEIVE_BUFFER = 4 * 1024;

    /** Servers that take nothing for so long will not take more soon. */
    private static final long STANDSTILL = Duration.ofSeconds(1).toNanos();

    private final List<SocketChannel> open = new ArrayList<>();

    private RawClients() {}

    /**
     * Opens connections until there are as many as wanted, or no more are accepted.
     *
     * @param port a port of loopback
     * @param count how many
     */
    public static RawClients connect(int port, int count) {
        RawClients clients = new RawClients();
        for (int i = 0; i < count; i++) {
            clients.connect(port);
        }
        return clients;
    }

    private void connect(int port) {
        try {
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            channel.configureBlocking(false);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            open.add(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many connections the server has not closed, as far as writing to them has shown. */
    public int open() {
        return open.size();
    }

    /** Sends a text on every connection, for as long as any takes more of it. */
    public RawClients send(String text, Duration limit) {
        return send(text.getBytes(StandardCharsets.UTF_8), limit);
    }

    /**
     * Sends bytes on every connection, in turns, until all are sent, the rest of the connections
     * are closed, nothing has moved for a second, or the time is over.
     */
    public RawClients send(byte[] bytes, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        List<Sending> left = new ArrayList<>();
        open.forEach(channel -> left.add(new Sending(channel, ByteBuffer.wrap(bytes))));
        long before = 0;
        long moved = System.nanoTime();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            left.removeIf(this::isDone);
            long rest = left.stream().mapToLong(sending -> sending.rest().remaining()).sum();
            if (rest != before) {
                before = rest;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > STANDSTILL) {
                return this;
            }
            Thread.onSpinWait();
        }
        return this;
    }

    private record Sending(SocketChannel channel, ByteBuffer rest) {}

    private boolean isDone(Sending sending) {
        try {
            if (sending.channel().finishConnect()) {
                ByteBuffer rest = sending.rest();
                int end = rest.limit();
                rest.limit(Math.min(end, rest.position() + 64 * 1024));
                sending.channel().write(rest);
                rest.limit(end);
            }
            return !sending.rest().hasRemaining();
        } catch (IOException closed) {
            open.remove(sending.channel());
            close(sending.channel());
            return true;
        }
    }

    /** What has arrived first on each connection that has received something, one line each. */
    public List<String> firstLines() {
        List<String> lines = new ArrayList<>();
        for (SocketChannel channel : open) {
            ByteBuffer start = ByteBuffer.allocate(512);
            try {
                if (channel.read(start) > 0) {
                    String text = new String(start.array(), StandardCharsets.UTF_8);
                    lines.add(text.lines().findFirst().orElse("").strip());
                }
            } catch (IOException closed) {
                lines.add("closed");
            }
        }
        return lines;
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        open.forEach(RawClients::close);
    }
}
