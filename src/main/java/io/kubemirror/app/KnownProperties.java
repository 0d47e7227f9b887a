package io.kubemirror.app;

import io.kubemirror.model.DurationRange;
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
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** The property names under {@code kubemirror}, derived from the records that they are bound to. */
final class KnownProperties {

    private KnownProperties() {}

    /** The suggestion for a name that does not exist. */
    static String advice(ConfigurationPropertyName unknown) {
        return mistake(unknown).orElse("remove it");
    }

    /**
     * The suggestion for a name that no record has, or that is below a value; empty for other
     * names.
     */
    static Optional<String> mistake(ConfigurationPropertyName name) {
        return mistake(name, KnownProperties::length);
    }

    /** The same for an environment variable, in which a dash may be an underscore. */
    static Optional<String> mistakeInVariable(ConfigurationPropertyName name) {
        return mistake(
                name,
                (member, all, at) ->
                        Math.max(length(member, all, at), lengthOfWords(member, all, at)));
    }

    /** How many elements of a name, from one on, are a member; 0 if they are not. */
    @FunctionalInterface
    private interface Notation {
        int length(String member, ConfigurationPropertyName name, int at);
    }

    private static int length(String member, ConfigurationPropertyName name, int at) {
        return member.replace("-", "").equals(name.getElement(at, Form.UNIFORM)) ? 1 : 0;
    }

    private static int lengthOfWords(String member, ConfigurationPropertyName name, int at) {
        String[] words = member.split("-", -1);
        int n = words.length;
        boolean written =
                at + n <= name.getNumberOfElements()
                        && IntStream.range(0, n)
                                .allMatch(
                                        i ->
                                                words[i].equals(
                                                        name.getElement(at + i, Form.UNIFORM)));
        return written ? n : 0;
    }

    private static Optional<String> mistake(ConfigurationPropertyName name, Notation notation) {
        Class<?> owner = MirrorProperties.class;
        boolean list = false;
        int known = 1;
        while (known < name.getNumberOfElements()) {
            ConfigurationPropertyName parent = name.chop(known);
            String written = name.getElement(known, Form.ORIGINAL);
            if (list && name.isNumericIndex(known)) {
                list = false;
                known++;
                continue;
            }
            if (!isGroup(owner)) {
                return Optional.of(
                        list
                                ? "write a dash (-) before each element of " + parent
                                : parent + " is a single value");
            }
            if (list) {
                String element = parent + "[0]." + written;
                return Optional.of(
                        "did you mean " + element + "? write a dash (-) before each element");
            }
            int at = known;
            RecordComponent member =
                    member(owner, component -> notation.length(component, name, at));
            if (member == null) {
                return Optional.of(advice(parent, written, owner));
            }
            list = member.getType() == List.class;
            owner = element(ResolvableType.forType(member.getGenericType()));
            known += notation.length(name(member), name, at);
        }
        return Optional.empty();
    }

    /** Returns whether a type has members, rather than a notation. */
    private static boolean isGroup(Class<?> type) {
        return type.isRecord() && type != DurationRange.class;
    }

    private static String advice(ConfigurationPropertyName parent, String written, Class<?> owner) {
        List<String> names =
                Arrays.stream(owner.getRecordComponents()).map(KnownProperties::name).toList();
        return Names.nearest(written, names)
                .map(nearest -> "did you mean " + parent + "." + nearest + "?")
                .orElseGet(() -> "use one of " + String.join(", ", names) + " or remove it");
    }

    /** Returns the longest member: resource-version rather than resource. */
    private static @Nullable RecordComponent member(
            Class<?> owner, ToIntFunction<String> lengthOf) {
        return Arrays.stream(owner.getRecordComponents())
                .filter(component -> lengthOf.applyAsInt(name(component)) > 0)
                .max(Comparator.comparingInt(component -> lengthOf.applyAsInt(name(component))))
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
