package io.kubemirror.app;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Explains the configuration errors that Spring Boot does not know: what is wrong with the way to
 * the API server, what the settings of kubemirror refuse, a file that cannot be read or is not
 * YAML, and what keeps a port from opening.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class ConfigurationFailures implements FailureAnalyzer {

    /** What Boot, Jetty, and the JDK say about settings of the server and of an SSL bundle. */
    private static final Pattern SERVER =
            Pattern.compile(
                    "Error reading certificate or key from .*|.* neither a file nor a .*"
                            + "|SSL is enabled but .*|SSL bundle name .*|port out of range:.*"
                            + "|Failed to bind to .*|Unable to create tempDir.*");

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        return analyze(failure, failure);
    }

    private static @Nullable FailureAnalysis analyze(Throwable failure, @Nullable Throwable cause) {
        if (cause == null) {
            return null;
        }
        return Stream.of(ofProperty(cause), ofFile(failure, cause), ofPort(cause))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> analyze(failure, cause.getCause()));
    }

    private static @Nullable FailureAnalysis ofProperty(Throwable cause) {
        return switch (cause) {
            case UpstreamException upstream ->
                    new FailureAnalysis(String.valueOf(upstream.getMessage()), null, upstream);
            // Boot would show it as a value that cannot be converted.
            case BindException unbound
                    when NestedExceptionUtils.getMostSpecificCause(unbound)
                            instanceof InvalidConfigurationPropertyValueException refused ->
                    new FailureAnalysis(
                            refused.getName() + ": " + refused.getReason(), null, refused);
            default -> null;
        };
    }

    private static @Nullable FailureAnalysis ofFile(Throwable failure, Throwable cause) {
        return switch (cause) {
            // Before there are beans, Boot reads nothing but these files.
            case IOException unread when failure instanceof IllegalStateException ->
                    new FailureAnalysis(
                            "A configuration file cannot be read: " + unread.getMessage(),
                            "Let the user %s read it".formatted(System.getProperty("user.name")),
                            unread);
            case MarkedYAMLException yaml ->
                    new FailureAnalysis(
                            "A configuration file is not YAML%s: %s"
                                    .formatted(place(yaml.getProblemMark()), yaml.getProblem()),
                            "Correct the file",
                            yaml);
            default -> null;
        };
    }

    private static @Nullable FailureAnalysis ofPort(Throwable cause) {
        return switch (cause) {
            case PortInUseException taken ->
                    new FailureAnalysis(
                            "Port %d is in use".formatted(taken.getPort()),
                            "Stop the process that listens on it, or change server.port or"
                                    + " management.server.port, which must differ unless the JVM"
                                    + " has the option -Dspring.aot.enabled=false",
                            taken);
            case Exception server
                    when SERVER.matcher(String.valueOf(server.getMessage())).matches() ->
                    new FailureAnalysis(
                            "The server cannot start: " + server.getMessage(),
                            "Correct server.port, server.address, server.ssl, or the files and"
                                    + " names below spring.ssl.bundle",
                            server);
            default -> null;
        };
    }

    private static String place(@Nullable Mark mark) {
        return mark == null
                ? ""
                : ", line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1);
    }

    /**
     * Returns in one line what a start would say that ends with a failure.
     *
     * @param environment has the places of values
     */
    static String line(Throwable failure, Environment environment) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(Environment.class, environment),
                        FailureHandler.handleMessage((_, _) -> {}))
                .stream()
                .map(one -> one.analyze(failure))
                .filter(Objects::nonNull)
                .map(ConfigurationFailures::line)
                .findFirst()
                .orElseGet(() -> "cannot be read (" + failure.getClass().getSimpleName() + ")");
    }

    private static String line(FailureAnalysis analysis) {
        String action = analysis.getAction();
        String problem = analysis.getDescription().strip();
        String text =
                action == null ? problem : problem + (problem.endsWith(".") ? " " : ". ") + action;
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
