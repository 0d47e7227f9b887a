package io.kubemirror.feature.union;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.ResourceExtension;
import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which resources are shown together.
 *
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings of its own.
 */
@ConfigurationProperties("kubemirror")
record UnionProperties(@DefaultValue List<UnitedResource> resources) implements ResourceExtension {

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation.
     * @param union Whether requests for all namespaces are answered for those in namespaces.
     */
    @ConfigurationPropertiesSource
    record UnitedResource(@DefaultValue("") String resource, @DefaultValue("false") boolean union)
            implements ResourceElement {}

    /** A server without a permission for all namespaces cannot answer for several at once. */
    @Override
    public Optional<Scope> derived(ConfiguredResource resource, List<Scope> parts) {
        if (!resources.get(resource.index()).union()) {
            return Optional.empty();
        }
        resource.refuse(
                "union",
                resource.isDeferred(),
                "is not possible on demand; use start=always, or remove it");
        resource.refuse(
                "union",
                parts.size() < 2,
                "needs two or more namespaces; list them, or remove union");
        resource.refuse(
                "union",
                resource.isAnsweredByServer(),
                "cannot be used with reads other than cache, because the API server cannot"
                        + " answer for several namespaces at once; remove one of them");
        Scope first = parts.getFirst();
        Selection all = new Selection("", first.selection().labels(), first.selection().fields());
        return Optional.of(new Scope(first.resource(), all, first.extent(), /* several= */ true));
    }
}
