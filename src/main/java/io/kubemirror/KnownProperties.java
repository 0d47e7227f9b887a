package io.kubemirror;

import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The property names under {@code kubemirror}, derived from the records that they are bound to. */
final class KnownProperties {

    private KnownProperties() {}

    /** The suggestion for a name that does not exist. */
    static String advice(ConfigurationPropertyName unknown) {
        return mistake(unknown).orElse("remove it");
    }

    /** The suggestion for a name that no record has, empty for other names. */
    static Optional<String> mistake(ConfigurationPropertyName name) {
        Class<?> owner = MirrorProperties.class;
        boolean list = false;
        for (int known = 1; known < name.getNumberOfElements() && owner.isRecord(); known++) {
            String written = name.getElement(known, Form.ORIGINAL);
            if (name.isNumericIndex(known) && list) {
                list = false;
                continue;
            }
            if (list) {
                String element = name.chop(known) + "[0]." + written;
                return Optional.of(
                        "did you mean " + element + "? write a dash (-) before each element");
            }
            RecordComponent member = member(owner, name.getElement(known, Form.UNIFORM));
            if (member == null) {
                return Optional.of(advice(name.chop(known), written, owner));
            }
            list = member.getType() == List.class;
            owner = element(ResolvableType.forType(member.getGenericType()));
        }
        return Optional.empty();
    }

    private static String advice(ConfigurationPropertyName parent, String written, Class<?> owner) {
        List<String> names =
                Arrays.stream(owner.getRecordComponents()).map(KnownProperties::name).toList();
        return Names.nearest(written, names)
                .map(nearest -> "did you mean " + parent + "." + nearest + "?")
                .orElseGet(() -> "use one of " + String.join(", ", names) + " or remove it");
    }

    private static @Nullable RecordComponent member(Class<?> owner, String uniform) {
        return Arrays.stream(owner.getRecordComponents())
                .filter(component -> name(component).replace("-", "").equals(uniform))
                .findFirst()
                .orElse(null);
    }

    private static String name(RecordComponent component) {
        return DataObjectPropertyName.toDashedForm(component.getName());
    }

    /** The type itself, or the element type of a list. */
    static Class<?> element(ResolvableType type) {
        return type.toClass() == List.class ? type.getGeneric(0).toClass() : type.toClass();
    }
}
