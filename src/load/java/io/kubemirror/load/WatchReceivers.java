package io.kubemirror.load;

import module java.base;

import java.lang.management.ManagementFactory;

/**
 * Many open watches of one server, read by a single thread so that little of the machine is spent
 * on the client.
 */
final class WatchReceivers implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    /**
     * Between two looks, so that the server is not charged with waking this thread for every event:
     * its clients are elsewhere and awake. As much later everything seems to arrive.
     */
    private static final Duration BREATH = Duration.ofNanos(200_000);

    /** What a stalled client's kernel takes for it; Linux doubles it. */
    private static final int STALLED_BUFFER = 4096;

    private final MeasuredServer side;
    private final DeliveryTimes deliveryTimes;
    private final Selector selector;
    private final Queue<SocketChannel> opened = new ConcurrentLinkedQueue<>();
    private final List<WatchReceiver> watchers = new ArrayList<>();
    private final Queue<WatchReceiver> attached = new ConcurrentLinkedQueue<>();
    private final List<SocketChannel> stalled = new ArrayList<>();
    private final byte[] bytes = new byte[1 << 18];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private final Thread thread;
    private volatile boolean closing;

    /** No watches of a server yet. */
    WatchReceivers(MeasuredServer side, DeliveryTimes deliveryTimes) {
        this.side = side;
        this.deliveryTimes = deliveryTimes;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofPlatform().name("watchers").start(this::run);
    }

    /** Opens a watch, which is read from now on. */
    void open(String target, String accept) {
        try {
            SocketChannel channel = connect(target, accept, 0);
            channel.configureBlocking(false);
            WatchReceiver watcher = new WatchReceiver(deliveryTimes);
            watchers.add(watcher);
            attached.add(watcher);
            opened.add(channel);
            selector.wakeup();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a watch of which nothing is ever read. */
    void openStalled(String target, String accept) {
        try {
            stalled.add(connect(target, accept, STALLED_BUFFER));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SocketChannel connect(String target, String accept, int buffer) throws IOException {
        SocketChannel channel = SocketChannel.open();
        if (buffer > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, buffer);
        }
        channel.connect(side.address());
        String request =
                "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n"
                        .formatted(target, accept);
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        return channel;
    }

    /** Waits until the server has answered all of them. */
    WatchReceivers awaitAnswers() {
        await(() -> watchers.stream().allMatch(WatchReceiver::isAnswered));
        return this;
    }

    /** Waits for so many deliveries, or until it is clear that there will be no more. */
    void awaitDeliveries(long wanted) {
        long[] seen = {deliveryTimes.deliveries(), System.nanoTime()};
        while (deliveryTimes.deliveries() < wanted
                && System.nanoTime() - seen[1] < 10_000_000_000L) {
            if (deliveryTimes.deliveries() > seen[0]) {
                seen[0] = deliveryTimes.deliveries();
                seen[1] = System.nanoTime();
            }
            Pacer.of(Duration.ofMillis(2));
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not within " + LIMIT);
            }
            Pacer.of(Duration.ofMillis(20));
        }
    }

    /** How many the server has closed. */
    long disconnected() {
        return watchers.stream().filter(WatchReceiver::hasEnded).count();
    }

    /** How many events came again or in the wrong order. */
    int repeats() {
        return watchers.stream().mapToInt(WatchReceiver::repeats).sum();
    }

    /** The processor time of the thread that reads. */
    Duration cpu() {
        return Duration.ofNanos(
                ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId()));
    }

    private void run() {
        try {
            while (!closing) {
                selector.select(this::read, 100);
                register();
                Pacer.of(BREATH);
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void register() throws ClosedChannelException {
        for (SocketChannel next = opened.poll(); next != null; next = opened.poll()) {
            next.register(selector, SelectionKey.OP_READ, attached.remove());
        }
    }

    private void read(SelectionKey key) {
        WatchReceiver watcher = (WatchReceiver) key.attachment();
        try {
            buffer.clear();
            int count = ((SocketChannel) key.channel()).read(buffer);
            if (count < 0) {
                end(key, watcher);
            } else {
                watcher.take(bytes, count, System.nanoTime());
            }
        } catch (IOException reset) {
            end(key, watcher);
        }
    }

    private static void end(SelectionKey key, WatchReceiver watcher) {
        watcher.end();
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException alreadyGone) {
            // It has ended either way.
        }
    }

    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        try {
            thread.join();
            for (SocketChannel channel : stalled) {
                channel.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
