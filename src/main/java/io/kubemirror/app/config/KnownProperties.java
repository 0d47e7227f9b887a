package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.kube.EditDistance;
import io.kubemirror.model.DurationRange;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The property names under {@code kubemirror}, derived from the records that they are bound to. */
final class KnownProperties {

    private final Node root = new Node();

    /**
     * Joins the names of records.
     *
     * @param types annotated with their prefixes
     */
    KnownProperties(Collection<? extends Class<?>> types) {
        for (Class<?> type : types) {
            ConfigurationPropertyName prefix = BoundRecords.prefix(type);
            Node node = root;
            for (int i = 1; i < prefix.getNumberOfElements(); i++) {
                node = node.member(prefix.getElement(i, Form.DASHED));
            }
            node.add(type);
        }
    }

    /**
     * What is known of a name: a group or a list of groups if it has members, otherwise a value.
     */
    private static final class Node {

        private final Map<String, Node> members = new LinkedHashMap<>();
        private boolean list;

        Node member(String name) {
            return members.computeIfAbsent(name, _ -> new Node());
        }

        void add(Class<?> group) {
            for (RecordComponent component : group.getRecordComponents()) {
                Node member = member(DataObjectPropertyName.toDashedForm(component.getName()));
                member.list = component.getType() == List.class;
                Class<?> type = element(ResolvableType.forType(component.getGenericType()));
                // A range is a notation.
                if (type.isRecord() && type != DurationRange.class) {
                    member.add(type);
                }
            }
        }

        /** Returns the longest member: resource-version rather than resource. */
        @Nullable String longest(ToIntFunction<String> lengthOf) {
            return members.keySet().stream()
                    .filter(name -> lengthOf.applyAsInt(name) > 0)
                    .max(Comparator.comparingInt(lengthOf))
                    .orElse(null);
        }
    }

    /**
     * The suggestion for a name that no record has, or that is below a value; empty for other
     * names.
     */
    Optional<String> mistake(ConfigurationPropertyName name) {
        return mistake(name, KnownProperties::length);
    }

    /** The same for an environment variable, in which a dash may be an underscore. */
    Optional<String> mistakeInVariable(ConfigurationPropertyName name) {
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

    private Optional<String> mistake(ConfigurationPropertyName name, Notation notation) {
        Node owner = root;
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
            if (list || owner.members.isEmpty()) {
                return Optional.of(noMember(parent, written, list, owner.members.isEmpty()));
            }
            int at = known;
            String member = owner.longest(one -> notation.length(one, name, at));
            if (member == null) {
                // In a variable, the rest may be one name.
                String rest = name.subName(known).toString().replace('.', '-');
                return Optional.of(advice(parent, written, rest, owner.members.keySet()));
            }
            owner = owner.member(member);
            list = owner.list;
            known += notation.length(member, name, at);
        }
        return Optional.empty();
    }

    private static String noMember(
            ConfigurationPropertyName parent, String written, boolean list, boolean values) {
        if (!list) {
            return parent + " is a single value";
        }
        return values
                ? "write a dash (-) before each element of " + parent
                : "did you mean %s[0].%s? write a dash (-) before each element"
                        .formatted(parent, written);
    }

    private static String advice(
            ConfigurationPropertyName parent,
            String written,
            String rest,
            Collection<String> names) {
        return EditDistance.nearest(written, names)
                .or(() -> EditDistance.nearest(rest, names))
                .map(nearest -> "did you mean " + parent + "." + nearest + "?")
                .orElseGet(() -> "use one of " + String.join(", ", names) + " or remove it");
    }

    /** The type itself, or the element type of a list. */
    static Class<?> element(ResolvableType type) {
        return type.toClass() == List.class ? type.getGeneric(0).toClass() : type.toClass();
    }
}
