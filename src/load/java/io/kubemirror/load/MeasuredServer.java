package io.kubemirror.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;

/**
 * One of the two servers that are compared.
 *
 * @param name what tables call it
 * @param address where it listens for watches
 * @param pid its process
 */
record MeasuredServer(String name, SocketAddress address, long pid) {

    MeasuredServer(String name, int port, long pid) {
        this(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), pid);
    }

    /** The same process, with its Unix socket. */
    MeasuredServer on(Path socket) {
        return new MeasuredServer(name, UnixDomainSocketAddress.of(socket), pid);
    }

    /** The port where it listens. */
    int port() {
        return ((InetSocketAddress) address).getPort();
    }

    /** What its process has used until now. */
    ProcessUsage usage() {
        return ProcessUsage.of(pid);
    }
}
