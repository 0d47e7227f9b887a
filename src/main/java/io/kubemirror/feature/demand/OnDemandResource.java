package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.ResourceExtension.DeferredResource;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

/**
 * An element of {@code kubemirror.resources} whose mirrors start with the first request: one
 * resource, or a pattern for many.
 *
 * @param resource the resource as configured, or the pattern
 * @param idle how long a mirror may be without requests and watches
 * @param clusterScoped whether a pattern includes types that are not in namespaces
 * @param secrets whether a pattern includes Secrets
 * @param definitions returns the mirrors of one resource
 */
record OnDemandResource(
        String resource,
        Duration idle,
        boolean clusterScoped,
        boolean secrets,
        Function<ResourceName, List<MirrorDefinition>> definitions)
        implements DeferredResource {

    private static final Pattern SYNTAX =
            Pattern.compile(
                    "\\*(\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)?");

    /** Returns whether the name of a resource is meant as a pattern. */
    static boolean isPattern(String resource) {
        return resource.startsWith("*");
    }

    /** Returns whether a pattern is {@code *}, {@code *.}, or {@code *.group}. */
    static boolean isValid(String pattern) {
        return SYNTAX.matcher(pattern).matches();
    }

    @Override
    public boolean isPattern() {
        return isPattern(resource);
    }

    /** Returns whether the resource of a path may be meant, as far as its names tell. */
    boolean mayCover(RequestPath.Resource path) {
        return isPattern()
                ? isOfGroup(path.group())
                : new ResourceName(resource).match(path.group(), path.version(), path.plural())
                        != ResourceName.Match.NONE;
    }

    /** Returns whether a pattern is for a type. */
    boolean covers(ResourceType type) {
        boolean secret = type.group().isEmpty() && type.plural().equals("secrets");
        return isOfGroup(type.group())
                && (secrets || !secret)
                && (clusterScoped || type.namespaced());
    }

    private boolean isOfGroup(String group) {
        return resource.equals("*") || resource.substring(2).equals(group);
    }
}
