package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.util.unit.DataUnit;

/**
 * The values of the properties under {@code kubemirror} by name, including defaults, and their
 * notation. What operators see excludes the address of the API server and its credentials, because
 * the address may contain a password; the diagnosis shows it without.
 */
public final class ConfiguredValues {

    private static final Pattern SECRET =
            Pattern.compile(
                    "kubemirror\\.upstream\\.(server|kubeconfig|context|.*\\.(user|password))");

    /** What operators see. */
    private static final Pattern SHOWN =
            Pattern.compile(
                    "^kubemirror\\.(upstream|defaults|history|watches|shutdown|connections|resources)\\b");

    private ConfiguredValues() {}

    /** Returns whether the value of a property must not appear in messages. */
    static boolean isSecret(String property) {
        return SECRET.matcher(property).matches();
    }

    /** The settings by property, in the notation of the configuration. */
    public static Map<String, String> of(BoundRecords records) {
        Map<String, String> effective = new LinkedHashMap<>();
        values(records)
                .forEach(
                        (name, value) -> {
                            if (SHOWN.matcher(name).find()
                                    && !text(value).isEmpty()
                                    && !isSecret(name)) {
                                effective.put(name, text(value));
                            }
                        });
        return effective;
    }

    /** All values by property, for comparisons. They include secrets. */
    static Map<String, Object> values(BoundRecords records) {
        Map<String, Object> values = new LinkedHashMap<>();
        records.all()
                .forEach(one -> add(BoundRecords.prefix(one.getClass()).toString(), one, values));
        return values;
    }

    private static void add(String prefix, Record settings, Map<String, Object> values) {
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            Method accessor = component.getAccessor();
            ReflectionUtils.makeAccessible(accessor);
            Object value = ReflectionUtils.invokeMethod(accessor, settings);
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            switch (value) {
                case null -> {}
                case DurationRange range -> values.put(name, range);
                case Record group -> add(name, group, values);
                case List<?> list when list.stream().anyMatch(Record.class::isInstance) ->
                        addElements(name, list, values);
                default -> values.put(name, value);
            }
        }
    }

    private static void addElements(String name, List<?> list, Map<String, Object> values) {
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof Record element) {
                add(name + "[" + i + "]", element, values);
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
    public static String text(@Nullable Object value) {
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
