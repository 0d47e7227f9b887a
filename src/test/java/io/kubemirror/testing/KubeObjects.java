package io.kubemirror.testing;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

/** Stored objects for tests that do not need the adapter. */
public final class KubeObjects {

    private static final Pattern OBJECT = Pattern.compile("([\\w/-]+)(?::(\\w+))?@(\\d+)");

    private KubeObjects() {}

    /**
     * Objects by the texts of steps in tables: {@code path@revision} or {@code path:uid@revision}.
     */
    public static KubeObject[] objects(List<String> texts) {
        return texts.stream().map(KubeObjects::object).toArray(KubeObject[]::new);
    }

    /** One such object. */
    public static KubeObject object(String text) {
        Matcher parts = OBJECT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(text);
        }
        String uid = Objects.requireNonNullElse(parts.group(2), "uid-" + parts.group(1));
        return object(parts.group(1), uid, Long.parseLong(parts.group(3)), Map.of());
    }

    /** An object without labels whose UID is derived from its path. */
    public static KubeObject object(String path, long revision) {
        return object(path, "uid-" + path, revision, Map.of());
    }

    /** A selection by the texts of its selectors. */
    public static Selection selection(String namespace, String labels, String fields) {
        return Unchecked.call(
                () ->
                        new Selection(
                                namespace,
                                LabelSelectorParser.parse(labels),
                                FieldSelectorParser.parse(fields)));
    }

    /** A revision by its number. */
    public static Revision revision(long number) {
        return new Revision(Long.toString(number));
    }

    /** An object with labels. */
    public static KubeObject object(
            String path, String uid, long revision, Map<String, String> labels) {
        ObjectKey key = new ObjectKey(path);
        StringBuilder json = new StringBuilder("{\"metadata\":{\"name\":\"").append(key.name());
        if (!key.namespace().isEmpty()) {
            json.append("\",\"namespace\":\"").append(key.namespace());
        }
        json.append("\",\"uid\":\"").append(uid).append("\",\"resourceVersion\":\"");
        int version = json.length();
        json.append(revision);
        int versionEnd = json.length();
        json.append("\",\"labels\":{");
        String comma = "";
        for (Map.Entry<String, String> label : labels.entrySet()) {
            json.append(comma)
                    .append('"')
                    .append(label.getKey())
                    .append("\":\"")
                    .append(label.getValue())
                    .append('"');
            comma = ",";
        }
        int metadataEnd = json.append("}}").length();
        json.append('}');
        return new KubeObject(
                key,
                uid,
                revision(revision),
                labels,
                Map.of(),
                json.toString().getBytes(StandardCharsets.UTF_8),
                new KubeObject.Span("{\"metadata\":".length(), metadataEnd),
                new KubeObject.Span(version, versionEnd));
    }
}
