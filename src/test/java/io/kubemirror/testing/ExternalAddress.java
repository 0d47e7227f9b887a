package io.kubemirror.testing;

import module java.base;

import org.junit.jupiter.api.Assumptions;

/** An address of this machine that is not loopback. */
public final class ExternalAddress {

    private ExternalAddress() {}

    /** An address of a network; skips the test where the machine has none. */
    public static String demand() throws SocketException {
        Optional<InetAddress> found =
                NetworkInterface.networkInterfaces()
                        .filter(ExternalAddress::isUp)
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(address -> address.getAddress().length == 4)
                        .filter(address -> !address.isLoopbackAddress())
                        .findFirst();
        Assumptions.assumeTrue(found.isPresent(), "this machine is in no network");
        return found.orElseThrow().getHostAddress();
    }

    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (SocketException unknown) {
            return false;
        }
    }
}
