package io.kubemirror.app;

import io.kubemirror.api.read.HiddenFields;
import io.kubemirror.feature.redact.RedactingTransform;
import io.kubemirror.feature.redact.StoredFields;
import io.kubemirror.feature.redact.StoredFieldsFilter;
import io.kubemirror.model.ResourceName;
import io.kubemirror.source.DocumentFilter;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import javax.crypto.SecretKey;

/**
 * What elements of {@code kubemirror.resources} hide. If several mirror one resource, all of it is
 * hidden: an answer of the API server does not tell which of them it is about.
 *
 * @param always the mirrors that start with the process
 * @param onDemand the resources on demand
 * @param key the key of hashes
 */
record HiddenResources(
        List<MirrorDefinition> always, List<OnDemandResource> onDemand, SecretKey key)
        implements HiddenFields {

    /** The core group and this one have the same events. */
    private static final String EVENTS = "events";

    static HiddenResources of(BoundRecords records, SecretKey key) {
        return new HiddenResources(
                MirrorDefinition.all(records), MirrorDefinition.onDemand(records), key);
    }

    @Override
    public Optional<DocumentFilter> of(String group, String plural) {
        Stream<MirrorDefinition> started =
                always.stream().filter(one -> isOf(one.scope().resource(), group, plural));
        Stream<MirrorDefinition> demanded =
                onDemand.stream()
                        .filter(one -> one.mayCover(group, plural))
                        .flatMap(one -> definitions(one, plural).stream());
        return Stream.concat(started, demanded)
                .flatMap(HiddenResources::stored)
                .distinct()
                .<DocumentFilter>map(stored -> new StoredFieldsFilter(stored.hashedWith(key)))
                .reduce(BothFilters::new);
    }

    private static List<MirrorDefinition> definitions(OnDemandResource element, String plural) {
        return element.definitions().apply(new ResourceName(plural));
    }

    private static boolean isOf(ResourceName name, String group, String plural) {
        return plural.equals(name.plural()) && (plural.equals(EVENTS) || name.mayBeOf(group));
    }

    private static Stream<StoredFields> stored(MirrorDefinition definition) {
        StoredFields stored =
                definition.settings().transform() instanceof RedactingTransform redacting
                        ? redacting.stored()
                        : StoredFields.ALL;
        StoredFields shown =
                switch (definition.scope().extent()) {
                    case WHOLE -> stored;
                    case METADATA -> stored.ofMetadata();
                };
        return Stream.of(shown).filter(fields -> !fields.equals(StoredFields.ALL));
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
