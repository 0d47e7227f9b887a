package io.kubemirror.app;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.config.ConfigDataNotFoundException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * Recognizes configuration errors among the exceptions that end a start, and reports the reason of
 * a failed start in one line, with the property and the remedy. Boot's own reporter, which prints
 * eleven lines, is disabled; see decisions.md#one-line-for-errors-in-the-configuration.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class ConfigurationErrorReporter implements FailureAnalyzer, FailureAnalysisReporter {

    private static final Logger log = LoggerFactory.getLogger(ConfigurationErrorReporter.class);

    /** Boot's reporter, which comes next, maybe before any configuration has been read. */
    private static final String BOOT =
            "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter";

    /** Boot's words for a port that is none. */
    private static final String NO_NUMBER = "Failed to convert to type java.lang.Integer";

    private static final String WHOLE_NUMBERS_ONLY = "is not a whole number; correct it";

    private static final String WHOLE_NUMBER = "a whole number below " + Integer.MAX_VALUE;

    private static final Map<Class<?>, String> EXPECTED =
            Map.of(
                    int.class,
                    WHOLE_NUMBER,
                    Integer.class,
                    WHOLE_NUMBER,
                    boolean.class,
                    "true or false",
                    Duration.class,
                    "a duration such as 75s or 2m",
                    DataSize.class,
                    "a size such as 64MB",
                    DurationRange.class,
                    "a duration such as 5m, or a range such as 5m..10m",
                    InetAddress.class,
                    "an IP address of this machine, such as 127.0.0.1");

    /** The beginning of the JDK's message, before the number. */
    private static final String OUT_OF_RANGE = "port out of range:";

    private static final Pattern PRIVILEGED = Pattern.compile("[1-9]\\d{0,2}|10[01]\\d|102[0-3]");

    /** The beginning of Boot's message, before the reason. */
    private static final String UNUSABLE = "Unable to create key store";

    private static final String[] STORES = {
        "server.ssl.certificate",
        "server.ssl.key-store",
        "server.ssl.bundle",
        "management.server.ssl.certificate",
        "management.server.ssl.key-store",
        "management.server.ssl.bundle"
    };

    /** The properties that name files of certificates and keys. */
    private static final List<ConfigurationPropertyName> TLS =
            Stream.of("server.ssl", "management.server.ssl", "spring.ssl.bundle")
                    .map(ConfigurationPropertyName::of)
                    .toList();

    private final @Nullable Environment environment;

    /**
     * Creates an instance, for Boot.
     *
     * @param environment has the origins of values, null if it was not read
     */
    ConfigurationErrorReporter(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    public void report(FailureAnalysis analysis) {
        LoggingSystem.get(getClass().getClassLoader()).setLogLevel(BOOT, LogLevel.OFF);
        log.error("kubemirror cannot start: {}", line(analysis));
    }

    /**
     * Returns the line that a start would end with. An exception of another kind may contain a
     * secret.
     *
     * @param environment has the origins of values, null if it was not read
     */
    public static String line(RuntimeException mistake, @Nullable Environment environment) {
        FailureAnalysis analysis = new ConfigurationErrorReporter(environment).analyze(mistake);
        return analysis == null
                ? "cannot be read (" + mistake.getClass().getSimpleName() + ")"
                : line(analysis);
    }

    static String line(FailureAnalysis analysis) {
        String action = analysis.getAction();
        String text = analysis.getDescription() + (action == null ? "" : "; " + action);
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    /** The analysis of the innermost recognizable cause, null if there is none. */
    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        FailureAnalysis innermost = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            FailureAnalysis found = analysis(cause);
            innermost = found == null ? innermost : found;
        }
        return innermost;
    }

    private @Nullable FailureAnalysis analysis(Throwable cause) {
        return switch (cause) {
            case InvalidConfigurationPropertyValueException e ->
                    of(e.getName(), String.valueOf(e.getReason()), e);
            case UpstreamException e -> of(e.property(), e.problem(), e);
            case UnknownPropertyException e ->
                    unknown(e.property(), String.valueOf(e.getMessage()), e.remedy(), e);
            // An element of a list that follows a missing one.
            case UnboundConfigurationPropertiesException e ->
                    unknown(
                            e.getUnboundProperties().iterator().next(),
                            NestedNameCheck.UNKNOWN,
                            NestedNameCheck.REMOVE,
                            e);
            case BindValidationException e -> invalid(e);
            case BindException e -> unreadable(e);
            case ConfigurationFileLoader.MalformedFileException e ->
                    new FailureAnalysis(e.getMessage(), "correct the file", e);
            case ConfigDataNotFoundException e ->
                    new FailureAnalysis(
                            e.getReferenceDescription() + ": not found",
                            "create it, or precede the location with optional:",
                            e);
            case PortInUseException e ->
                    port(
                            String.valueOf(e.getPort())::equals,
                            "port %d is already in use".formatted(e.getPort()),
                            "stop the process that listens on it, or choose another port",
                            e);
            case IllegalArgumentException e when text(e).startsWith(OUT_OF_RANGE) ->
                    port(
                            text(e).substring(OUT_OF_RANGE.length())::equals,
                            text(e).substring(OUT_OF_RANGE.length()) + " is not a port",
                            "use a port below 65536",
                            e);
            case SocketException e when text(e).startsWith("Permission denied") ->
                    port(
                            PRIVILEGED.asMatchPredicate(),
                            "this user may not listen on a port below 1024",
                            "use a port of 1024 or more",
                            e);
            case java.net.BindException e when text(e).startsWith("Cannot assign") ->
                    new FailureAnalysis(
                            owner(_ -> true, "server.address", "management.server.address")
                                    + ": is no address of this machine",
                            "use one that it has, such as 127.0.0.1",
                            e);
            case NoSuchSslBundleException e ->
                    new FailureAnalysis(
                            owner(
                                            e.getBundleName()::equals,
                                            "server.ssl.bundle",
                                            "management.server.ssl.bundle")
                                    + ": there is no bundle of that name",
                            "configure spring.ssl.bundle.pem." + e.getBundleName(),
                            e);
            case IllegalStateException e when text(e).startsWith(UNUSABLE) ->
                    new FailureAnalysis(
                            owner(_ -> true, STORES)
                                    + ": cannot be used"
                                    + text(e).substring(UNUSABLE.length()),
                            "use files in PEM format, or a key store with its password",
                            e);
            case FileNotFoundException e -> missing(text(e), e);
            case NoSuchFileException e -> missing(e.getFile(), e);
            default -> null;
        };
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    private FailureAnalysis port(
            Predicate<String> value, String problem, String remedy, Throwable failure) {
        String owner = owner(value, "server.port", "management.server.port");
        return new FailureAnalysis(owner + ": " + problem, remedy, failure);
    }

    /** Returns the property that has a value, with its place; all if it is none of them. */
    private String owner(Predicate<String> value, String... properties) {
        return Arrays.stream(properties)
                .filter(property -> written(property).filter(value).isPresent())
                .findFirst()
                .map(property -> property + place(property))
                .orElse(String.join(" or ", properties));
    }

    private Optional<String> written(String property) {
        return environment == null
                ? Optional.empty()
                : ConfigurationFiles.written(environment, property)
                        .map(written -> String.valueOf(written.getValue()));
    }

    /** The analysis of a file of TLS that does not exist, null for other files. */
    private @Nullable FailureAnalysis missing(String file, Throwable failure) {
        return environment == null
                ? null
                : StreamSupport.stream(
                                ConfigurationPropertySources.get(environment).spliterator(), false)
                        .filter(IterableConfigurationPropertySource.class::isInstance)
                        .flatMap(all -> ((IterableConfigurationPropertySource) all).stream())
                        .filter(name -> TLS.stream().anyMatch(tls -> tls.isAncestorOf(name)))
                        .map(ConfigurationPropertyName::toString)
                        .filter(
                                name ->
                                        written(name)
                                                .filter(value -> names(value, file))
                                                .isPresent())
                        .findFirst()
                        .map(
                                name ->
                                        of(
                                                name,
                                                "the file does not exist; create it, or correct the"
                                                        + " path",
                                                failure))
                        .orElse(null);
    }

    /** Returns whether a value is the location of a file, which a message may quote. */
    private static boolean names(String value, String file) {
        String path = value.replaceFirst("^(file|classpath):(//)?", "");
        return !path.isEmpty() && file.contains(path);
    }

    private FailureAnalysis of(String property, String problem, Throwable failure) {
        String text = problem.replace(NO_NUMBER, WHOLE_NUMBERS_ONLY);
        return new FailureAnalysis(property + place(property) + ": " + text, null, failure);
    }

    private static FailureAnalysis unknown(
            ConfigurationProperty property, String problem, String remedy, Throwable failure) {
        return new FailureAnalysis(
                property.getName() + place(property.getOrigin()) + ": " + problem, remedy, failure);
    }

    /** Messages of constraints include the remedy. */
    private FailureAnalysis invalid(BindValidationException failure) {
        ObjectError first = failure.getValidationErrors().getAllErrors().getFirst();
        String property = failure.getValidationErrors().getName() + member(first);
        String message = String.valueOf(first.getDefaultMessage());
        String remedy = message.contains("; ") ? null : "correct the value";
        // Boot tells the origin of direct members only.
        String place = place(Origin.from(first));
        return new FailureAnalysis(
                property + (place.isEmpty() ? place(property) : place) + ": " + message,
                remedy,
                failure);
    }

    private static String member(ObjectError error) {
        return error instanceof FieldError field
                ? "." + DataObjectPropertyName.toDashedForm(field.getField())
                : "";
    }

    /** A text in the place of a group is not shown, because it may be that of a secret in it. */
    private FailureAnalysis unreadable(BindException failure) {
        ConfigurationProperty property = failure.getProperty();
        String name = failure.getName().toString();
        String problem =
                property == null || ConfiguredValues.isSecret(name)
                        ? "cannot be read"
                        : "cannot read '" + property.getValue() + "'";
        return new FailureAnalysis(
                name
                        + (property == null ? place(name) : place(property.getOrigin()))
                        + ": "
                        + problem,
                "use " + expected(KnownProperties.element(failure.getTarget().getType())),
                failure);
    }

    private String place(String property) {
        return environment == null
                ? ""
                : ConfigurationFiles.written(environment, property)
                        .map(written -> place(written.getOrigin()))
                        .orElse("");
    }

    /** Returns the file and the line, for values that come from one. */
    private static String place(@Nullable Origin origin) {
        String place = ConfigurationFiles.place(origin);
        return place.isEmpty() ? "" : " (" + place + ")";
    }

    private static String expected(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant -> Names.kebab((Enum<?>) constant))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        if (type.isRecord() && type != DurationRange.class) {
            return Arrays.stream(type.getRecordComponents())
                    .map(member -> DataObjectPropertyName.toDashedForm(member.getName()))
                    .collect(Collectors.joining(", ", "its properties ", ""));
        }
        return EXPECTED.getOrDefault(type, "a value of the type " + type.getSimpleName());
    }
}
