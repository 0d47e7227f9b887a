package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.kube.json.ByteRanges;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ObjectTransform;

import org.jspecify.annotations.Nullable;

/** Lets mirrors store a part of each object (list-watch.md#ca-4, #ca-4b). */
public final class RedactingTransform implements ObjectTransform {

    private final StoredFields stored;
    private final MemberTree tree;

    /** Creates a transform that leaves what is stored. */
    public RedactingTransform(StoredFields stored) {
        this.stored = stored;
        this.tree = new MemberTree(stored);
    }

    /** Returns what is stored. */
    public StoredFields stored() {
        return stored;
    }

    @Override
    public ObjectTransform keyed(SecretKey secret) {
        return new RedactingTransform(stored.keyed(secret));
    }

    @Override
    public KubeObject apply(KubeObject object) {
        Redactor redactor =
                Redactor.of(stored, object.uid(), object.key().namespace(), object.key().name());
        ByteRanges ranges = new ByteRanges();
        // The ranges are cut in place.
        byte[] json = object.json().clone();
        int end = new MemberCutter(json, tree, ranges).cut();
        int length = ranges.apply(json, end, redactor);
        return new KubeObject(
                object.key(),
                object.uid(),
                object.revision(),
                object.labels(),
                object.fields(),
                Arrays.copyOf(ranges.result(), length),
                moved(object.metadata(), ranges),
                moved(object.version(), ranges));
    }

    private static KubeObject.Span moved(KubeObject.Span span, ByteRanges ranges) {
        return new KubeObject.Span(ranges.moved(span.start()), ranges.moved(span.end()));
    }

    @Override
    public SelectableField selectable(SelectableField field) {
        return new SelectableField(
                field.label(),
                field.sources().stream().filter(path -> !stored.isRedacted(path)).toList(),
                field.fallback());
    }

    /** A redacted value may be the same after a change, which clients see nevertheless. */
    @Override
    public boolean hidesUpdates() {
        return stored.redacted().isEmpty();
    }

    @Override
    public String text() {
        return stored.text();
    }

    @Override
    public String identity() {
        boolean hashed = !stored.redacted().isEmpty() && stored.redaction() == Redaction.HASH;
        return Stream.of(
                        stored.kept(),
                        stored.dropped(),
                        stored.redacted(),
                        stored.redaction(),
                        hashed ? Redactor.identity(stored) : "")
                .map(Object::toString)
                .collect(Collectors.joining(" "));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedactingTransform same && same.stored.equals(stored);
    }

    @Override
    public int hashCode() {
        return stored.hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
