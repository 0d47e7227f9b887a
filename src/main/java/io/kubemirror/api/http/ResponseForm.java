package io.kubemirror.api.http;

import io.kubemirror.model.Extent;
import io.kubemirror.model.ResourceType;

/**
 * What a client is shown, and of what.
 *
 * @param type the type of the objects
 * @param extent how much of them is mirrored
 * @param form the form that was chosen
 * @param query the request's query
 * @param indented whether documents are indented (list-watch.md#ne-12)
 */
public record ResponseForm(
        ResourceType type, Extent extent, Representation form, Query query, boolean indented) {}
