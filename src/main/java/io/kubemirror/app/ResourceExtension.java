package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.ObjectTransform;

/**
 * What a feature adds to the elements of {@code kubemirror.resources}. It is a record that is bound
 * at {@code kubemirror} and has settings of its own in each element; without the feature, these are
 * unknown properties.
 */
public interface ResourceExtension {

    /** Returns the elements with the settings of the feature. */
    List<? extends ResourceElement> resources();

    /**
     * Returns what mirrors have of the objects of a resource.
     *
     * @throws RuntimeException if there is a mistake in the settings
     */
    default MirroredPart mirrored(ConfiguredResource resource) {
        return MirroredPart.WHOLE;
    }

    /**
     * Returns the resources of an element if the feature creates their mirrors while the process
     * runs; empty if they start with the process.
     */
    default Optional<? extends DeferredResource> deferred(ConfiguredResource resource) {
        return Optional.empty();
    }

    /** One resource, or many, whose mirrors a feature creates while the process runs. */
    interface DeferredResource {

        /** Returns whether the name is a pattern for many resources. */
        boolean isPattern();
    }

    /**
     * What mirrors have of objects.
     *
     * @param transform changes arriving objects
     * @param extent how much of each object arrives
     * @param beyondMetadata the property that leaves out more than members of the metadata, empty
     *     if there is none
     */
    record MirroredPart(ObjectTransform transform, Extent extent, Optional<String> beyondMetadata) {

        /** Objects as they are. */
        public static final MirroredPart WHOLE =
                new MirroredPart(ObjectTransform.NONE, Extent.WHOLE, Optional.empty());

        /** Returns what both leave. */
        MirroredPart and(MirroredPart other) {
            if (equals(WHOLE) || other.equals(WHOLE)) {
                return equals(WHOLE) ? other : this;
            }
            throw new IllegalStateException("two features change the same objects");
        }
    }
}
