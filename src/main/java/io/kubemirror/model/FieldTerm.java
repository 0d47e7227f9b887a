package io.kubemirror.model;

/**
 * One demand of a field selector.
 *
 * @param field the name of the field
 * @param negated whether the field must have another value
 * @param value the value
 */
record FieldTerm(String field, boolean negated, String value) {

    static final String NAME = "metadata.name";
    static final String NAMESPACE = "metadata.namespace";

    boolean matches(KubeObject object) {
        return hasValue(object) != negated;
    }

    private boolean hasValue(KubeObject object) {
        return switch (field) {
            case NAME -> object.key().isNamed(value);
            case NAMESPACE -> object.key().isIn(value);
            default -> object.fields().getOrDefault(field, "").equals(value);
        };
    }

    /** Whether every object that matches this term is certain to match the other. */
    boolean implies(FieldTerm other) {
        return equals(other)
                || (field.equals(other.field)
                        && !negated
                        && other.negated
                        && !value.equals(other.value));
    }
}
