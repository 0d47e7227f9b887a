package io.kubemirror.app;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.util.unit.DataUnit;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of the properties under {@code kubemirror} by name, including defaults, and their
 * notation. What operators see excludes the address of the API server and its credentials, because
 * the address may contain a password; the diagnosis shows it without.
 */
final class ConfiguredValues {

    private static final List<String> LEFT_OUT =
            List.of(
                    "kubemirror.upstream.server",
                    "kubemirror.upstream.kubeconfig",
                    "kubemirror.upstream.context",
                    "kubemirror.upstream.etcd.user",
                    "kubemirror.upstream.etcd.password");

    private ConfiguredValues() {}

    /** Returns whether the value of a property must not appear in messages. */
    static boolean isSecret(String property) {
        return LEFT_OUT.contains(property);
    }

    /** The settings by property, in the notation of the configuration. */
    static Map<String, String> of(MirrorProperties properties) {
        Map<String, Object> values = new LinkedHashMap<>();
        add("kubemirror.upstream", properties.upstream(), values);
        add("kubemirror.defaults", properties.defaults(), values);
        add("kubemirror.history", properties.history(), values);
        add("kubemirror.watches", properties.watches(), values);
        add("kubemirror.shutdown", properties.shutdown(), values);
        add("kubemirror.connections", properties.connections(), values);
        addResources(properties, values);
        Map<String, String> effective = new LinkedHashMap<>();
        values.forEach(
                (name, value) -> {
                    if (!text(value).isEmpty() && !isSecret(name)) {
                        effective.put(name, text(value));
                    }
                });
        return effective;
    }

    /**
     * The settings by property after a reload: those that only the start reads are still those of
     * the start.
     */
    static Map<String, String> inForce(MirrorProperties start, MirrorProperties now) {
        Map<String, String> effective = of(now);
        effective.keySet().removeIf(ConfigurationReloader::isFixed);
        of(start).entrySet().stream()
                .filter(setting -> ConfigurationReloader.isFixed(setting.getKey()))
                .forEach(setting -> effective.put(setting.getKey(), setting.getValue()));
        return effective;
    }

    /** All values by property, for comparisons. They include secrets. */
    static Map<String, Object> values(MirrorProperties properties) {
        Map<String, Object> values = new LinkedHashMap<>();
        add("kubemirror", properties, values);
        values.remove("kubemirror.resources");
        addResources(properties, values);
        return values;
    }

    private static void addResources(MirrorProperties properties, Map<String, Object> values) {
        for (int i = 0; i < properties.resources().size(); i++) {
            add("kubemirror.resources[" + i + "]", properties.resources().get(i), values);
        }
    }

    private static void add(String prefix, Record settings, Map<String, Object> values) {
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            Method accessor = component.getAccessor();
            ReflectionUtils.makeAccessible(accessor);
            Object value = ReflectionUtils.invokeMethod(accessor, settings);
            if (value instanceof Record group && !(value instanceof DurationRange)) {
                add(name, group, values);
            } else if (value != null) {
                values.put(name, value);
            }
        }
    }

    private static String size(long bytes) {
        for (DataUnit unit : List.of(DataUnit.GIGABYTES, DataUnit.MEGABYTES, DataUnit.KILOBYTES)) {
            long one = DataSize.of(1, unit).toBytes();
            if (bytes != 0 && bytes % one == 0) {
                return bytes / one + unit.name().substring(0, 1) + "B";
            }
        }
        return bytes + "B";
    }

    /** Returns a value in the notation of the configuration. */
    static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case Duration duration ->
                    DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
            case DurationRange(var shortest, var longest) -> text(shortest) + ".." + text(longest);
            case DataSize size -> size(size.toBytes());
            case Enum<?> constant -> Names.kebab(constant);
            case List<?> list -> String.join(", ", list.stream().map(String::valueOf).toList());
            case Object other -> other.toString();
        };
    }
}
