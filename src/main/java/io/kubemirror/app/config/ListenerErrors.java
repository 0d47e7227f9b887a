package io.kubemirror.app.config;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ApplicationContextException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;

/** Recognizes why Jetty cannot listen: a port, an address, or a file of TLS. */
final class ListenerErrors {

    /** The beginning of the JDK's message, before the number. */
    private static final String OUT_OF_RANGE = "port out of range:";

    /** The beginning of Boot's message, before the reason. */
    private static final String UNUSABLE = "Unable to create key store";

    /** Boot's message for everything that keeps the server of the API from listening. */
    private static final String NOT_STARTED = "Unable to start web server";

    private static final Pattern PRIVILEGED = Pattern.compile("[1-9]\\d{0,2}|10[01]\\d|102[0-3]");

    /** The properties that name files of certificates and keys. */
    private static final List<ConfigurationPropertyName> TLS =
            Stream.of("server.ssl", "management.server.ssl", "spring.ssl.bundle")
                    .map(ConfigurationPropertyName::of)
                    .toList();

    private static final ConfigurationPropertyName SERVER = ConfigurationPropertyName.of("server");

    /** In the name of the source of kubemirror's own file. */
    private static final String OWN_FILE = "class path resource";

    private final Environment environment;

    private ListenerErrors(Environment environment) {
        this.environment = environment;
    }

    /**
     * Returns the analysis of a cause of a failed start, null for others.
     *
     * @param environment has the properties of the listeners
     */
    static @Nullable FailureAnalysis analysis(Throwable cause, Environment environment) {
        return new ListenerErrors(environment).analysis(cause);
    }

    private @Nullable FailureAnalysis analysis(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        return switch (cause) {
            case ApplicationContextException e when text.equals(NOT_STARTED) -> unusable(e);
            case PortInUseException e -> inUse(e);
            case IllegalArgumentException e when text.startsWith(OUT_OF_RANGE) ->
                    outOfRange(text.substring(OUT_OF_RANGE.length()), e);
            case SocketException e when text.startsWith("Permission denied") -> privileged(e);
            case BindException e when text.startsWith("Cannot assign") -> foreign(e);
            case NoSuchSslBundleException e -> unknownBundle(e);
            case IllegalStateException e when text.startsWith(UNUSABLE) ->
                    unusable(text.substring(UNUSABLE.length()), e);
            case FileNotFoundException e -> missing(text, e);
            case NoSuchFileException e -> missing(e.getFile(), e);
            default -> null;
        };
    }

    private FailureAnalysis inUse(PortInUseException failure) {
        return new FailureAnalysis(
                port(String.valueOf(failure.getPort())::equals)
                        + ": port "
                        + failure.getPort()
                        + " is already in use",
                "stop the process that listens on it, or choose another port",
                failure);
    }

    private FailureAnalysis outOfRange(String port, Throwable failure) {
        return new FailureAnalysis(
                port(port::equals) + ": " + port + " is not a port",
                "use a port below 65536",
                failure);
    }

    private FailureAnalysis privileged(Throwable failure) {
        return new FailureAnalysis(
                port(PRIVILEGED.asMatchPredicate())
                        + ": this user may not listen on a port below 1024",
                "use a port of 1024 or more",
                failure);
    }

    /** What Jetty says about other settings, null if a bean fails, which is no mistake of these. */
    private @Nullable FailureAnalysis unusable(ApplicationContextException failure) {
        if (failure.getCause() instanceof BeansException bean
                && !(bean instanceof BeanCreationException listener
                        && String.valueOf(listener.getBeanName()).contains("WebServerFactory"))) {
            return null;
        }
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
        return new FailureAnalysis(
                "server: " + String.valueOf(cause.getMessage()).replaceFirst(" for \\S+\\[.*", ""),
                "correct " + settings(),
                failure);
    }

    /** Returns what is written below server, without ports and addresses. */
    private String settings() {
        String written =
                names(source -> !String.valueOf(source.getUnderlyingSource()).contains(OWN_FILE))
                        .filter(SERVER::isAncestorOf)
                        .filter(name -> name.getNumberOfElements() > 2)
                        .map(name -> placed(name.toString()))
                        .distinct()
                        .collect(Collectors.joining(" or "));
        return written.isEmpty() ? "the settings below server" : written;
    }

    private Stream<ConfigurationPropertyName> names(Predicate<ConfigurationPropertySource> of) {
        return ConfigurationFiles.sources(environment)
                .filter(IterableConfigurationPropertySource.class::isInstance)
                .filter(of)
                .flatMap(all -> ((IterableConfigurationPropertySource) all).stream());
    }

    private FailureAnalysis foreign(Throwable failure) {
        return new FailureAnalysis(
                owner(ListenerErrors::isForeign, "server.address", "management.server.address")
                        + ": is no address of this machine",
                "use one that it has, such as 127.0.0.1",
                failure);
    }

    private static boolean isForeign(String address) {
        try {
            InetAddress parsed = InetAddress.getByName(address);
            return !parsed.isAnyLocalAddress() && NetworkInterface.getByInetAddress(parsed) == null;
        } catch (IOException _) {
            return true;
        }
    }

    private FailureAnalysis unknownBundle(NoSuchSslBundleException failure) {
        String name = failure.getBundleName();
        return new FailureAnalysis(
                owner(name::equals, "server.ssl.bundle", "management.server.ssl.bundle")
                        + ": there is no bundle of that name",
                "configure spring.ssl.bundle.pem." + name,
                failure);
    }

    private FailureAnalysis unusable(String reason, Throwable failure) {
        String owner =
                owner(
                        _ -> true,
                        "server.ssl.certificate",
                        "server.ssl.key-store",
                        "server.ssl.bundle",
                        "management.server.ssl.certificate",
                        "management.server.ssl.key-store",
                        "management.server.ssl.bundle");
        return new FailureAnalysis(
                owner + ": cannot be used" + reason,
                "use files in PEM format, or a key store with its password",
                failure);
    }

    /** The analysis of a file of TLS that does not exist, null for other files. */
    private @Nullable FailureAnalysis missing(String file, Throwable failure) {
        return names(_ -> true)
                .filter(name -> TLS.stream().anyMatch(tls -> tls.isAncestorOf(name)))
                .map(ConfigurationPropertyName::toString)
                .filter(name -> has(name, value -> names(value, file)))
                .findFirst()
                .map(
                        name ->
                                new FailureAnalysis(
                                        placed(name) + ": the file does not exist",
                                        "create it, or correct the path",
                                        failure))
                .orElse(null);
    }

    /** Returns whether a value is the location of a file, which a message may quote. */
    private static boolean names(String value, String file) {
        String path = value.replaceFirst("^(file|classpath):(//)?", "");
        return !path.isEmpty() && file.contains(path);
    }

    private String port(Predicate<String> value) {
        return owner(value, "server.port", "management.server.port");
    }

    /** Returns the property that has a value, with its place; all if it is none of them. */
    private String owner(Predicate<String> value, String... properties) {
        return Arrays.stream(properties)
                .filter(property -> has(property, value))
                .findFirst()
                .map(this::placed)
                .orElse(String.join(" or ", properties));
    }

    private boolean has(String property, Predicate<String> value) {
        return ConfigurationFiles.written(environment, property)
                .map(written -> String.valueOf(written.getValue()))
                .filter(value)
                .isPresent();
    }

    private String placed(String property) {
        return property + ConfigurationErrorReporter.place(environment, property);
    }
}
