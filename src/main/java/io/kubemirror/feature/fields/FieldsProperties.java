package io.kubemirror.feature.fields;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.ResourceExtension;
import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.ObjectTransform;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which parts of objects mirrors have.
 *
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings of its own.
 */
@ConfigurationProperties("kubemirror")
record FieldsProperties(@DefaultValue List<PartialResource> resources)
        implements ResourceExtension {

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation.
     * @param keepFields Paths of the only members to store of each object, beside its identity.
     * @param dropFields [KEY] Paths of members to remove from each object before it is stored.
     * @param metadataOnly Whether to mirror only the metadata of each object.
     */
    @ConfigurationPropertiesSource
    record PartialResource(
            @DefaultValue("") String resource,
            @DefaultValue List<String> keepFields,
            @DefaultValue List<String> dropFields,
            @DefaultValue("false") boolean metadataOnly)
            implements ResourceElement {

        StoredFields stored(ConfiguredResource at) {
            return new StoredFields(
                            at.readAll("keep-fields", keepFields, FieldPath::parse),
                            at.readAll("drop-fields", dropFields, PartialResource::droppable))
                    .withoutCopies(metadataOnly);
        }

        /** Returns the property that leaves out more than members of the metadata. */
        private Optional<String> beyondMetadata() {
            if (metadataOnly) {
                return Optional.of("metadata-only");
            }
            if (!keepFields.isEmpty()) {
                return Optional.of("keep-fields");
            }
            return IntStream.range(0, dropFields.size())
                    .filter(i -> !StoredFields.isOfMetadata(FieldPath.parse(dropFields.get(i))))
                    .mapToObj(i -> "drop-fields[" + i + "]")
                    .findFirst();
        }

        private static FieldPath droppable(String text) {
            FieldPath path = FieldPath.parse(text);
            // Refuses members that every object needs.
            var _ = new StoredFields(List.of(), List.of(path));
            return path;
        }
    }

    @Override
    public MirroredPart mirrored(ConfiguredResource resource) {
        PartialResource element = resources.get(resource.index());
        StoredFields stored = element.stored(resource);
        return new MirroredPart(
                stored.equals(StoredFields.ALL)
                        ? ObjectTransform.NONE
                        : new StoredFieldsTransform(stored),
                element.metadataOnly() ? Extent.METADATA : Extent.WHOLE,
                element.beyondMetadata());
    }
}
