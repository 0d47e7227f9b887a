package io.kubemirror.model;

import java.util.List;

/**
 * The fields that the definition of a custom resource declares as selectable.
 *
 * @param fields the fields, possibly none
 * @param problem why the definition could not be read, in one line; empty if it could, or if the
 *     type has none
 */
public record DeclaredFields(List<SelectableField> fields, String problem) {

    /** No declared fields. The fields of built-in types are known without a declaration. */
    public static final DeclaredFields NONE = new DeclaredFields(List.of(), "");

    /** Copies the list. */
    public DeclaredFields {
        fields = List.copyOf(fields);
    }

    /** Returns no fields, because the definition could not be read. */
    public static DeclaredFields unknown(String problem) {
        return new DeclaredFields(List.of(), problem);
    }
}
