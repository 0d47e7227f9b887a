package io.kubemirror;

import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration as operators are told it, defaults included. Where the API server is and how to
 * get in are left out: the address may hold a password, and is told elsewhere without.
 */
final class EffectiveSettings {

    private static final List<String> LEFT_OUT =
            List.of(
                    "kubemirror.upstream.server",
                    "kubemirror.upstream.kubeconfig",
                    "kubemirror.upstream.context");

    private EffectiveSettings() {}

    /** The settings by property, as they would be written. */
    static Map<String, String> of(MirrorProperties properties) {
        Map<String, String> told = new LinkedHashMap<>();
        tell("kubemirror.upstream", properties.upstream(), told);
        tell("kubemirror.history", properties.history(), told);
        tell("kubemirror.shutdown", properties.shutdown(), told);
        tell("kubemirror.connections", properties.connections(), told);
        for (int i = 0; i < properties.resources().size(); i++) {
            tell("kubemirror.resources[" + i + "]", properties.resources().get(i), told);
        }
        return told;
    }

    private static void tell(String prefix, Record settings, Map<String, String> told) {
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            String value = text(value(component, settings));
            if (!value.isEmpty() && !LEFT_OUT.contains(name)) {
                told.put(name, value);
            }
        }
    }

    private static @Nullable Object value(RecordComponent component, Record settings) {
        try {
            return component.getAccessor().invoke(settings);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case Duration duration ->
                    DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
            case Enum<?> constant -> Names.kebab(constant);
            case List<?> list -> String.join(", ", list.stream().map(String::valueOf).toList());
            case Object other -> other.toString();
        };
    }
}
