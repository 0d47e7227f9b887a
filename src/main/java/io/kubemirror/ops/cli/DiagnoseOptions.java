package io.kubemirror.ops.cli;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.SimpleCommandLinePropertySource;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The options of {@code diagnose}.
 *
 * @param url the URL of the management port
 * @param tokenFile a file with a bearer token
 * @param caFile a PEM file with trusted certificates
 * @param quick whether to skip the lists, the objects that change most, and the server's watches
 * @param quiet whether to check readiness only and print nothing
 * @param help whether to print the usage only
 */
record DiagnoseOptions(
        URI url,
        @Nullable Path tokenFile,
        @Nullable Path caFile,
        boolean quick,
        boolean quiet,
        boolean help) {

    /** The usage text. */
    static final String USAGE =
            """
            Usage: java -jar kubemirror.jar diagnose [options]

              --url=http://127.0.0.1:8002  URL of the management port
              --token-file=FILE            bearer token, requires https or loopback
              --ca-file=FILE               trusted CA certificates (PEM)
              --quick                      skip the lists, the objects that change most, and the
                                           API server's count of watches
              --quiet                      print nothing, only check readiness: exit code 0 or 1

            Exit codes: 0 no problem, 2 invalid options, 3 kubemirror is not reachable,
            4 the API server is not reachable, 5 a permission is missing, 6 a mirror has no
            complete state, 7 lists fail, 8 a lesser problem.
            If several codes apply, the smallest is used.
            """;

    private static final Set<String> NAMES =
            Set.of("url", "token-file", "ca-file", "quick", "quiet", "help");

    /** Rejects a token that would be sent in the clear. */
    DiagnoseOptions {
        if (tokenFile != null && url.getScheme().equals("http") && !isLoopback(url.getHost())) {
            throw new IllegalArgumentException("--token-file requires https or a loopback address");
        }
    }

    /**
     * Parses the options.
     *
     * @throws IllegalArgumentException if an option is invalid
     */
    static DiagnoseOptions read(List<String> arguments) {
        SimpleCommandLinePropertySource source =
                new SimpleCommandLinePropertySource(arguments.toArray(String[]::new));
        for (String name : source.getPropertyNames()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("unknown option --" + name);
            }
        }
        String url = source.getProperty("url");
        return new DiagnoseOptions(
                url(url == null ? "http://127.0.0.1:8002" : url),
                path(source, "token-file"),
                path(source, "ca-file"),
                source.containsProperty("quick"),
                source.containsProperty("quiet"),
                source.containsProperty("help"));
    }

    private static URI url(String text) {
        URI url = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        if (url.getHost() == null || !Set.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException(
                    "--url is not a URL; use a URL such as http://127.0.0.1:8002");
        }
        return url;
    }

    private static @Nullable Path path(SimpleCommandLinePropertySource source, String name) {
        String value = source.getProperty(name);
        return value == null ? null : Path.of(value);
    }

    /** Whether a host is loopback. Names are not resolved. */
    private static boolean isLoopback(String host) {
        boolean literal = host.startsWith("[") || host.matches("[0-9.]+");
        return host.equals("localhost")
                || (literal && InetAddress.ofLiteral(host).isLoopbackAddress());
    }
}
