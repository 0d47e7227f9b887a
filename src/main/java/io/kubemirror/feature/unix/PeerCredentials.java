package io.kubemirror.feature.unix;

import module java.base;

import io.kubemirror.model.Identity;

import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * Authenticates processes on the same machine by what the kernel knows about the other end of a
 * Unix socket (SO_PEERCRED). The user is {@code uid:1000} and the group {@code gid:1000}: the
 * effective IDs that the process had when it connected, without its supplementary groups.
 *
 * <p>They are numbers because names depend on the {@code passwd} file of each container. The JDK
 * reveals a number only as the hash code of its principal, so the principal that it looks up for
 * the number must be equal. Rejected: the foreign function interface, because it needs native
 * access for one system call.
 */
public final class PeerCredentials {

    private PeerCredentials() {}

    /**
     * Asks the kernel for the process at the other end of a Unix socket.
     *
     * @throws IOException if the process has disconnected, or the numbers of its user and group are
     *     unknown
     */
    public static Identity of(SocketChannel client) throws IOException {
        UnixDomainPrincipal peer = client.getOption(ExtendedSocketOptions.SO_PEERCRED);
        UserPrincipalLookupService names = FileSystems.getDefault().getUserPrincipalLookupService();
        int uid = number(peer.user(), names.lookupPrincipalByName(candidate(peer.user())));
        int gid = number(peer.group(), names.lookupPrincipalByGroupName(candidate(peer.group())));
        return new Identity(
                "uid:" + Integer.toUnsignedString(uid),
                "",
                List.of("gid:" + Integer.toUnsignedString(gid), Identity.AUTHENTICATED),
                Map.of());
    }

    /**
     * Returns the decimal number that a principal should have. The JDK reveals the number only as
     * the hash code, which it does not specify.
     */
    private static String candidate(UserPrincipal principal) {
        return Integer.toString(principal.hashCode());
    }

    /** Checks a candidate: the JDK's principals are equal if, and only if, their numbers are. */
    private static int number(UserPrincipal principal, UserPrincipal found) throws IOException {
        if (!found.equals(principal)) {
            throw new IOException("the number of " + principal + " is unknown");
        }
        return found.hashCode();
    }
}
