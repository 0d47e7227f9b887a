package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.ResourceExtension;
import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.ObjectTransform;

import org.jspecify.annotations.Nullable;
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
record RedactProperties(@DefaultValue List<PartialResource> resources)
        implements ResourceExtension {

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation.
     * @param keepFields Paths of the only members to store of each object, beside its identity.
     * @param dropFields [KEY] Paths of members to remove from each object before it is stored.
     * @param redactFields Paths of members whose values are replaced before an object is stored.
     * @param redactWith What replaces redacted values: hash, or fixed. Default: hash.
     * @param metadataOnly Whether to mirror only the metadata of each object.
     */
    @ConfigurationPropertiesSource
    record PartialResource(
            @DefaultValue("") String resource,
            @DefaultValue List<String> keepFields,
            @DefaultValue List<String> dropFields,
            @DefaultValue List<String> redactFields,
            @Nullable Redaction redactWith,
            @DefaultValue("false") boolean metadataOnly)
            implements ResourceElement {

        StoredFields stored(ConfiguredResource at) {
            at.refuse(
                    "redact-with",
                    redactWith != null && redactFields.isEmpty(),
                    "has no effect without redact-fields; set redact-fields, or remove it");
            StoredFields unredacted =
                    new StoredFields(
                            at.readAll("keep-fields", keepFields, FieldPath::parse),
                            at.readAll("drop-fields", dropFields, PartialResource::droppable));
            StoredFields stored =
                    unredacted.redacting(
                            at.readAll(
                                    "redact-fields",
                                    redactFields,
                                    text -> redactable(unredacted, text)),
                            redactWith == null ? Redaction.HASH : redactWith);
            for (FieldPath redacted : stored.redacted()) {
                at.refuse(
                        "field-selector",
                        at.fieldSelector().fields().contains(redacted.toString()),
                        "shows values of " + redacted + ", which is redacted; remove one of them");
            }
            return stored.withoutCopies(metadataOnly);
        }

        private static FieldPath droppable(String text) {
            FieldPath path = FieldPath.parse(text);
            // Refuses members that every object needs.
            var _ = new StoredFields(List.of(), List.of(path));
            return path;
        }

        private FieldPath redactable(StoredFields stored, String text) {
            FieldPath path = FieldPath.parse(text);
            // Refuses members that every object needs.
            var _ = StoredFields.ALL.redacting(List.of(path), Redaction.FIXED);
            boolean mirrored = !metadataOnly || path.segments().getFirst().equals("metadata");
            if (!mirrored || !stored.isStored(path)) {
                throw new IllegalArgumentException(path + " is not stored");
            }
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
                        : new RedactingTransform(stored),
                element.metadataOnly() ? Extent.METADATA : Extent.WHOLE);
    }

    /** Returns what clients may see of a resource. */
    StoredFields shown(ConfiguredResource resource) {
        PartialResource element = resources.get(resource.index());
        StoredFields stored = element.stored(resource);
        return element.metadataOnly() ? stored.ofMetadata() : stored;
    }
}
