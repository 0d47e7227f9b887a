package io.kubemirror.load;

import module java.base;

/**
 * One of the two servers that are compared.
 *
 * @param name what tables call it
 * @param address where it listens for watches
 * @param pid its process
 */
record MeasuredServer(String name, InetSocketAddress address, long pid) {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    MeasuredServer(String name, int port, long pid) {
        this(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), pid);
    }

    /** The port where it listens. */
    int port() {
        return address.getPort();
    }

    /** Waits until its process, which has just been started, listens. */
    void awaitListening(Process process) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!isListening()) {
            if (System.nanoTime() - end > 0 || !process.isAlive()) {
                process.destroy();
                throw new IllegalStateException(name + " does not listen; see its log in target");
            }
            Pacer.of(PAUSE);
        }
    }

    private boolean isListening() {
        try (SocketChannel channel = SocketChannel.open(address)) {
            return channel.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** What its process has used until now. */
    ProcessUsage usage() {
        return ProcessUsage.of(pid);
    }
}
