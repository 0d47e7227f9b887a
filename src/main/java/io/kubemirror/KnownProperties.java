package io.kubemirror;

import io.kubemirror.model.Names;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The property names under {@code kubemirror}, derived from the records that they are bound to. */
final class KnownProperties {

    /** Maximum edit distance for a suggestion. */
    private static final int MOST_CORRECTIONS = 3;

    private KnownProperties() {}

    /** The suggestion for a name that does not exist. */
    static String advice(ConfigurationPropertyName unknown) {
        return mistake(unknown).orElse("remove it");
    }

    /** The suggestion for a name that no record has, empty for other names. */
    static Optional<String> mistake(ConfigurationPropertyName name) {
        Class<?> owner = MirrorProperties.class;
        int known = 1;
        while (known < name.getNumberOfElements() && owner.isRecord()) {
            Class<?> member = owner;
            if (!name.isNumericIndex(known)) {
                member = member(owner, name.getElement(known, Form.UNIFORM));
            }
            if (member == null) {
                return Optional.of(
                        advice(name.chop(known), name.getElement(known, Form.ORIGINAL), owner));
            }
            owner = member;
            known++;
        }
        return Optional.empty();
    }

    private static String advice(ConfigurationPropertyName parent, String written, Class<?> owner) {
        List<String> names =
                Arrays.stream(owner.getRecordComponents()).map(KnownProperties::name).toList();
        String nearest =
                names.stream()
                        .min(Comparator.comparingInt(name -> Names.distance(written, name)))
                        .orElseThrow();
        return Names.distance(written, nearest) <= MOST_CORRECTIONS
                ? "did you mean " + parent + "." + nearest + "?"
                : "use one of " + String.join(", ", names) + " or remove it";
    }

    private static @Nullable Class<?> member(Class<?> owner, String uniform) {
        return Arrays.stream(owner.getRecordComponents())
                .filter(component -> name(component).replace("-", "").equals(uniform))
                .map(component -> element(ResolvableType.forType(component.getGenericType())))
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
