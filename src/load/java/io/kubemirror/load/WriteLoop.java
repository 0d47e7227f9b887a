package io.kubemirror.load;

import module java.base;

/**
 * What no server on the machine can do better: a process with a loop that writes the frame of an
 * event to each of its sockets. It parses, selects, and encodes nothing.
 */
final class WriteLoop implements AutoCloseable {

    /** As many connections are opened at once. */
    private static final int BACKLOG = 1_024;

    /** The longest request of a watch. */
    private static final int REQUEST = 4_096;

    private static final String PADDING = "x".repeat(600);

    /** What is written to one socket before the next one, in bytes. */
    private static final int PIECE = 128 * 1024;

    private static final byte[] HEAD =
            """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            Transfer-Encoding: chunked\r
            \r
            """
                    .getBytes(StandardCharsets.US_ASCII);

    private final Process process;
    private final BufferedReader output;
    private final int port;

    /** Starts the process, which listens on a port. */
    WriteLoop() {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        classes(),
                        WriteLoop.class.getName());
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            output = process.inputReader(StandardCharsets.US_ASCII);
            port = Integer.parseInt(output.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String classes() {
        try {
            return Path.of(
                            WriteLoop.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The side that it is. */
    MeasuredServer side() {
        return new MeasuredServer("loop of writes", port, process.pid());
    }

    /**
     * Writes a body to its clients as soon as there are so many, piece by piece to one after the
     * other, and ends their connections.
     */
    void body(int count, long length) {
        order(count + " " + length);
    }

    /**
     * Writes events at a rate to all sockets. The time of each begins when the loop is asked for
     * it.
     */
    void steadily(int perSecond, Duration time, DeliveryTimes deliveryTimes) {
        long start = System.nanoTime();
        for (int event = 0; event < perSecond * time.toSeconds(); event++) {
            Pacer.until(start + event * 1_000_000_000L / perSecond);
            deliveryTimes.answered(event, System.nanoTime());
            order(String.valueOf(event));
        }
    }

    private void order(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The loop: a line of the input names an event, or the number of clients and the length of a
     * body; the line of the output the port.
     */
    public static void main(String[] arguments) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            System.out.println(server.socket().getLocalPort());
            Queue<SocketChannel> clients = new ConcurrentLinkedQueue<>();
            Thread.ofPlatform().daemon().start(() -> accept(server, clients));
            BufferedReader events =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            for (String event = events.readLine(); event != null; event = events.readLine()) {
                String[] words = event.split(" ", -1);
                if (words.length > 1) {
                    body(clients, Integer.parseInt(words[0]), Long.parseLong(words[1]));
                } else {
                    ByteBuffer chunk = chunk(event);
                    clients.removeIf(client -> !write(client, chunk.rewind()));
                }
            }
        }
    }

    private static void body(Queue<SocketChannel> clients, int count, long length)
            throws IOException {
        while (clients.size() < count) {
            Pacer.of(Duration.ofMillis(1));
        }
        ByteBuffer piece = chunk(new byte[PIECE]);
        for (long left = length; left > 0; left -= PIECE) {
            clients.removeIf(client -> !write(client, piece.rewind()));
        }
        for (SocketChannel client : clients) {
            client.close();
        }
        clients.clear();
    }

    private static void accept(ServerSocketChannel server, Queue<SocketChannel> clients) {
        ByteBuffer request = ByteBuffer.allocate(REQUEST);
        try {
            while (true) {
                SocketChannel client = server.accept();
                if (read(client, request) && write(client, ByteBuffer.wrap(HEAD))) {
                    clients.add(client);
                }
            }
        } catch (IOException closing) {
            // The process ends.
        }
    }

    /** Reads a request, which is short enough to arrive at once. */
    private static boolean read(SocketChannel client, ByteBuffer request) {
        try {
            return client.read(request.clear()) > 0;
        } catch (IOException gone) {
            return false;
        }
    }

    /** Returns whether the client is still there, and closes its socket otherwise. */
    private static boolean write(SocketChannel client, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
            return true;
        } catch (IOException gone) {
            try (client) {
                return false;
            } catch (IOException closed) {
                return false;
            }
        }
    }

    /** A chunk of HTTP/1.1 as long as that of an event of {@link ConfigMapWriter}. */
    private static ByteBuffer chunk(String event) {
        String frame =
                """
                {"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":\
                {"name":"n0","namespace":"load","uid":"00000000-0000-0000-0000-000000000000",\
                "resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z"},"data":\
                {"at":"000000000000000","number":"%s","padding":"%s"}}}
                """
                        .formatted(Integer.parseInt(event) + 1, event, PADDING);
        return chunk(frame.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteBuffer chunk(byte[] content) {
        byte[] length = "%x\r\n".formatted(content.length).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(length.length + content.length + 2)
                .put(length)
                .put(content)
                .put(new byte[] {'\r', '\n'})
                .flip();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor();
            output.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
