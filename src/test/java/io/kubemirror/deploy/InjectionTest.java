package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

/** A policy adds the container to pods that have a label. */
class InjectionTest {

    private @TempDir Path directory;

    /** The chart with injection into pods of namespaces. */
    static RenderedChart render(Path directory, String release, List<String> namespaces) {
        ChartValues values =
                ChartValues.of(
                        """
                        injection: {enabled: true, namespaces: [%s]}
                        resources:
                          - resource: pods
                            namespaces: ["${POD_NAMESPACE}"]
                          - resource: nodes
                          - resource: services
                            namespaces: [office]
                        podMonitor: {enabled: true}
                        """
                                .formatted(String.join(", ", namespaces)));
        return Chart.of("kubemirror", directory, "mirror", release).render(values, "1.36.0");
    }

    @Test
    void policy_selects_new_pods_with_the_label() {
        JsonNode policy =
                render(directory, "tools", List.of("shop", "office"))
                        .only("MutatingAdmissionPolicy")
                        .path("spec");

        assertThat(policy.at("/matchConstraints/namespaceSelector/matchExpressions/0/values"))
                .hasToString("[\"shop\",\"office\"]");
        assertThat(policy.at("/matchConstraints/objectSelector/matchLabels"))
                .hasToString("{\"kubemirror.io/inject\":\"true\"}");
        assertThat(policy.at("/matchConstraints/resourceRules/0/resources"))
                .hasToString("[\"pods\"]");
        assertThat(policy.at("/matchConstraints/resourceRules/0/operations"))
                .hasToString("[\"CREATE\"]");
    }

    @Test
    void binding_puts_the_policy_in_force() {
        RenderedChart rendered = render(directory, "tools", List.of("shop"));

        assertThat(rendered.only("MutatingAdmissionPolicyBinding").at("/spec/policyName"))
                .isEqualTo(rendered.only("MutatingAdmissionPolicy").at("/metadata/name"));
    }

    @Test
    void every_namespace_has_the_configuration_of_the_container() {
        RenderedChart rendered = render(directory, "tools", List.of("shop", "office"));

        assertThat(namespaces(rendered, "ConfigMap")).containsExactly("shop", "office");
        assertThat(namespaces(render(directory.resolve("own"), "tools", List.of()), "ConfigMap"))
                .containsExactly("tools");
    }

    private static List<String> namespaces(RenderedChart rendered, String kind) {
        return rendered.all(kind).stream()
                .map(manifest -> manifest.at("/metadata/namespace").asString())
                .toList();
    }

    @Test
    void service_accounts_read_their_own_namespace_only() {
        RenderedChart rendered = render(directory, "tools", List.of("shop", "office"));

        assertThat(rendered.all("ServiceAccount")).isEmpty();
        assertThat(subjects(rendered.all("RoleBinding").stream()))
                .containsExactlyInAnyOrder(
                        "shop pods-own shop",
                        "office pods-own office",
                        "office services shop,office");
        assertThat(rendered.only("ClusterRoleBinding").path("subjects").size()).isEqualTo(2);
        assertThat(rendered.only("PodMonitor").at("/spec/namespaceSelector/matchNames").toString())
                .isEqualTo("[\"shop\",\"office\"]");
    }

    private static List<String> subjects(Stream<? extends JsonNode> bindings) {
        return bindings.map(
                        binding ->
                                binding.at("/metadata/namespace").asString()
                                        + (binding.at("/roleRef/name").asString().endsWith("-own")
                                                ? " pods-own "
                                                : " services ")
                                        + String.join(
                                                ",",
                                                binding.path("subjects")
                                                        .valueStream()
                                                        .map(InjectionTest::namespace)
                                                        .toList()))
                .toList();
    }

    private static String namespace(JsonNode subject) {
        return subject.path("name").asString().replace("system:serviceaccounts:", "");
    }
}
