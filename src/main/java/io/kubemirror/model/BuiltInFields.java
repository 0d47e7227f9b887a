package io.kubemirror.model;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The fields beside {@code metadata.*} that the API server supports in field selectors, for each
 * type that has any (list-watch.md#field-selectors, "Supported fields"). They are the same in all
 * versions of a type.
 */
final class BuiltInFields {

    private static final Map<String, List<SelectableField>> FIELDS =
            Map.ofEntries(
                    entry("pods", pod()),
                    entry("events", event("involvedObject", "reportingComponent", "source")),
                    entry(
                            "events.events.k8s.io",
                            event("regarding", "reportingController", "deprecatedSource")),
                    entry("nodes", List.of(orElse("spec.unschedulable", "false"))),
                    entry("namespaces", paths("status.phase")),
                    entry("secrets", paths("type")),
                    entry("services", paths("spec.clusterIP", "spec.type")),
                    entry("replicationcontrollers", List.of(orElse("status.replicas", "0"))),
                    entry("replicasets.apps", List.of(orElse("status.replicas", "0"))),
                    entry(
                            "jobs.batch",
                            List.of(field("status.successful", "0", "status.succeeded"))),
                    entry(
                            "certificatesigningrequests.certificates.k8s.io",
                            paths("spec.signerName")),
                    entry("clustertrustbundles.certificates.k8s.io", paths("spec.signerName")),
                    entry(
                            "podcertificaterequests.certificates.k8s.io",
                            paths("spec.signerName", "spec.podName", "spec.nodeName")),
                    entry("resourceslices.resource.k8s.io", paths("spec.nodeName", "spec.driver")));

    private static final Set<String> WITHOUT_NAMESPACE =
            Set.of(
                    "nodes",
                    "namespaces",
                    "certificatesigningrequests.certificates.k8s.io",
                    "clustertrustbundles.certificates.k8s.io",
                    "podcertificaterequests.certificates.k8s.io",
                    "resourceslices.resource.k8s.io");

    private BuiltInFields() {}

    /** Returns the type's own fields, empty if it has none. */
    static List<SelectableField> of(ResourceType type) {
        return FIELDS.getOrDefault(type.groupResource(), List.of());
    }

    /**
     * Returns whether a selector may name {@code metadata.namespace}. For types without fields of
     * their own it may, even if they have cluster scope.
     */
    static boolean namespaceIsSelectable(ResourceType type) {
        return !WITHOUT_NAMESPACE.contains(type.groupResource());
    }

    private static List<SelectableField> pod() {
        return List.of(
                SelectableField.at("spec.nodeName"),
                field("spec.host", "", "spec.nodeName"),
                SelectableField.at("spec.restartPolicy"),
                SelectableField.at("spec.schedulerName"),
                SelectableField.at("spec.serviceAccountName"),
                orElse("spec.hostNetwork", "false"),
                SelectableField.at("status.phase"),
                SelectableField.at("status.podIP"),
                // The API server accepts this field in selectors, but never gives it a value.
                field("status.podIPs", ""),
                SelectableField.at("status.nominatedNodeName"));
    }

    private static List<SelectableField> event(String object, String reporter, String source) {
        Stream<SelectableField> reference =
                Stream.of(
                                "kind",
                                "namespace",
                                "name",
                                "uid",
                                "apiVersion",
                                "resourceVersion",
                                "fieldPath")
                        .map(member -> SelectableField.at(object + "." + member));
        Stream<SelectableField> own =
                Stream.of(
                        SelectableField.at("reason"),
                        SelectableField.at(reporter),
                        field("source", "", source + ".component", reporter),
                        SelectableField.at("type"));
        return Stream.concat(reference, own).toList();
    }

    private static List<SelectableField> paths(String... paths) {
        return Stream.of(paths).map(SelectableField::at).toList();
    }

    private static SelectableField orElse(String path, String fallback) {
        return field(path, fallback, path);
    }

    private static SelectableField field(String label, String fallback, String... sources) {
        return new SelectableField(
                label, Stream.of(sources).map(FieldPath::parse).toList(), fallback);
    }
}
