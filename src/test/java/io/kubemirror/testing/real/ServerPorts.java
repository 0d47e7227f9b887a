package io.kubemirror.testing.real;

import module java.base;

/**
 * The ports on loopback of one API server and its etcd.
 *
 * @param plainPort the API server's for HTTP
 * @param securePort the API server's for HTTPS
 * @param etcdPort etcd's for clients
 * @param peerPort etcd's for other members
 */
public record ServerPorts(int plainPort, int securePort, int etcdPort, int peerPort) {

    /** More than a build has JVMs for tests at the same time. */
    private static final int FORKS = 8;

    private static final int MIN_PORT = 10_000;

    /** How many there are for each of those JVMs. */
    private static final int NUMBER = 1_250;

    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(NUMBER));

    /**
     * Ports that were free a moment ago, none of those that systems give to outgoing connections,
     * so that no client can take one while its server is down, nor to another JVM for tests.
     */
    public static ServerPorts free() {
        int[] ports = candidates().limit(4).toArray();
        return new ServerPorts(ports[0], ports[1], ports[2], ports[3]);
    }

    /** One such port. */
    public static int one() {
        return candidates().findFirst().orElseThrow();
    }

    /** Each once before any again: a port that was given out may not be in use yet. */
    private static IntStream candidates() {
        int fork = Integer.parseInt(System.getProperty("surefire.fork", "0")) % FORKS;
        return IntStream.generate(NEXT::getAndIncrement)
                .map(number -> MIN_PORT + number % NUMBER * FORKS + fork)
                .filter(ServerPorts::isFree);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The URL of etcd for clients. */
    public String etcd() {
        return "http://127.0.0.1:" + etcdPort;
    }

    /** The URL of etcd for other members. */
    public String peer() {
        return "http://127.0.0.1:" + peerPort;
    }
}
