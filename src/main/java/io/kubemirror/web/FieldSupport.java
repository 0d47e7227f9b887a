package io.kubemirror.web;

import io.kubemirror.model.ResourceType;

import java.util.Optional;

/** Which fields a field selector may name (FS-5, FS-6). */
@FunctionalInterface
interface FieldSupport {

    /**
     * Why a selector of a type must not name a field.
     *
     * @param type the type of the objects
     * @param field the field's name
     * @return the API server's message, or empty if the field is supported
     */
    Optional<String> objection(ResourceType type, String field);
}
