package io.kubemirror.app.config;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;

/**
 * Refuses what Boot would bind as something else than what is written: a number without its
 * fraction, a size without a unit as bytes, nothing for an empty value, and a placeholder without a
 * value as text.
 *
 * <p>Rejected: converters, because Boot tries another one after one that fails.
 */
@Component
final class WrittenValueCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    /** Longer ones do not fit into nanoseconds for long. */
    private static final Duration MAX_DURATION = Duration.ofDays(36_500);

    /** Bytes, for Boot: a size in megabytes would be taken for next to nothing. */
    private static final Pattern NO_UNIT = Pattern.compile("[+-]?\\d+");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    Object result) {
                Object written = written(name, context);
                String problem = written == null ? "" : problem(name, written, result);
                if (!problem.isEmpty()) {
                    throw new InvalidConfigurationPropertyValueException(
                            name.toString(), written, problem);
                }
                return super.onSuccess(name, target, context, result);
            }

            @Override
            public void onFinish(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    @Nullable Object result)
                    throws Exception {
                if (result == null && written(name, context) != null) {
                    throw new InvalidConfigurationPropertyValueException(
                            name.toString(), "", "is empty; set a value, or remove it");
                }
                super.onFinish(name, target, context, result);
            }
        };
    }

    private static @Nullable Object written(ConfigurationPropertyName name, BindContext context) {
        ConfigurationProperty property = context.getConfigurationProperty();
        return property != null && property.getName().equals(name) ? property.getValue() : null;
    }

    /** Returns a problem and the remedy, empty if there is none. */
    private static String problem(ConfigurationPropertyName name, Object written, Object result) {
        if (result instanceof Integer number
                && written instanceof Double fraction
                && fraction != number.doubleValue()) {
            return "is not a whole number; correct it";
        }
        if (!BoundRecords.ROOT.isAncestorOf(name)) {
            return "";
        }
        return switch (result) {
            case Duration time when time.compareTo(MAX_DURATION) > 0 ->
                    "is longer than a century; use a duration such as 75s or 2m";
            case DataSize size
                    when size.toBytes() != 0
                            && NO_UNIT.matcher(written.toString().strip()).matches() ->
                    "has no unit; use a size such as 64MB";
            case String text ->
                    PLACEHOLDER
                            .matcher(text)
                            .results()
                            .map(WrittenValueCheck::unset)
                            .findFirst()
                            .orElse("");
            default -> "";
        };
    }

    private static String unset(MatchResult placeholder) {
        return "has the placeholder %s without a value; set it, or write a default as in ${NAME:default}"
                .formatted(placeholder.group());
    }
}
