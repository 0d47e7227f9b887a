package io.kubemirror;

import io.kubemirror.kube.UpstreamException;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Recognises mistakes in the exceptions that end a start. */
final class Mistakes {

    private Mistakes() {}

    /** The line about the mistake behind a failure, of its innermost recognisable cause. */
    static Optional<String> in(Throwable failure) {
        Optional<String> innermost = Optional.empty();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Optional<String> found = of(cause);
            innermost = found.isPresent() ? found : innermost;
        }
        return innermost;
    }

    private static Optional<String> of(Throwable cause) {
        return switch (cause) {
            case MistakeException mistake -> Optional.ofNullable(mistake.getMessage());
            case UpstreamException upstream -> Optional.ofNullable(upstream.getMessage());
            case UnboundConfigurationPropertiesException unbound ->
                    Optional.of(unknown(unbound).line());
            case BindValidationException invalid -> Optional.of(invalid(invalid).line());
            case BindException unreadable -> Optional.of(unreadable(unreadable).line());
            case PortInUseException taken -> Optional.of(taken(taken).line());
            default -> Optional.empty();
        };
    }

    private static Mistake unknown(UnboundConfigurationPropertiesException failure) {
        ConfigurationPropertyName name =
                failure.getUnboundProperties().stream()
                        .map(ConfigurationProperty::getName)
                        .findFirst()
                        .orElseThrow();
        return new Mistake(
                name.toString(), "there is no such property", KnownProperties.advice(name));
    }

    private static Mistake invalid(BindValidationException failure) {
        ObjectError first = failure.getValidationErrors().getAllErrors().getFirst();
        String message = String.valueOf(first.getDefaultMessage());
        int remedy = message.indexOf("; ");
        String property = failure.getValidationErrors().getName() + member(first);
        return remedy < 0
                ? new Mistake(property, message, "correct the value")
                : new Mistake(
                        property, message.substring(0, remedy), message.substring(remedy + 2));
    }

    private static String member(ObjectError error) {
        return error instanceof FieldError field
                ? "." + DataObjectPropertyName.toDashedForm(field.getField())
                : "";
    }

    private static Mistake unreadable(BindException failure) {
        ConfigurationProperty property = failure.getProperty();
        String problem =
                property == null ? "cannot be read" : "cannot read '" + property.getValue() + "'";
        return new Mistake(
                failure.getName().toString(),
                problem,
                "write " + expected(single(failure.getTarget().getType())));
    }

    /** The type itself, or that of its elements where it is a list. */
    private static Class<?> single(ResolvableType type) {
        return type.toClass() == List.class ? type.getGeneric(0).toClass() : type.toClass();
    }

    private static String expected(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
                    .map(name -> name.replace('_', '-'))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        if (type == int.class || type == Integer.class) {
            return "a whole number below " + Integer.MAX_VALUE;
        }
        if (type == boolean.class) {
            return "true or false";
        }
        if (type == Duration.class) {
            return "a duration such as 75s or 2m";
        }
        return type == DataSize.class
                ? "a size such as 64MB"
                : "a value of the type " + type.getSimpleName();
    }

    private static Mistake taken(PortInUseException failure) {
        return new Mistake(
                "server.port or management.server.port",
                "port " + failure.getPort() + " is taken",
                "stop what listens there or choose another port");
    }
}
