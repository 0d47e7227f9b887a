package io.kubemirror.feature.demand;

import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.ResourceExtension.DeferredResource;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * An element of {@code kubemirror.resources} whose mirrors start with the first request: one
 * resource, or a pattern for many.
 *
 * @param resource the resource as configured, or the pattern
 * @param idle how long a mirror may be without requests and watches
 * @param scopes which types a pattern matches
 * @param definitions returns the mirrors of one resource
 */
record OnDemandResource(
        String resource,
        Duration idle,
        PatternScope scopes,
        Function<ResourceName, List<MirrorDefinition>> definitions)
        implements DeferredResource {

    private static final Pattern SYNTAX =
            Pattern.compile(
                    "\\*(\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)?");

    /**
     * The types that a pattern is for.
     *
     * @param clusterScoped whether it includes those that are not in namespaces
     * @param secrets whether it includes Secrets
     */
    record PatternScope(boolean clusterScoped, boolean secrets) {}

    /** Returns whether the name of a resource is meant as a pattern. */
    static boolean isPattern(String resource) {
        return resource.startsWith("*");
    }

    @Override
    public boolean isPattern() {
        return isPattern(resource);
    }

    /** Returns whether a pattern is {@code *}, {@code *.}, or {@code *.group}. */
    static boolean isValid(String pattern) {
        return SYNTAX.matcher(pattern).matches();
    }

    @Override
    public boolean mayCover(String group, String plural) {
        if (isPattern()) {
            return resource.equals("*") || resource.substring(2).equals(group);
        }
        return new ResourceName(resource).plural().equals(plural);
    }

    /** Returns whether a pattern is for a type. */
    boolean covers(ResourceType type) {
        boolean secret = type.group().isEmpty() && type.plural().equals("secrets");
        boolean excluded =
                (secret && !scopes.secrets()) || (!type.namespaced() && !scopes.clusterScoped());
        return mayCover(type.group(), type.plural()) && !excluded;
    }
}
