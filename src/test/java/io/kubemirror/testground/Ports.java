package io.kubemirror.testground;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * The ports on loopback of one API server and its etcd.
 *
 * @param plainPort the API server's for HTTP
 * @param securePort the API server's for HTTPS
 * @param etcdPort etcd's for clients
 * @param peerPort etcd's for other members
 */
record Ports(int plainPort, int securePort, int etcdPort, int peerPort) {

    /** Ports that were free a moment ago. */
    static Ports free() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback);
                ServerSocket third = new ServerSocket(0, 1, loopback);
                ServerSocket fourth = new ServerSocket(0, 1, loopback)) {
            return new Ports(
                    first.getLocalPort(),
                    second.getLocalPort(),
                    third.getLocalPort(),
                    fourth.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String etcd() {
        return "http://127.0.0.1:" + etcdPort;
    }

    String peer() {
        return "http://127.0.0.1:" + peerPort;
    }
}
