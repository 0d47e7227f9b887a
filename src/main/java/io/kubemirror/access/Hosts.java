package io.kubemirror.access;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

/**
 * The names by which kubemirror may be asked: those that the {@code Host} of a request may have.
 *
 * <p>A web page may point a name of its own at 127.0.0.1 and then reads what is served there as if
 * it had come from its own site (DNS rebinding). Nothing tells such a request from another but the
 * name in it, so a server that asks for no credentials must insist on names that no stranger can
 * have.
 *
 * @param reach which names are ours in any case
 * @param further names that an operator has added, in lower case: a whole name, {@code *.} and the
 *     end of one, or {@code *} for all
 */
public record Hosts(Reach reach, List<String> further) {

    /** From where kubemirror can be asked, and so what may be its name. */
    public enum Reach {
        /** From the same machine or pod: {@code localhost} and loopback addresses. */
        LOOPBACK,
        /**
         * From the network: addresses, names without a dot, and those of Services, {@code *.svc}
         * and {@code *.cluster.local}. None of them can be had from a registrar. The short {@code
         * service.namespace} can, when the namespace is called like a top-level domain.
         */
        NETWORK,
        /** All names, where credentials or the certificate tell friend from foe. */
        ANYWHERE
    }

    /** Copies the names. */
    public Hosts {
        further = List.copyOf(further);
    }

    /** The names of a server that only its own machine reaches. */
    public static Hosts loopback() {
        return new Hosts(Reach.LOOPBACK, List.of());
    }

    /**
     * Whether a name is one of ours.
     *
     * @param authority a host, with a port or without, as {@code Host} has it
     */
    public boolean include(String authority) {
        String host = host(authority);
        return isOurs(host) || further.stream().anyMatch(pattern -> matches(pattern, host));
    }

    private boolean isOurs(String host) {
        return switch (reach) {
            case LOOPBACK -> isLoopback(host);
            case NETWORK ->
                    isLoopback(host)
                            || address(host) != null
                            || (!host.isEmpty() && host.indexOf('.') < 0)
                            || host.endsWith(".svc")
                            || host.endsWith(".cluster.local");
            case ANYWHERE -> true;
        };
    }

    private static boolean isLoopback(String host) {
        InetAddress address = address(host);
        return host.equals("localhost") || (address != null && address.isLoopbackAddress());
    }

    /**
     * The address that a host is written as; names are told at a glance, as every request has one.
     */
    private static @Nullable InetAddress address(String host) {
        boolean written =
                !host.isEmpty() && (Character.isDigit(host.charAt(0)) || host.indexOf(':') >= 0);
        if (!written) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException name) {
            return null;
        }
    }

    private static boolean matches(String pattern, String host) {
        return pattern.startsWith("*") ? host.endsWith(pattern.substring(1)) : host.equals(pattern);
    }

    /** The host of an authority in lower case, without port, brackets and the root's dot. */
    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        boolean port = colon > authority.lastIndexOf(']');
        String host = port ? authority.substring(0, colon) : authority;
        String bare =
                host.startsWith("[") && host.endsWith("]")
                        ? host.substring(1, host.length() - 1)
                        : host;
        String name = bare.endsWith(".") ? bare.substring(0, bare.length() - 1) : bare;
        return name.toLowerCase(Locale.ROOT);
    }
}
