package io.kubemirror.model;

import java.util.List;

/**
 * The fields that the definition of a custom resource lets clients select by.
 *
 * @param fields the fields, which may be none
 * @param problem why the definition could not be read, in one line; empty if it could, or if the
 *     type has none
 */
public record DeclaredFields(List<SelectableField> fields, String problem) {

    /** No fields: those of a built-in type are not declared but known. */
    public static final DeclaredFields NONE = new DeclaredFields(List.of(), "");

    /** Copies the list. */
    public DeclaredFields {
        fields = List.copyOf(fields);
    }

    /** No fields, because the definition could not be read. */
    public static DeclaredFields unknown(String problem) {
        return new DeclaredFields(List.of(), problem);
    }
}
