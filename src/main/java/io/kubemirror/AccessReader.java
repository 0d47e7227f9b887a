package io.kubemirror;

import io.kubemirror.access.Hosts;
import io.kubemirror.access.Hosts.Reach;

import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Reads who may ask from where; every mistake is a {@link MistakeException}. */
final class AccessReader {

    private static final Pattern HOST =
            Pattern.compile("\\*|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9_])?");

    private AccessReader() {}

    /** The names by which kubemirror may be asked. */
    static Hosts hosts(ServerProperties server, MirrorProperties properties) {
        List<String> written = properties.allowedHosts();
        List<String> further =
                IntStream.range(0, written.size()).mapToObj(i -> host(written.get(i), i)).toList();
        return new Hosts(reach(server), further);
    }

    private static String host(String written, int index) {
        String host = written.toLowerCase(Locale.ROOT);
        if (!HOST.matcher(host).matches()) {
            throw new MistakeException(
                    "kubemirror.allowed-hosts[" + index + "]",
                    "'" + written + "' is not the name of a host",
                    "write a name without scheme, port and path, *. and the end of names, or *");
        }
        return host;
    }

    /** A page of a stranger cannot have a certificate for the name that it uses. */
    private static Reach reach(ServerProperties server) {
        if (Ssl.isEnabled(server.getSsl())) {
            return Reach.ANYWHERE;
        }
        return isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
    }

    /** Whether only the same machine or pod reaches the API. */
    static boolean isLoopback(ServerProperties server) {
        InetAddress address = server.getAddress();
        return address != null && address.isLoopbackAddress();
    }
}
