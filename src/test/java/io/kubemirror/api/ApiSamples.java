package io.kubemirror.api;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.scripted.ServedTypes;

/** Sample types and objects. */
public final class ApiSamples {

    public static final ResourceType PODS = ServedTypes.PODS;
    public static final ResourceType NODES = ServedTypes.NODES;
    public static final ResourceType DEPLOYMENTS = ServedTypes.DEPLOYMENTS;
    public static final ResourceType WIDGETS = type("example.com", "v1", "Widget", "widgets");

    /** A column of widgets that shows a label. */
    public static final PrinterColumn WIDGET_APP =
            new PrinterColumn("App", "string", "", "Whose it is", 1, ".metadata.labels.app");

    private ApiSamples() {}

    /** A type with namespaces and without short names. */
    public static ResourceType type(String group, String version, String kind, String plural) {
        String singular = kind.toLowerCase(Locale.ROOT);
        return new ResourceType(group, version, kind, plural, singular, true, List.of(), List.of());
    }

    private static String json(String namespace, String name, long revision, String app) {
        String place = namespace.isEmpty() ? "" : "\"namespace\":\"" + namespace + "\",";
        String labels = app.isEmpty() ? "" : ",\"labels\":{\"app\":\"" + app + "\"}";
        return "{\"metadata\":{\"name\":\""
                + name
                + "\","
                + place
                + "\"resourceVersion\":\""
                + revision
                + "\""
                + labels
                + "}}";
    }

    /** An object without labels. */
    public static KubeObject object(String namespace, String name, long revision) {
        return object(namespace, name, revision, "");
    }

    /** An object with the label {@code app}, unless that is empty. */
    public static KubeObject object(String namespace, String name, long revision, String app) {
        String json = json(namespace, name, revision, app);
        String digits = Long.toString(revision);
        int version = json.indexOf("\"resourceVersion\":\"") + "\"resourceVersion\":\"".length();
        int metadata = json.indexOf(":{") + 1;
        return new KubeObject(
                ObjectKey.of(namespace, name),
                "uid-of-" + namespace + "-" + name,
                KubeObjects.revision(revision),
                app.isEmpty() ? Map.of() : Map.of("app", app),
                Map.of(),
                json.getBytes(StandardCharsets.UTF_8),
                new KubeObject.Span(metadata, json.length() - 1),
                new KubeObject.Span(version, version + digits.length()));
    }

    /**
     * Fills a mirror with the objects of the golden cases, at revision 110
     * (list-watch.md#examples).
     */
    public static void fillWithGoldenPods(MirrorWriter writer) {
        writer.identify(PODS, DeclaredFields.NONE);
        synchronizeGoldenPods(writer);
    }

    /** Makes the objects of the golden cases the content of a mirror of pods. */
    public static void synchronizeGoldenPods(MirrorWriter writer) {
        synchronize(
                writer,
                110,
                object("a", "x", 103, "v"),
                object("a", "y", 102, "w"),
                object("a-b", "x", 101, "v"));
    }

    /** Fills a mirror. */
    public static void synchronize(MirrorWriter writer, long revision, KubeObject... objects) {
        Resync resync = writer.resync();
        for (KubeObject object : objects) {
            resync.add(object);
        }
        resync.complete(KubeObjects.revision(revision));
    }

    /** Lets an object go. */
    public static void delete(MirrorWriter writer, String namespace, String name, long revision) {
        writer.delete(ObjectKey.of(namespace, name), KubeObjects.revision(revision));
    }
}
