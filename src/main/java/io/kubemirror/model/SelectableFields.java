package io.kubemirror.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The fields that field selectors may name for one resource type (list-watch.md#field-selectors,
 * "Supported fields").
 *
 * <p>A selector with another field is rejected with the API server's error, even if the API server
 * supports the field: ignoring it would select too much. Custom resources have the fields that
 * their definition declares and those that are configured.
 */
public final class SelectableFields {

    private final ResourceType type;
    private final List<SelectableField> extracted;
    private final Set<String> labels;
    private final String problem;

    private SelectableFields(
            ResourceType type,
            List<SelectableField> extracted,
            Set<String> labels,
            String problem) {
        this.type = type;
        this.extracted = List.copyOf(extracted);
        this.labels = Set.copyOf(labels);
        this.problem = problem;
    }

    /**
     * Returns the fields of a type.
     *
     * @param extra additional fields; one whose label the type has already is ignored
     */
    public static SelectableFields of(ResourceType type, List<SelectableField> extra) {
        return of(type, DeclaredFields.NONE, extra);
    }

    private static SelectableFields of(
            ResourceType type, DeclaredFields declared, List<SelectableField> extra) {
        Set<String> labels = new HashSet<>(metadata(type));
        List<SelectableField> all = new ArrayList<>(BuiltInFields.of(type));
        all.addAll(declared.fields());
        all.addAll(extra);
        List<SelectableField> extracted = new ArrayList<>();
        for (SelectableField field : all) {
            if (labels.add(field.label()) && !field.sources().isEmpty()) {
                extracted.add(field);
            }
        }
        return new SelectableFields(type, extracted, labels, declared.problem());
    }

    /**
     * Returns the fields of a type whose objects are mirrored to the given extent. With metadata
     * only, the type has no fields but the name and the namespace.
     *
     * @param declared the fields that its definition declares
     * @param extra additional fields; one whose label the type has already is ignored
     * @param extent how much of each object is held
     */
    public static SelectableFields of(
            ResourceType type,
            DeclaredFields declared,
            List<SelectableField> extra,
            Extent extent) {
        return switch (extent) {
            case WHOLE -> of(type, declared, extra);
            case METADATA -> new SelectableFields(type, List.of(), metadata(type), "");
        };
    }

    private static Set<String> metadata(ResourceType type) {
        boolean namespace =
                type.builtIn() ? BuiltInFields.namespaceIsSelectable(type) : type.namespaced();
        return namespace
                ? Set.of(FieldSelector.FieldTerm.NAME, FieldSelector.FieldTerm.NAMESPACE)
                : Set.of(FieldSelector.FieldTerm.NAME);
    }

    /**
     * Returns the fields whose values must be read from each object, for {@link ObjectShape}: all
     * except {@code metadata.name} and {@code metadata.namespace}, which are in the key, and those
     * that never have a value.
     */
    public List<SelectableField> extracted() {
        return extracted;
    }

    /** Returns whether selectors may name the field. */
    public boolean supports(String field) {
        return labels.contains(field);
    }

    /**
     * Returns the API server's message about the first field of the selector, in byte order, that
     * is not supported; empty if all are (list-watch.md#fs-5, #fs-6).
     */
    public Optional<String> objection(FieldSelector selector) {
        return selector.fields().stream()
                .filter(field -> !supports(field))
                .findFirst()
                .map(this::objection);
    }

    private String objection(String field) {
        if (type.groupResource().equals("jobs.batch")) {
            return "field label " + GoString.quote(field) + " not supported for batchv1.Job";
        }
        return type.builtIn() && BuiltInFields.of(type).isEmpty()
                ? GoString.quote(field)
                        + " is not a known field selector: only \"metadata.name\","
                        + " \"metadata.namespace\""
                : "field label not supported: " + field + remedy();
    }

    private String remedy() {
        return problem.isEmpty()
                ? ""
                : "; kubemirror cannot read the definition of "
                        + type.groupResource()
                        + " ("
                        + problem
                        + "): permit it to get customresourcedefinitions.apiextensions.k8s.io, or"
                        + " name the field in kubemirror.resources[].index-fields";
    }
}
