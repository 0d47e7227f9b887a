package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.List;

/** Each value of the chart reaches the objects that it is about. */
class ChartOptionsTest {

    private @TempDir Path directory;
    private Chart chart;

    @BeforeEach
    void open() {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
    }

    private RenderedChart cluster(String yaml) {
        ChartValues values = ChartValues.set("small").mode("cluster");
        ObjectNode tree = values.tree();
        tree.setAll(ChartValues.of(yaml).tree());
        return chart.render(new ChartValues(tree));
    }

    @ParameterizedTest
    @CsvSource({
        "'{}', ghcr.io/kubemirror/kubemirror:0.1.0-SNAPSHOT",
        "'{tag: \"2\"}', ghcr.io/kubemirror/kubemirror:2",
        "'{repository: registry.example/mirror, tag: \"2\"}', registry.example/mirror:2",
        "'{digest: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}',"
                + " ghcr.io/kubemirror/kubemirror:0.1.0-SNAPSHOT@sha256:"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    })
    void image_has_name_tag_and_digest(String image, String reference) {
        assertThat(cluster("{image: " + image + "}").container().path("image").asString())
                .isEqualTo(reference);
    }

    @Test
    void diagnostics_have_a_volume_of_limited_size() {
        RenderedChart rendered =
                cluster(
                        """
                        diagnostics: {volume: {enabled: true, sizeLimit: 3Gi}, recording: 64m}
                        config: {management: {endpoint: {heapdump: {access: unrestricted}}}}
                        """);
        JsonNode container = rendered.container();

        assertThat(named(rendered.podSpec().path("volumes"), "kubemirror-diagnostics"))
                .hasToString(
                        "{\"name\":\"kubemirror-diagnostics\","
                                + "\"emptyDir\":{\"sizeLimit\":\"3Gi\"}}");
        assertThat(named(container.path("volumeMounts"), "kubemirror-diagnostics"))
                .hasToString(
                        "{\"name\":\"kubemirror-diagnostics\",\"mountPath\":\"/diagnostics\"}");
        assertThat(named(container.path("env"), "JDK_JAVA_OPTIONS").path("value").asString())
                .contains(
                        "-XX:HeapDumpPath=/diagnostics -Djava.io.tmpdir=/diagnostics",
                        " -XX:StartFlightRecording:filename=/diagnostics,dumponexit=true,"
                                + "maxsize=64m");
    }

    @Test
    void diagnostics_may_be_on_a_claim() {
        RenderedChart rendered =
                cluster(
                        """
                        diagnostics:
                          volume:
                            enabled: true
                            source: {persistentVolumeClaim: {claimName: dumps}}
                        """);

        assertThat(
                        named(rendered.podSpec().path("volumes"), "kubemirror-diagnostics")
                                .at("/persistentVolumeClaim/claimName")
                                .asString())
                .isEqualTo("dumps");
    }

    @Test
    void diagnostics_are_off_by_default() {
        assertThat(cluster("{}").podSpec().toString())
                .doesNotContain("diagnostics", "HeapDump", "FlightRecord");
    }

    private static JsonNode named(JsonNode all, String name) {
        return all.valueStream()
                .filter(one -> one.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pull_secrets_reach_pods_and_the_test() {
        chart.withHooks();
        RenderedChart rendered = cluster("imagePullSecrets: [{name: registry}]");

        assertThat(rendered.podSpec().at("/imagePullSecrets/0/name").asString())
                .isEqualTo("registry");
        assertThat(rendered.only("Pod").at("/spec/imagePullSecrets/0/name").asString())
                .isEqualTo("registry");
    }

    @ParameterizedTest
    @CsvSource({
        "'{}', mirror-kubemirror, kubemirror",
        "'{nameOverride: pods}', mirror-pods, pods",
        "'{nameOverride: mirror}', mirror, mirror",
        "'{fullnameOverride: reader}', reader, kubemirror"
    })
    void names_can_be_replaced(String values, String name, String label) {
        RenderedChart rendered = cluster(values);

        for (String kind : List.of("Deployment", "Service", "ConfigMap", "ServiceAccount")) {
            assertThat(rendered.only(kind).at("/metadata/name").asString()).isEqualTo(name);
        }
        assertThat(rendered.only("Service").at("/spec/selector/app.kubernetes.io~1name").asString())
                .isEqualTo(label);
        assertThat(rendered.only("ClusterRole").at("/metadata/name").asString())
                .isEqualTo("shop-" + name);
    }

    @Test
    void common_labels_and_annotations_reach_all_objects() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));

        for (ObjectNode manifest : rendered.manifests()) {
            if (!manifest.at("/metadata/name").asString().matches(".*-(extra|more)")) {
                String kind = manifest.path("kind").asString();
                assertThat(manifest.at("/metadata/labels/example.com~1owner").asString())
                        .as(kind)
                        .isEqualTo("shop");
                assertThat(manifest.at("/metadata/annotations/example.com~1contact").asString())
                        .as(kind)
                        .isEqualTo("shop");
            }
        }
        JsonNode pod = rendered.only("Deployment").at("/spec/template/metadata/labels");
        assertThat(pod.path("example.com/owner").asString()).isEqualTo("shop");
        assertThat(rendered.only("Deployment").at("/spec/selector/matchLabels").toString())
                .doesNotContain("example.com");
    }

    /** Common labels cannot change what the chart selects pods by. */
    @Test
    void common_labels_leave_the_labels_of_the_chart_alone() {
        RenderedChart rendered = cluster("commonLabels: {app.kubernetes.io/name: other}");

        assertThat(rendered.only("Deployment").at("/spec/template/metadata/labels"))
                .containsAll(rendered.only("Deployment").at("/spec/selector/matchLabels"));
    }

    @Test
    void annotations_reach_service_and_workload() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));

        assertThat(rendered.only("Service").at("/metadata/annotations").toString())
                .contains("external-dns.alpha.kubernetes.io/hostname");
        assertThat(rendered.only("Deployment").at("/metadata/annotations").toString())
                .contains("example.com/reload");
        assertThat(rendered.only("ServiceAccount").at("/metadata/annotations").toString())
                .contains("example.com/team");
    }

    @Test
    void service_type_and_preference_are_set() {
        JsonNode service =
                chart.render(ChartValues.set("full").mode("cluster")).only("Service").path("spec");

        assertThat(service.path("type").asString()).isEqualTo("LoadBalancer");
        assertThat(service.at("/ports/0/nodePort").asInt()).isEqualTo(30443);
        assertThat(service.path("trafficDistribution").asString()).isEqualTo("PreferClose");
        assertThat(cluster("{}").only("Service").at("/spec/type").asString())
                .isEqualTo("ClusterIP");
        assertThat(cluster("{}").only("Service").path("spec").toString())
                .doesNotContain("nodePort", "trafficDistribution");
    }

    /** Of processes, containers, Services, probes, and monitors. */
    @ParameterizedTest
    @ValueSource(strings = {"node", "cluster"})
    void changed_ports_reach_everything_that_uses_them(String mode) {
        ChartValues values =
                ChartValues.set("small")
                        .mode(mode)
                        .with("/ports", "{\"api\": 9001, \"management\": 9002}")
                        .with("/serviceMonitor", "{\"enabled\": true}");
        RenderedChart rendered = chart.render(values);
        JsonNode container = rendered.container();

        assertThat(YamlTrees.document(rendered.application()).at("/server/port").asInt())
                .isEqualTo(9001);
        assertThat(YamlTrees.document(rendered.application()).at("/management/server/port").asInt())
                .isEqualTo(9002);
        assertThat(port(container, "mirror-api")).isEqualTo(9001);
        assertThat(port(container, "mirror-metrics")).isEqualTo(9002);
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(container.path(probe).at("/httpGet/port").asString())
                    .isEqualTo("mirror-metrics");
        }
        JsonNode service = rendered.only("Service").path("spec");
        assertThat(service.at("/ports/0/targetPort").asString()).isEqualTo("mirror-api");
        assertThat(service.at("/ports/1/targetPort").asString()).isEqualTo("mirror-metrics");
        assertThat(service.at("/ports/1/name"))
                .isEqualTo(rendered.only("ServiceMonitor").at("/spec/endpoints/0/port"));
    }

    private static int port(JsonNode container, String name) {
        return container
                .path("ports")
                .valueStream()
                .filter(port -> port.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .path("containerPort")
                .asInt();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sidecar", "cluster"})
    void open_shift_assigns_the_users_that_are_null(String mode) {
        ChartValues values =
                ChartValues.of(
                        """
                        mode: %s
                        tls: {secretName: a}
                        securityContext: {runAsUser: null, runAsGroup: null}
                        podSecurityContext: {fsGroup: null}
                        """
                                .formatted(mode));
        RenderedChart rendered =
                mode.equals("sidecar")
                        ? Chart.of("example", directory.resolve("example"), "app", "shop")
                                .render(values.under("kubemirror"))
                        : chart.render(values);

        assertThat(rendered.container().path("securityContext").toString())
                .contains("runAsNonRoot")
                .doesNotContain("65532", "null");
        assertThat(rendered.podSpec().path("securityContext").toString())
                .doesNotContain("65532", "null");
    }

    @Test
    void update_strategy_replaces_that_of_the_mode() {
        assertThat(cluster("{}").only("Deployment").at("/spec/strategy").toString())
                .isEqualTo("{\"rollingUpdate\":{\"maxUnavailable\":0,\"maxSurge\":1}}");
        assertThat(
                        cluster("updateStrategy: {type: Recreate}")
                                .only("Deployment")
                                .at("/spec/strategy")
                                .toString())
                .isEqualTo("{\"type\":\"Recreate\"}");
    }

    /** Two pods with the network of one node cannot have the same ports. */
    @Test
    void host_network_replaces_the_pod_of_a_node_after_its_end() {
        ChartValues values = ChartValues.set("small").mode("node").with("/hostNetwork", "true");
        RenderedChart rendered = chart.render(values);

        assertThat(rendered.only("DaemonSet").at("/spec/updateStrategy/rollingUpdate").toString())
                .isEqualTo("{\"maxUnavailable\":1,\"maxSurge\":0}");
        assertThat(rendered.podSpec().path("hostNetwork").asBoolean()).isTrue();
        assertThat(rendered.podSpec().path("dnsPolicy").asString())
                .isEqualTo("ClusterFirstWithHostNet");
        assertThat(cluster("{}").podSpec().path("dnsPolicy").asString()).isEqualTo("ClusterFirst");
        assertThat(cluster("{}").podSpec().has("hostNetwork")).isFalse();
    }

    @Test
    void pod_has_the_containers_and_settings_of_the_values() {
        JsonNode spec = chart.render(ChartValues.set("full").mode("node")).podSpec();

        assertThat(spec.path("terminationGracePeriodSeconds").asInt()).isEqualTo(60);
        assertThat(spec.at("/dnsConfig/options/0/name").asString()).isEqualTo("ndots");
        assertThat(spec.at("/initContainers/0/name").asString()).isEqualTo("prepare");
        assertThat(spec.at("/containers/1/name").asString()).isEqualTo("proxy");
        assertThat(spec.path("volumes").toString()).contains("\"kubeconfig\"");
    }

    @Test
    void mirrors_are_stored_in_a_volume_that_they_do_not_fill() {
        RenderedChart rendered = cluster("persistence: {enabled: true, sizeLimit: 1Gi}");
        String env = rendered.container().path("env").toString();

        assertThat(rendered.podSpec().path("volumes").toString())
                .contains("{\"name\":\"kubemirror-mirrors\",\"emptyDir\":{\"sizeLimit\":\"1Gi\"}}");
        assertThat(rendered.container().path("volumeMounts").toString())
                .contains(
                        "{\"name\":\"kubemirror-mirrors\",\"mountPath\":\"/kubemirror/mirrors\"}");
        assertThat(env)
                .contains(
                        "\"KUBEMIRROR_PERSISTENCE_DIRECTORY\",\"value\":\"/kubemirror/mirrors/files\"")
                .contains("\"KUBEMIRROR_PERSISTENCE_MAXBYTES\",\"value\":\"921MB\"")
                .doesNotContain("KEYFILE");
        assertThat(cluster("{}").container().path("env").toString()).doesNotContain("PERSISTENCE");
    }

    @Test
    void mirrors_are_stored_on_the_node_and_encrypted() {
        RenderedChart rendered =
                cluster(
                        "persistence: {enabled: true, keySecret: mirror-key, volume: {hostPath:"
                                + " {path: /var/lib/kubemirror, type: DirectoryOrCreate}}}");
        String volumes = rendered.podSpec().path("volumes").toString();

        assertThat(volumes)
                .contains("\"hostPath\":{\"path\":\"/var/lib/kubemirror\"")
                .contains("\"secretName\":\"mirror-key\"");
        assertThat(rendered.container().path("env").toString())
                .contains("\"KUBEMIRROR_PERSISTENCE_KEYFILE\",\"value\":\"/kubemirror/key/key\"")
                .doesNotContain("MAXBYTES");
    }

    @Test
    void extra_objects_are_templates() {
        assertThat(chart.render(ChartValues.set("full")).all("ConfigMap"))
                .extracting(object -> object.at("/metadata/name").asString())
                .contains("mirror-extra", "mirror-reader-more");
    }

    @Test
    void disruption_budget_can_name_the_available_replicas() {
        assertThat(
                        cluster("podDisruptionBudget: {minAvailable: 1}")
                                .only("PodDisruptionBudget")
                                .path("spec")
                                .toString())
                .contains("\"minAvailable\":1")
                .doesNotContain("maxUnavailable");
    }

    @Test
    void autoscaler_follows_cpu_and_watches_and_not_the_request() {
        JsonNode metrics =
                chart.render(ChartValues.set("full").mode("cluster"))
                        .only("HorizontalPodAutoscaler")
                        .at("/spec/metrics");

        assertThat(metrics.at("/0/resource/target").toString())
                .isEqualTo("{\"type\":\"AverageValue\",\"averageValue\":\"700m\"}");
        assertThat(metrics.at("/1/pods/metric/name").asString())
                .isEqualTo("kubemirror_watches_open");
        assertThat(metrics.at("/1/pods/target/averageValue").asString()).isEqualTo("4000");
        assertThat(
                        cluster("autoscaling: {enabled: true}")
                                .only("HorizontalPodAutoscaler")
                                .at("/spec/metrics")
                                .size())
                .isEqualTo(1);
    }

    @Test
    void network_policy_restricts_egress_to_peers_and_dns() {
        JsonNode policy =
                chart.render(ChartValues.set("full").mode("cluster"))
                        .only("NetworkPolicy")
                        .path("spec");

        assertThat(policy.path("policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
        assertThat(policy.at("/egress/0/to/0/ipBlock/cidr").asString()).isEqualTo("192.0.2.0/24");
        assertThat(policy.at("/egress/0/ports").findValuesAsString("port"))
                .containsExactly("6443", "2379");
        assertThat(policy.at("/egress/1/ports").findValuesAsString("port"))
                .containsExactly("53", "53");
        assertThat(
                        cluster("networkPolicy: {enabled: true, from: [{podSelector: {}}]}")
                                .only("NetworkPolicy")
                                .path("spec")
                                .toString())
                .contains("[\"Ingress\"]")
                .doesNotContain("egress");
    }

    @Test
    void certificate_is_issued_for_the_names_of_the_service() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));
        JsonNode certificate = rendered.only("Certificate").path("spec");

        assertThat(certificate.path("dnsNames").toString())
                .isEqualTo(
                        "[\"mirror-reader\",\"mirror-reader.shop\",\"mirror-reader.shop.svc\","
                                + "\"mirror-reader.shop.svc.cluster.local\","
                                + "\"mirror.example.com\"]");
        assertThat(rendered.podSpec().path("volumes").findValuesAsString("secretName"))
                .contains(certificate.path("secretName").asString());
        assertThat(rendered.application()).contains("bundle: kubemirror");
    }

    @Test
    void helm_test_reads_the_service_and_is_not_behind_it() {
        chart.withHooks();
        RenderedChart rendered = cluster("{}");
        JsonNode pod = rendered.only("Pod");

        assertThat(pod.at("/metadata/annotations/example.com~1hook").asString()).isEqualTo("test");
        assertThat(pod.at("/spec/containers/0/args").toString())
                .contains("--cacert")
                .contains("https://mirror-kubemirror.shop.svc:8001/readyz");
        assertThat(pod.at("/spec/volumes/0/secret/items").toString()).doesNotContain("tls.key");
        assertThat(pod.at("/metadata/labels/app.kubernetes.io~1name"))
                .isNotEqualTo(
                        rendered.only("Service").at("/spec/selector/app.kubernetes.io~1name"));
        assertThat(
                        chart.render(
                                        ChartValues.of(
                                                "{mode: node, config: {kubemirror:"
                                                        + " {allow-unauthenticated: true}}}"))
                                .only("Pod")
                                .at("/spec/containers/0/args")
                                .toString())
                .contains("http://mirror-kubemirror.shop.svc:8001/readyz")
                .doesNotContain("--cacert");
    }

    @Test
    void own_namespace_is_that_of_the_release() {
        ChartValues values =
                ChartValues.of("resources: [{resource: pods, namespaces: [\"${POD_NAMESPACE}\"]}]");
        RenderedChart rendered = chart.render(values);

        assertThat(rendered.all("ClusterRole")).isEmpty();
        assertThat(rendered.only("Role").at("/metadata/namespace").asString()).isEqualTo("shop");
        assertThat(rendered.application()).contains("- ${POD_NAMESPACE}");
        assertThat(
                        Chart.of("example", directory.resolve("example"), "app", "shop")
                                .render(values.under("kubemirror"))
                                .container()
                                .path("env")
                                .toString())
                .contains("{\"name\":\"POD_NAMESPACE\",\"valueFrom\"");
    }
}
