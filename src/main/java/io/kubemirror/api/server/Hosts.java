package io.kubemirror.api.server;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

/**
 * The host names that kubemirror accepts in the {@code Host} header of a request.
 *
 * <p>A web page can point its own host name at 127.0.0.1 and then read responses as if they came
 * from its own site (DNS rebinding). Only the host name distinguishes such a request from others,
 * so a server without authentication must accept only names that an attacker cannot register.
 *
 * @param reach determines which names are always accepted
 * @param further names that an operator has added: a full name, {@code *.} followed by a suffix, or
 *     {@code *} for all names
 */
public record Hosts(Reach reach, List<String> further) {

    /** Specifies from where kubemirror can be reached, and thus which names are always accepted. */
    public enum Reach {
        /**
         * Reachable from the same machine or pod. Accepts {@code localhost} and loopback addresses.
         */
        LOOPBACK,
        /**
         * Reachable from the network. Accepts addresses, names without a dot, and names of
         * Services, {@code *.svc} and {@code *.cluster.local}. None of them can be registered with
         * a registrar. The short form {@code service.namespace} can, if the namespace has the name
         * of a top-level domain, so it is not accepted.
         */
        NETWORK,
        /** Accepts all names, because credentials or certificates authenticate the clients. */
        ANYWHERE
    }

    /** Copies the names in lower case. */
    public Hosts {
        further = further.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    /** Returns the names of a server that is reachable from its own machine only. */
    public static Hosts loopback() {
        return new Hosts(Reach.LOOPBACK, List.of());
    }

    /**
     * Returns whether a name is accepted.
     *
     * @param authority a host with an optional port, as in the {@code Host} header
     */
    public boolean include(String authority) {
        return isOurs(host(authority)) || isAdded(authority);
    }

    /**
     * Returns whether an operator has added a name.
     *
     * @param authority a host with an optional port
     */
    public boolean isAdded(String authority) {
        String host = host(authority);
        return further.stream().anyMatch(pattern -> matches(pattern, host));
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
     * Parses a host that is a literal address. Names are recognized cheaply, since every request
     * has one.
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

    /** Returns the host of an authority in lower case, without port, brackets, and trailing dot. */
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
