package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import com.marcnuri.helm.LintResult;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.PatternMatchUtils;

import tools.jackson.databind.JsonNode;

/**
 * Tests the chart as Helm renders it: the contents of its three modes, and the values that it
 * refuses.
 */
class ChartTest {

    private @TempDir Path directory;
    private Chart chart;

    @BeforeEach
    void open() {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
    }

    static List<ChartValues> linted() {
        List<ChartValues> all = new ArrayList<>();
        all.add(ChartValues.of("{}"));
        all.add(ChartValues.example("production"));
        for (String mode : List.of("sidecar", "node", "cluster")) {
            all.add(ChartValues.set("small").mode(mode));
            all.add(ChartValues.set("full").mode(mode));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("linted")
    void helm_lint_passes(ChartValues values) {
        LintResult result = chart.lint(values);

        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {} | ServiceAccount ConfigMap ClusterRole ClusterRoleBinding
                    rbac: {create: false} | ServiceAccount ConfigMap
                    resources: [{resource: pods, namespaces: [a, b]}] | ServiceAccount ConfigMap Role Role RoleBinding RoleBinding
                    {mode: cluster, rbac: {create: false}, config: {kubemirror: {access: {authentication: [token-review]}}}} | *Deployment*
                    {mode: node, tls: {secretName: a}, rbac: {create: false}} | *DaemonSet*
                    """)
    void mode_and_permissions_decide_which_objects_there_are(String values, String kinds) {
        String rendered = String.join(" ", chart.render(ChartValues.of(values)).kinds());

        assertThat(rendered).matches(shown -> PatternMatchUtils.simpleMatch(kinds, shown));
    }

    @Test
    void pods_of_a_cluster_are_spread() {
        RenderedChart rendered = chart.render(ChartValues.set("small").mode("cluster"));

        assertThat(rendered.podSpec().at("/topologySpreadConstraints/0/labelSelector/matchLabels"))
                .isEqualTo(rendered.only("Deployment").at("/spec/selector/matchLabels"));
    }

    @Test
    void production_example_requests_the_memory_that_it_may_use() {
        JsonNode resources =
                chart.render(ChartValues.example("production"))
                        .podSpec()
                        .at("/containers/0/resources");

        assertThat(resources.at("/requests/memory")).isEqualTo(resources.at("/limits/memory"));
        assertThat(resources.at("/limits/cpu").isMissingNode()).isTrue();
    }

    @Test
    void roles_grant_only_configured_resources() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));

        assertThat(rules(rendered.only("ClusterRole")))
                .containsExactly(
                        "apps deployments [\"get\",\"list\",\"watch\"]",
                        "example.com widgets [\"get\",\"list\",\"watch\"]",
                        " nodes [\"get\",\"list\",\"watch\"]",
                        "apiextensions.k8s.io customresourcedefinitions [\"get\"]");
        assertThat(rendered.only("ClusterRole").at("/rules/3/resourceNames").toString())
                .isEqualTo("[\"widgets.example.com\"]");
        assertThat(rendered.all("Role"))
                .extracting(role -> role.at("/metadata/namespace").asString(), ChartTest::rules)
                .containsExactlyInAnyOrder(
                        tuple("office", List.of(" pods [\"get\",\"list\",\"watch\"]")),
                        tuple(
                                "shop",
                                List.of(
                                        " pods [\"get\",\"list\",\"watch\"]",
                                        "discovery.k8s.io endpointslices"
                                                + " [\"get\",\"list\",\"watch\"]")));
    }

    /** A rule for all resources would include Secrets and connections to containers. */
    @Test
    void patterns_get_a_rule_for_their_group_or_the_role_view() {
        ChartValues values =
                ChartValues.of(
                        """
                        rbac: {columns: true}
                        resources:
                          - resource: "*.example.com"
                            start: on-demand
                          - resource: "*"
                            start: on-demand
                          - resource: "*."
                            namespaces: [shop]
                            start: on-demand
                        """);
        RenderedChart rendered = chart.render(values);

        assertThat(rules(rendered.only("ClusterRole")))
                .containsExactly("example.com * [\"get\",\"list\",\"watch\"]");
        assertThat(rendered.all("ClusterRoleBinding"))
                .extracting(binding -> binding.at("/roleRef/name").asString())
                .contains("view")
                .hasSize(2);
        assertThat(rendered.only("RoleBinding").at("/roleRef/name").asString()).isEqualTo("view");
        assertThat(rendered.only("RoleBinding").at("/metadata/namespace").asString())
                .isEqualTo("shop");
    }

    @Test
    void resources_in_etcd_get_no_rule() {
        ChartValues values =
                ChartValues.of(
                        """
                        resources:
                          - resource: pods
                          - resource: a.v1.b.c
                            etcd: {prefix: /a/, kind: A}
                          - resource: d.v1.b.c
                            namespaces: [shop]
                            etcd: {prefix: /d/, kind: D}
                        """);
        RenderedChart rendered = chart.render(values);

        assertThat(rules(rendered.only("ClusterRole")))
                .containsExactly(" pods [\"get\",\"list\",\"watch\"]");
        assertThat(rendered.all("Role")).isEmpty();
    }

    private static List<String> rules(JsonNode role) {
        return role.path("rules")
                .valueStream()
                .map(
                        rule ->
                                rule.at("/apiGroups/0").asString()
                                        + " "
                                        + rule.at("/resources/0").asString()
                                        + " "
                                        + rule.path("verbs"))
                .toList();
    }

    @Test
    void permissions_are_bound_to_the_configured_service_account() {
        ChartValues values = ChartValues.of("serviceAccount: {create: false, name: web}");
        RenderedChart rendered = chart.render(values);

        assertThat(rendered.all("ServiceAccount")).isEmpty();
        assertThat(rendered.only("ClusterRoleBinding").path("subjects").toString())
                .isEqualTo(
                        "[{\"kind\":\"ServiceAccount\",\"name\":\"web\",\"namespace\":\"shop\"}]");
    }

    @ParameterizedTest
    @CsvSource({
        "'{authentication: [token-review]}', true",
        "'{authentication: [client-certificate]}', true",
        "'{}', false"
    })
    void auth_delegator_role_is_bound_only_if_access_reviews_are_used(
            String access, boolean granted) {
        ChartValues values =
                ChartValues.of(
                        "{mode: cluster, tls: {secretName: a}, config: {kubemirror: {access: "
                                + access
                                + "}}}");

        assertThat(chart.render(values).all("ClusterRoleBinding"))
                .extracting(binding -> binding.at("/roleRef/name").asString())
                .filteredOn("system:auth-delegator"::equals)
                .hasSize(granted ? 1 : 0);
    }

    @Test
    void secrets_are_mirrored_if_listed_and_allow_secrets_is_set() {
        ChartValues values =
                ChartValues.of(
                        """
                        resources: [{resource: secrets}]
                        config: {kubemirror: {allow-secrets: true}}
                        """);

        assertThat(rules(chart.render(values).only("ClusterRole")))
                .containsExactly(" secrets [\"get\",\"list\",\"watch\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"node", "cluster"})
    void network_policy_admits_only_configured_readers_and_scrapers(String mode) {
        JsonNode ingress =
                chart.render(ChartValues.set("full").mode(mode))
                        .only("NetworkPolicy")
                        .at("/spec/ingress");

        assertThat(ingress.at("/0/from").size()).isEqualTo(2);
        assertThat(ingress.at("/0/ports/0/port").asString()).isEqualTo("mirror-api");
        assertThat(ingress.at("/1/from").size()).isEqualTo(1);
        assertThat(ingress.at("/1/ports/0/port").asString()).isEqualTo("mirror-metrics");
        assertThat(ingress.size()).isEqualTo(2);
    }

    @Test
    void configuration_change_starts_new_pods_of_a_cluster() {
        String checksum = "/spec/template/metadata/annotations/checksum~1kubemirror";
        ChartValues values = ChartValues.set("small").mode("cluster");
        JsonNode before = checksum(values, checksum);

        assertThat(before.asString()).hasSize(64);
        assertThat(checksum(values, checksum)).isEqualTo(before);
        assertThat(checksum(values.with("/resources/0/resource", "\"nodes\""), checksum))
                .isNotEqualTo(before);
    }

    @Test
    void configuration_change_of_a_node_ends_its_process_and_starts_no_new_pods() {
        ChartValues values = ChartValues.set("small").mode("node");
        ChartValues changed = values.with("/resources/0/resource", "\"nodes\"");

        assertThat(checksum(values, "/spec/template"))
                .isEqualTo(checksum(changed, "/spec/template"));
        assertThat(chart.render(values).application()).contains("exit-on-change: true");
    }

    private JsonNode checksum(ChartValues values, String at) {
        return chart.render(values).workload().orElseThrow().at(at);
    }

    @ParameterizedTest
    @ValueSource(strings = {"node", "cluster"})
    void container_runs_with_minimal_privileges(String mode) {
        RenderedChart rendered = chart.render(ChartValues.set("small").mode(mode));
        JsonNode context = rendered.container().path("securityContext");

        assertThat(context.path("runAsNonRoot").asBoolean()).isTrue();
        assertThat(context.path("readOnlyRootFilesystem").asBoolean()).isTrue();
        assertThat(context.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
        assertThat(context.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
        assertThat(context.at("/seccompProfile/type").asString()).isEqualTo("RuntimeDefault");
        assertThat(rendered.podSpec().path("automountServiceAccountToken").asBoolean(true))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "sidecar, @jvm.options -XX:MaxRAMPercentage=80",
        "cluster, @jvm.options @node.options -XX:MaxRAMPercentage=80"
    })
    void jvm_options_extend_those_of_the_image(String mode, String options) {
        ChartValues values =
                ChartValues.of(
                                """
                                javaOptions: -XX:MaxRAMPercentage=80
                                config: {kubemirror: {allow-unauthenticated: true}}
                                """)
                        .mode(mode);
        RenderedChart rendered =
                mode.equals("sidecar")
                        ? example().render(values.under("kubemirror"))
                        : chart.render(values);

        assertThat(
                        rendered.container()
                                .path("env")
                                .valueStream()
                                .filter(each -> each.path("name").asString().startsWith("JDK"))
                                .map(each -> each.path("value").asString()))
                .containsExactly(options);
    }

    @Test
    void application_starts_after_the_sidecar_is_ready() {
        RenderedChart rendered = example().render(ChartValues.of("{}"));
        JsonNode mirror = rendered.container();

        assertThat(rendered.podSpec().path("initContainers").size()).isEqualTo(1);
        assertThat(mirror.path("restartPolicy").asString()).isEqualTo("Always");
        assertThat(mirror.at("/startupProbe/httpGet/path").asString())
                .isEqualTo("/actuator/health/readiness");
        assertThat(mirror.at("/startupProbe/failureThreshold").asInt()).isEqualTo(600);
    }

    @Test
    void application_container_gets_no_service_account_token() {
        RenderedChart rendered = example().render(ChartValues.of("{}"));
        String account = rendered.podSpec().path("serviceAccountName").asString();

        assertThat(rendered.only("RoleBinding").at("/subjects/0/name").asString())
                .isEqualTo(account);
        assertThat(rendered.podSpec().path("automountServiceAccountToken").asBoolean(true))
                .isFalse();
        assertThat(rendered.podSpec().at("/containers/0/volumeMounts").isMissingNode()).isTrue();
        assertThat(rendered.container().at("/volumeMounts").toString())
                .contains("/var/run/secrets/kubernetes.io/serviceaccount");
    }

    @Test
    void pod_monitor_selects_pods_with_a_sidecar() {
        ChartValues monitored = ChartValues.of("podMonitor: {enabled: true}").under("kubemirror");
        RenderedChart rendered = example().render(monitored);

        assertThat(
                        rendered.workload()
                                .orElseThrow()
                                .at("/spec/template/metadata/labels/kubemirror.io~1mirror"))
                .isEqualTo(
                        rendered.only("PodMonitor")
                                .at("/spec/selector/matchLabels/kubemirror.io~1mirror"));
        assertThat(rendered.container().at("/ports/0/name"))
                .isEqualTo(rendered.only("PodMonitor").at("/spec/podMetricsEndpoints/0/port"));
    }

    private Chart example() {
        return Chart.of("example", directory.resolve("example"), "app", "shop");
    }
}
