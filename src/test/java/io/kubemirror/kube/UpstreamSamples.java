package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.scripted.ServedTypes;

/** Types, shapes, streams, and clients for the tests of this package. */
final class UpstreamSamples {

    static final ResourceType PODS = ServedTypes.PODS;
    static final ResourceType WIDGETS = ServedTypes.WIDGETS;

    private UpstreamSamples() {}

    /** A client of a server, without credentials. */
    static KubeClient client(String url) {
        return client(url, ClientLimits.usual("1"));
    }

    static KubeClient client(String url, ClientSettings settings) {
        ProcessEnvironment nowhere =
                new ProcessEnvironment(Map.of(), Path.of("nowhere"), Path.of("nowhere"));
        return new KubeClient(new UpstreamSettings(url, null, null), nowhere, settings);
    }

    static ResourceCollection plain(ResourceType type) {
        return new ResourceCollection(type, Selection.everything(), ObjectShape.plain());
    }

    static ResourceCollection pods() {
        return plain(PODS);
    }

    static ResourceCollection podsIn(String namespace) {
        Selection selection =
                new Selection(namespace, LabelSelector.everything(), FieldSelector.everything());
        return new ResourceCollection(PODS, selection, ObjectShape.plain());
    }

    static ResourceCollection podsWith(SelectableField... fields) {
        return new ResourceCollection(
                PODS, Selection.everything(), new ObjectShape(List.of(fields), StoredFields.ALL));
    }

    static ResourceCollection metadataOf(ResourceType type) {
        return new ResourceCollection(
                type, Selection.everything(), ObjectShape.plain(), Extent.METADATA);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    static String text(KubeObject object, KubeObject.Span span) {
        byte[] bytes = Arrays.copyOfRange(object.json(), span.start(), span.end());
        return text(bytes);
    }

    static InputStream stream(String text) {
        return new ByteArrayInputStream(utf8(text));
    }

    /** A stream that breaks after its last byte, as a lost connection does. */
    static InputStream breaking(String before, IOException breakage) {
        InputStream broken =
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw breakage;
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int count) throws IOException {
                        throw breakage;
                    }
                };
        return new SequenceInputStream(stream(before), broken);
    }

    /** A stream that comes in pieces of random size up to the largest, often of a single byte. */
    static InputStream piecemeal(String text, Random random, int largest) {
        return new FilterInputStream(stream(text)) {
            @Override
            public int read(byte[] bytes, int offset, int count) throws IOException {
                return super.read(bytes, offset, Math.min(count, 1 + random.nextInt(largest)));
            }
        };
    }

    /** As it is stored: breaks of lines, which only stand between tokens, are blanks. */
    static String onOneLine(String json) {
        return json.replace('\n', ' ').replace('\r', ' ');
    }
}
