package io.kubemirror.pairs;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.scripted.ServedTypes;

/** The types of every row, and their objects, whose values are marked by who hides them. */
final class PairedTypes {

    /** A custom resource with a subresource {@code status} and another version. */
    static final ResourceType VAULTS =
            new ResourceType(
                    "pairs.example.com",
                    "v1",
                    "Vault",
                    "vaults",
                    "vault",
                    true,
                    List.of(),
                    List.of());

    static final List<ResourceType> ALL =
            List.of(ServedTypes.CONFIGMAPS, ServedTypes.SECRETS, VAULTS);

    static final String ANNOTATION = "example.com/";

    static final String DEFINITION =
            """
            {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
              "metadata": {"name": "vaults.pairs.example.com"},
              "spec": {"group": "pairs.example.com", "scope": "Namespaced",
                "names": {"kind": "Vault", "plural": "vaults", "singular": "vault"},
                "versions": [%s, %s]}}
            """
                    .formatted(version("v1", true), version("v2", false));

    private PairedTypes() {}

    private static String version(String name, boolean stored) {
        return """
        {"name": "%s", "served": true, "storage": %s, "subresources": {"status": {}},
          "schema": {"openAPIV3Schema": {"type": "object",
            "x-kubernetes-preserve-unknown-fields": true}}}
        """
                .formatted(name, stored);
    }

    /** The members of a type that hold values. */
    static List<String> members(ResourceType type) {
        return type.equals(VAULTS) ? List.of("spec", "status") : List.of("data");
    }

    /** An object with the marked values. */
    static Manifest object(ResourceType type, String namespace, String name, HiddenValues values) {
        boolean secret = type.equals(ServedTypes.SECRETS);
        String held =
                values.texts().entrySet().stream()
                        .map(value -> entry(value, secret))
                        .collect(Collectors.joining(",", "{", "}"));
        Manifest manifest = Manifests.manifest(type, namespace, name).label("app", "v");
        members(type).forEach(member -> manifest.with("{\"" + member + "\":" + held + "}"));
        values.texts().forEach((part, text) -> manifest.annotation(ANNOTATION + part, "n" + text));
        return manifest;
    }

    private static String entry(Map.Entry<String, String> value, boolean secret) {
        byte[] bytes = value.getValue().getBytes(StandardCharsets.UTF_8);
        String text = secret ? Base64.getEncoder().encodeToString(bytes) : value.getValue();
        return "\"" + value.getKey() + "\":\"" + text + "\"";
    }
}
