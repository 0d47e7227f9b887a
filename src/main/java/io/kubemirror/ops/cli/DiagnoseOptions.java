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
 * @param quick whether to skip the lists
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

              --url=http://127.0.0.1:8002  where the management port is
              --token-file=FILE            a bearer token, for https or loopback
              --ca-file=FILE               the certificates to trust (PEM)
              --quick                      without lists
              --quiet                      no word, only whether it is ready: exit code 0 or 1

            Exit codes: 0 nothing is wrong, 2 wrong options, 3 kubemirror does not answer,
            4 the API server does not answer, 5 a permission is missing, 6 a mirror has nothing
            to answer with, 7 lists are not answered, 8 something less is wrong.
            The smallest that applies.
            """;

    private static final Set<String> NAMES =
            Set.of("url", "token-file", "ca-file", "quick", "quiet", "help");

    /** Rejects a token that would be sent in the clear. */
    DiagnoseOptions {
        if (tokenFile != null && url.getScheme().equals("http") && !isLoopback(url.getHost())) {
            throw new IllegalArgumentException("a token is sent by https or to loopback only");
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
                throw new IllegalArgumentException("there is no option --" + name);
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
            throw new IllegalArgumentException("--url is no URL such as http://127.0.0.1:8002");
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
