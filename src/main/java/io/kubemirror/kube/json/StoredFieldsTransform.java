package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.source.ObjectTransform;

import org.jspecify.annotations.Nullable;

/** Lets mirrors store a part of each object (list-watch.md#ca-4). */
public final class StoredFieldsTransform implements ObjectTransform {

    private final StoredFields stored;
    private final MemberTree tree;

    /** Creates a transform that leaves what is stored. */
    public StoredFieldsTransform(StoredFields stored) {
        this.stored = stored;
        this.tree = new MemberTree(stored);
    }

    /** Returns what is stored. */
    public StoredFields stored() {
        return stored;
    }

    @Override
    public KubeObject apply(KubeObject object) {
        ByteRanges ranges = new ByteRanges();
        // The ranges are cut in place.
        byte[] json = object.json().clone();
        int end = new MemberCutter(json, tree, ranges).cut();
        int length = ranges.apply(json, end);
        return new KubeObject(
                object.key(),
                object.uid(),
                object.revision(),
                object.labels(),
                object.fields(),
                Arrays.copyOf(json, length),
                moved(object.metadata(), ranges),
                moved(object.version(), ranges));
    }

    private static KubeObject.Span moved(KubeObject.Span span, ByteRanges ranges) {
        return new KubeObject.Span(ranges.moved(span.start()), ranges.moved(span.end()));
    }

    @Override
    public String text() {
        return stored.text();
    }

    @Override
    public String identity() {
        return stored.kept() + " " + stored.dropped();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredFieldsTransform same && same.stored.equals(stored);
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
