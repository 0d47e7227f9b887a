package io.kubemirror.testing;

import module java.base;

/**
 * Many connections to a loopback port that send what the test specifies and read only on request.
 * One thread serves all of them without blocking.
 */
public final class RawClients implements AutoCloseable {

    /** The smallest size, so that the server has to keep what is not read. */
    private static final int RECEIVE_BUFFER = 4 * 1024;

    /** A server that has accepted no byte for this time is considered stalled. */
    private static final long STANDSTILL = Duration.ofSeconds(1).toNanos();

    /** Large enough for the status line. */
    private static final int LINE = 64;

    private final List<SocketChannel> open = new ArrayList<>();
    private final Map<SocketChannel, String> heard = new HashMap<>();

    private RawClients() {}

    /**
     * Opens up to the given number of connections, until no more are accepted.
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

    /** Returns how many connections are open, as far as writing to them has shown. */
    public int open() {
        return open.size();
    }

    /**
     * Sends a text on all connections in turn until all have sent it, the remaining connections are
     * closed, nothing has moved for a second, or the time is over.
     */
    public RawClients send(String text, Duration limit) {
        return send(text, limit, STANDSTILL);
    }

    /** Sends a text on every connection to a server that reads all of it, however slowly. */
    public RawClients sendWhole(String text) {
        return send(text, WaitLimit.GENEROUS, Long.MAX_VALUE);
    }

    private RawClients send(String text, Duration limit, long standstill) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<Sending> left = new ArrayList<>();
        open.forEach(channel -> left.add(new Sending(channel, ByteBuffer.wrap(bytes))));
        long deadline = System.nanoTime() + limit.toNanos();
        long before = 0;
        long moved = System.nanoTime();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            left.removeIf(this::isDone);
            long rest = left.stream().mapToLong(sending -> sending.rest().remaining()).sum();
            if (rest != before) {
                before = rest;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > standstill) {
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

    /**
     * Returns how many connections have received something. Only one line of each is read, once, so
     * that its server soon cannot send more.
     */
    public int answered() {
        open.stream().filter(channel -> !heard.containsKey(channel)).toList().forEach(this::hear);
        return (int) open.stream().filter(heard::containsKey).count();
    }

    /** How many of the {@link #answered} connections have received a text in that line. */
    public int answered(String text) {
        return (int) heard.values().stream().filter(line -> line.contains(text)).count();
    }

    private void hear(SocketChannel channel) {
        try {
            ByteBuffer line = ByteBuffer.allocate(LINE);
            if (channel.read(line) != 0) {
                heard.put(channel, StandardCharsets.UTF_8.decode(line.flip()).toString());
            }
        } catch (IOException closed) {
            open.remove(channel);
            close(channel);
        }
    }

    private static void close(SocketChannel channel) {
        Unchecked.run(() -> channel.close());
    }

    @Override
    public void close() {
        open.forEach(RawClients::close);
    }
}
