package io.kubemirror.api.http;

import io.kubemirror.model.Extent;
import io.kubemirror.model.ResourceType;

/**
 * The form of a response and the type of its objects.
 *
 * @param type the type of the objects
 * @param extent how much of each object is mirrored
 * @param form the negotiated form
 * @param query the request's query
 * @param indented whether documents are indented (list-watch.md#ne-12)
 */
public record ResponseForm(
        ResourceType type, Extent extent, Representation form, Query query, boolean indented) {}
