package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.api.read.DocumentFilter;
import io.kubemirror.api.read.ReadPolicy.HiddenFields;
import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.config.BoundRecords;

/**
 * What elements of {@code kubemirror.resources} hide. If several mirror one resource, all of it is
 * hidden: an answer of the API server does not tell which of them it is about.
 *
 * @param parts the elements that hide something
 */
record HiddenResources(List<Part> parts) implements HiddenFields {

    /** What is shown of a resource. */
    private record Part(ConfiguredResource resource, StoredFields shown) {}

    static HiddenResources of(BoundRecords records, SecretKey secret) {
        RedactProperties properties = records.get(RedactProperties.class);
        return new HiddenResources(
                ConfiguredResource.all(records).stream()
                        .map(resource -> new Part(resource, properties.shown(resource)))
                        .filter(part -> !part.shown().equals(StoredFields.ALL))
                        .map(part -> new Part(part.resource(), part.shown().keyed(secret)))
                        .toList());
    }

    @Override
    public Optional<DocumentFilter> of(String group, String plural) {
        return parts.stream()
                .filter(part -> part.resource().mayCover(group, plural))
                .map(Part::shown)
                .distinct()
                .<DocumentFilter>map(StoredFieldsFilter::new)
                .reduce(BothFilters::new);
    }

    /** Shows what both show. */
    private record BothFilters(DocumentFilter one, DocumentFilter other) implements DocumentFilter {

        @Override
        public boolean hidesContent() {
            return one.hidesContent() || other.hidesContent();
        }

        @Override
        public Optional<byte[]> shown(byte[] document) {
            return one.shown(document).flatMap(other::shown);
        }

        @Override
        public Optional<byte[]> refusal(byte[] document) {
            return one.refusal(document).flatMap(other::refusal);
        }
    }
}
