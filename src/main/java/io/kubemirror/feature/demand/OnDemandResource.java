package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.ResourceProperties;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

/**
 * An element of {@code kubemirror.resources} whose mirrors start with the first request: one
 * resource, or a pattern for many.
 *
 * @param all the configuration that the element is a part of
 */
record OnDemandResource(ResourceProperties element, MirrorProperties all) {

    boolean isPattern() {
        return element.isPattern();
    }

    /** Returns whether the resource of a path may be meant, as far as its names tell. */
    boolean mayCover(RequestPath.Resource path) {
        return isPattern()
                ? isOfGroup(path.group())
                : element.name().match(path.group(), path.version(), path.plural())
                        != ResourceName.Match.NONE;
    }

    /** Returns whether a pattern is for a type. */
    boolean covers(ResourceType type) {
        boolean secret = type.group().isEmpty() && type.plural().equals("secrets");
        return isOfGroup(type.group())
                && (all.allowSecrets() || !secret)
                && (element.namespaces().isEmpty() || type.namespaced());
    }

    /** Returns how long a mirror may be without requests and watches. */
    Duration idle() {
        return element.idle();
    }

    /** Returns the resource as it is written. */
    String resource() {
        return element.resource();
    }

    /** Returns the mirrors of one resource. */
    List<MirrorDefinition> definitions(ResourceName name) {
        return element.definitions(name, all).stream().map(MirrorDefinition::deferred).toList();
    }

    private boolean isOfGroup(String group) {
        return element.resource().equals("*") || element.resource().substring(2).equals(group);
    }
}
