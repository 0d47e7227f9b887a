package io.kubemirror;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.AccessPlan;
import io.kubemirror.access.AccessPlan.AuthenticationMethod;
import io.kubemirror.access.Hosts;
import io.kubemirror.access.Hosts.Reach;
import io.kubemirror.access.TokenFileException;

import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads the settings for host names, authentication, and authorization. Throws {@link
 * ConfigurationErrorException} if they are invalid.
 */
final class AccessReader {

    private static final Pattern HOST =
            Pattern.compile("\\*|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9_])?");

    private static final String TOKEN_FILE = "kubemirror.access.token-file";

    /** The key length in bytes, equal to the length of the digests. */
    private static final int KEY_BYTES = 32;

    private AccessReader() {}

    /** The host names that clients may use. */
    static Hosts hosts(ServerProperties server, MirrorProperties properties) {
        List<String> written = properties.allowedHosts();
        List<String> further =
                IntStream.range(0, written.size()).mapToObj(i -> host(written.get(i), i)).toList();
        return new Hosts(reach(server, properties), further);
    }

    private static String host(String written, int index) {
        String host = written.toLowerCase(Locale.ROOT);
        if (!HOST.matcher(host).matches()) {
            throw new ConfigurationErrorException(
                    "kubemirror.allowed-hosts[" + index + "]",
                    "'" + written + "' is not the name of a host",
                    "write a name without scheme, port and path, *. and the end of names, or *");
        }
        return host;
    }

    /**
     * Creates the access control.
     *
     * @param server provides the TLS settings
     * @param dependencies the collaborators of access control
     */
    static AccessControl access(
            MirrorProperties.AccessProperties access,
            ServerProperties server,
            AccessControl.Dependencies dependencies) {
        checkTokens(access);
        if (access.authentication().isEmpty()) {
            return new AccessControl.Open();
        }
        if (access.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)
                && !asksForOne(server)) {
            throw new ConfigurationErrorException(
                    "kubemirror.access.authentication",
                    "clients are not asked for certificates",
                    "configure TLS by server.ssl.* and set server.ssl.client-auth to want or need");
        }
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        try {
            return AccessControl.guarded(plan(access), dependencies, key);
        } catch (TokenFileException unusable) {
            throw new ConfigurationErrorException(
                    TOKEN_FILE,
                    String.valueOf(unusable.getMessage()),
                    "write token,user,uid,\"group1,group2\" in each line");
        }
    }

    private static void checkTokens(MirrorProperties.AccessProperties access) {
        boolean file = access.authentication().contains(AuthenticationMethod.TOKEN_FILE);
        if (file && access.tokenFile() == null) {
            throw new ConfigurationErrorException(
                    TOKEN_FILE,
                    "is missing",
                    "name the file or take token-file out of"
                            + " kubemirror.access.authentication");
        }
        if (!file && access.tokenFile() != null) {
            throw new ConfigurationErrorException(
                    TOKEN_FILE,
                    "is not used",
                    "add token-file to kubemirror.access.authentication or remove it");
        }
        boolean reviewed = access.authentication().contains(AuthenticationMethod.TOKEN_REVIEW);
        if (!reviewed && !access.audiences().isEmpty()) {
            throw new ConfigurationErrorException(
                    "kubemirror.access.audiences",
                    "is not used",
                    "add token-review to kubemirror.access.authentication or remove it");
        }
    }

    private static boolean asksForOne(ServerProperties server) {
        return server.getSsl() != null
                && Ssl.isEnabled(server.getSsl())
                && server.getSsl().getClientAuth() != null
                && server.getSsl().getClientAuth() != Ssl.ClientAuth.NONE;
    }

    /** The plan. */
    static AccessPlan plan(MirrorProperties.AccessProperties access) {
        MirrorProperties.AccessProperties.Cache cache = access.cache();
        String file = access.tokenFile();
        return new AccessPlan(
                Set.copyOf(access.authentication()),
                access.authorization(),
                access.audiences(),
                file == null ? null : Path.of(file),
                new AccessPlan.CacheTimes(
                        access.reviewTimeout(),
                        cache.allowed(),
                        cache.denied(),
                        cache.grace(),
                        access.recheckInterval(),
                        cache.size()));
    }

    /** A web page of another origin has neither credentials nor a certificate for the name. */
    private static Reach reach(ServerProperties server, MirrorProperties properties) {
        if (Ssl.isEnabled(server.getSsl()) || !properties.access().authentication().isEmpty()) {
            return Reach.ANYWHERE;
        }
        return isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
    }

    /** Whether the API is reachable only from the same machine or pod. */
    static boolean isLoopback(ServerProperties server) {
        InetAddress address = server.getAddress();
        return address != null && address.isLoopbackAddress();
    }
}
