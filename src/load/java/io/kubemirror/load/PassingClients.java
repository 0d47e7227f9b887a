package io.kubemirror.load;

import module java.base;

/**
 * Clients that come and go: each lists, or watches for up to two minutes from the present state on,
 * or does so without reading fast enough, or without reading at all.
 */
final class PassingClients implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int TICK_MILLIS = 1_000;

    /** The buffer of clients that read slowly; Linux doubles it. */
    private static final int SMALL_BUFFER = 4_096;

    private static final int SLOW_BYTES = 1_024;

    private final MeasuredServer side;
    private final List<String> collections;
    private final Random random = new Random(2);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final LongAdder opened = new LongAdder();
    private final Thread thread;
    private volatile boolean closing;

    /** What a client does. */
    private enum Manner {
        LISTS,
        FOLLOWS,
        READS_SLOWLY,
        STALLS
    }

    /** Of ten clients. */
    private static final List<Manner> MANNERS =
            List.of(
                    Manner.LISTS,
                    Manner.LISTS,
                    Manner.LISTS,
                    Manner.FOLLOWS,
                    Manner.FOLLOWS,
                    Manner.FOLLOWS,
                    Manner.FOLLOWS,
                    Manner.FOLLOWS,
                    Manner.READS_SLOWLY,
                    Manner.STALLS);

    /** One client of the collections comes each interval. */
    PassingClients(MeasuredServer side, List<String> collections, Duration interval) {
        this.side = side;
        this.collections = collections;
        thread = Thread.ofPlatform().name("clients").start(() -> run(interval));
    }

    /** How many have come. */
    long opened() {
        return opened.sum();
    }

    private void run(Duration interval) {
        while (!closing) {
            Manner manner = MANNERS.get(random.nextInt(MANNERS.size()));
            String collection = collections.get(random.nextInt(collections.size()));
            Duration time = Duration.ofMillis(1 + random.nextLong(LONGEST.toMillis()));
            var _ = Thread.ofVirtual().start(() -> client(manner, collection, time));
            Pacer.of(interval);
        }
    }

    private void client(Manner manner, String collection, Duration time) {
        try (Socket socket = new Socket()) {
            open.add(socket);
            if (manner == Manner.READS_SLOWLY || manner == Manner.STALLS) {
                socket.setReceiveBufferSize(SMALL_BUFFER);
            }
            socket.connect(side.address());
            opened.increment();
            socket.getOutputStream().write(request(manner, collection));
            read(socket, manner, System.nanoTime() + time.toNanos());
        } catch (IOException gone) {
            // It is disconnected because it is slow, or because everything ends.
        } finally {
            open.removeIf(Socket::isClosed);
        }
    }

    private static byte[] request(Manner manner, String collection) {
        String query =
                manner == Manner.LISTS
                        ? ""
                        : "&watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                                + "&resourceVersionMatch=NotOlderThan";
        return "GET %s?resourceVersion=0%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                .formatted(collection, query)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private void read(Socket socket, Manner manner, long end) throws IOException {
        byte[] buffer = new byte[manner == Manner.READS_SLOWLY ? SLOW_BYTES : 1 << 14];
        socket.setSoTimeout(TICK_MILLIS);
        int count = 0;
        while (!closing && count >= 0 && System.nanoTime() - end < 0) {
            if (manner == Manner.READS_SLOWLY || manner == Manner.STALLS) {
                Pacer.of(Duration.ofMillis(TICK_MILLIS));
            }
            if (manner != Manner.STALLS) {
                count = readOrNothing(socket, buffer);
            }
        }
    }

    private static int readOrNothing(Socket socket, byte[] buffer) throws IOException {
        try {
            return socket.getInputStream().read(buffer);
        } catch (SocketTimeoutException quiet) {
            return 0;
        }
    }

    @Override
    public void close() {
        closing = true;
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException gone) {
                // It is closed either way.
            }
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
