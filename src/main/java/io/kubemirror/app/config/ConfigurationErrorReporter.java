package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.config.ConfigDataNotFoundException;
import org.springframework.boot.context.config.InvalidConfigDataPropertyException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
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

    /** Boot's words for any other value that it cannot read, before the name of a class. */
    private static final Pattern UNREADABLE = Pattern.compile("Failed to convert to type (.*)");

    /** The beginning of Boot's words for a location, which is in quotes. */
    private static final String NO_LOCATION = "Unable to load config data from ";

    /** The properties that may have it. There is no environment yet. */
    private static final String LOCATIONS =
            "spring.config.import or spring.config.additional-location: ";

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

    private final @Nullable Environment environment;

    /**
     * Creates an instance, for Boot.
     *
     * @param environment has the origins of values, null if it was not read
     */
    public ConfigurationErrorReporter(@Nullable Environment environment) {
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

    public static String line(FailureAnalysis analysis) {
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
            case UnboundConfigurationPropertiesException e -> unbound(e);
            case BindValidationException e -> invalid(e);
            case BindException e -> unreadable(e);
            case ConfigurationFileLoader.MalformedFileException e ->
                    new FailureAnalysis(e.getMessage(), "correct the file", e);
            case InvalidConfigDataPropertyException e -> misplaced(e);
            case JsonParseException e ->
                    new FailureAnalysis(
                            "spring.application.json or SPRING_APPLICATION_JSON: is not JSON",
                            "correct it",
                            e);
            case ConfigDataNotFoundException e ->
                    new FailureAnalysis(
                            e.getReferenceDescription() + ": not found",
                            "create it, or precede the location with optional:",
                            e);
            case IllegalStateException e when message(e).startsWith(NO_LOCATION) -> noLocation(e);
            default -> environment == null ? null : ListenerErrors.analysis(cause, environment);
        };
    }

    private FailureAnalysis misplaced(InvalidConfigDataPropertyException e) {
        String remedy =
                e.getReplacement() == null
                        ? "move it to one without a profile"
                        : "use " + e.getReplacement();
        return unknown(e.getProperty(), "is not possible in this file", remedy, e);
    }

    private static FailureAnalysis noLocation(IllegalStateException e) {
        return new FailureAnalysis(
                LOCATIONS
                        + message(e).substring(NO_LOCATION.length())
                        + " is not the location of a configuration",
                "use a name that ends with .yaml or .properties, or end that of a directory with /",
                e);
    }

    private static String message(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }

    private FailureAnalysis of(String property, String problem, Throwable failure) {
        String text =
                UNREADABLE
                        .matcher(problem.replace(NO_NUMBER, WHOLE_NUMBERS_ONLY))
                        .replaceFirst(type -> "has no such value; " + remedy(type.group(1)));
        return new FailureAnalysis(property + place(property) + ": " + text, null, failure);
    }

    private static String remedy(String type) {
        return ClassUtils.isPresent(type, null)
                ? "use " + expected(ClassUtils.resolveClassName(type, null))
                : "correct it";
    }

    /** An element of a list that follows a missing one. */
    private static FailureAnalysis unbound(UnboundConfigurationPropertiesException failure) {
        return unknown(
                failure.getUnboundProperties().iterator().next(),
                NestedNameCheck.UNKNOWN,
                NestedNameCheck.REMOVE,
                failure);
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
        return environment == null ? "" : place(environment, property);
    }

    /** Returns where a property was written, in parentheses; empty if no source tells. */
    static String place(Environment environment, String property) {
        return ConfigurationFiles.written(environment, property)
                .map(written -> place(written.getOrigin()))
                .orElseGet(() -> placeOfElement(environment, property));
    }

    /** Where an element of a list was written which lacks a property. */
    private static String placeOfElement(Environment environment, String property) {
        int end = property.lastIndexOf("].") + 1;
        return end == 0 ? "" : place(environment, property.substring(0, end));
    }

    /** Returns the file and the line, for values that come from one. */
    static String place(@Nullable Origin origin) {
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
