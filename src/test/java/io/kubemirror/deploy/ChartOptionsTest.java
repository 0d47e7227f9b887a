package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.PatternMatchUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Each value of the chart reaches the objects that it is about. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChartOptionsTest {

    private final Chart chart;
    private final Chart example;
    private final Chart hooked;
    private final Map<String, RenderedChart> rendered = new HashMap<>();

    ChartOptionsTest(@TempDir Path directory) {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
        example = Chart.of("example", directory.resolve("example"), "app", "shop");
        hooked = Chart.of("kubemirror", directory.resolve("hooked"), "mirror", "shop").withHooks();
    }

    /** What the pattern does not find is absent; a star stands for any text. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    image of the version of the chart | {} | container | /image | ghcr.io/kubemirror/kubemirror:0.1.0-SNAPSHOT
                    image with a tag | image: {tag: "2"} | container | /image | ghcr.io/kubemirror/kubemirror:2
                    image of another registry | image: {repository: registry.example/mirror, tag: "2"} | container | /image | registry.example/mirror:2
                    image with a digest | image: {digest: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef} | container | /image | ghcr.io/kubemirror/kubemirror:0.1.0-SNAPSHOT@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                    volume of diagnostics has a limited size | diagnostics: {volume: {enabled: true, sizeLimit: 3Gi}} | pod | /volumes/kubemirror-diagnostics/emptyDir | {"sizeLimit":"3Gi"}
                    volume of diagnostics is mounted | diagnostics: {volume: {enabled: true}} | container | /volumeMounts/kubemirror-diagnostics/mountPath | /diagnostics
                    dumps are written to the volume | diagnostics: {volume: {enabled: true}} | container | /env/JDK_JAVA_OPTIONS/value | *-XX:HeapDumpPath=/diagnostics -Djava.io.tmpdir=/diagnostics*
                    recording is written to the volume | diagnostics: {volume: {enabled: true}, recording: 64m} | container | /env/JDK_JAVA_OPTIONS/value | * -XX:StartFlightRecording:filename=/diagnostics,dumponexit=true,maxsize=64m*
                    diagnostics may be on a claim | diagnostics: {volume: {enabled: true, source: {persistentVolumeClaim: {claimName: dumps}}}} | pod | /volumes/kubemirror-diagnostics/persistentVolumeClaim/claimName | dumps
                    annotations reach the service | full cluster | Service | /metadata/annotations | *external-dns.alpha.kubernetes.io/hostname*
                    annotations reach the workload | full cluster | Deployment | /metadata/annotations | *example.com/reload*
                    annotations reach the service account | full cluster | ServiceAccount | /metadata/annotations | *example.com/team*
                    type of the service is set | full cluster | Service | /spec/type | LoadBalancer
                    port of the nodes is set | full cluster | Service | /spec/ports/0/nodePort | 30443
                    preference of the service is set | full cluster | Service | /spec/trafficDistribution | PreferClose
                    service is for the cluster | {} | Service | /spec/type | ClusterIP
                    nodes have no port | {} | Service | /spec/ports/0/nodePort |
                    service has no preference | {} | Service | /spec/trafficDistribution |
                    new pods come before old ones go | {} | Deployment | /spec/strategy | {"rollingUpdate":{"maxUnavailable":0,"maxSurge":1}}
                    update strategy replaces that of the mode | updateStrategy: {type: Recreate} | Deployment | /spec/strategy | {"type":"Recreate"}
                    two pods of one node cannot have the same ports | {mode: node, hostNetwork: true} | DaemonSet | /spec/updateStrategy/rollingUpdate | {"maxUnavailable":1,"maxSurge":0}
                    pod has the network of the node | {mode: node, hostNetwork: true} | pod | /hostNetwork | true
                    pod with the network of the node knows the cluster | {mode: node, hostNetwork: true} | pod | /dnsPolicy | ClusterFirstWithHostNet
                    pod knows the cluster | {} | pod | /dnsPolicy | ClusterFirst
                    pod has its own network | {} | pod | /hostNetwork |
                    grace period is set | full node | pod | /terminationGracePeriodSeconds | 60
                    DNS options are set | full node | pod | /dnsConfig/options/0/name | ndots
                    further init containers are added | full node | pod | /initContainers/0/name | prepare
                    further containers are added | full node | pod | /containers/1/name | proxy
                    further volumes are added | full node | pod | /volumes | *"kubeconfig"*
                    volume of mirrors has a limited size | persistence: {enabled: true, sizeLimit: 1Gi} | pod | /volumes/kubemirror-mirrors/emptyDir | {"sizeLimit":"1Gi"}
                    volume of mirrors is mounted | persistence: {enabled: true, sizeLimit: 1Gi} | container | /volumeMounts/kubemirror-mirrors/mountPath | /kubemirror/mirrors
                    mirrors are stored in the volume | persistence: {enabled: true, sizeLimit: 1Gi} | container | /env/KUBEMIRROR_PERSISTENCE_DIRECTORY/value | /kubemirror/mirrors/files
                    mirrors do not fill the volume | persistence: {enabled: true, sizeLimit: 1Gi} | container | /env/KUBEMIRROR_PERSISTENCE_MAXBYTES/value | 921MB
                    mirrors are not encrypted without a key | persistence: {enabled: true, sizeLimit: 1Gi} | container | /env/KUBEMIRROR_PERSISTENCE_KEYFILE |
                    mirrors are not stored by default | {} | container | /env/KUBEMIRROR_PERSISTENCE_DIRECTORY |
                    mirrors are stored on the node | persistence: {enabled: true, volume: {hostPath: {path: /var/lib/kubemirror, type: DirectoryOrCreate}}} | pod | /volumes/kubemirror-mirrors/hostPath/path | /var/lib/kubemirror
                    mirrors on the node have no limit | persistence: {enabled: true, volume: {hostPath: {path: /var/lib/kubemirror, type: DirectoryOrCreate}}} | container | /env/KUBEMIRROR_PERSISTENCE_MAXBYTES |
                    key of stored mirrors is mounted | persistence: {enabled: true, keySecret: mirror-key} | pod | /volumes | *"secretName":"mirror-key"*
                    stored mirrors are encrypted | persistence: {enabled: true, keySecret: mirror-key} | container | /env/KUBEMIRROR_PERSISTENCE_KEYFILE/value | /kubemirror/key/key
                    disruption budget can name the available replicas | podDisruptionBudget: {minAvailable: 1} | PodDisruptionBudget | /spec/minAvailable | 1
                    disruption budget does not name both | podDisruptionBudget: {minAvailable: 1} | PodDisruptionBudget | /spec/maxUnavailable |
                    autoscaler follows CPU and not the request | full cluster | HorizontalPodAutoscaler | /spec/metrics/0/resource/target | {"type":"AverageValue","averageValue":"700m"}
                    autoscaler follows watches | full cluster | HorizontalPodAutoscaler | /spec/metrics/1/pods/metric/name | kubemirror_watches_open
                    autoscaler has a target of watches | full cluster | HorizontalPodAutoscaler | /spec/metrics/1/pods/target/averageValue | 4000
                    autoscaler follows CPU alone by default | autoscaling: {enabled: true} | HorizontalPodAutoscaler | /spec/metrics/1 |
                    autoscaler controls the replicas | full cluster | Deployment | /spec/replicas |
                    autoscaler scales the workload | full cluster | HorizontalPodAutoscaler | /spec/scaleTargetRef/name | mirror-reader
                    network policy restricts egress | full cluster | NetworkPolicy | /spec/policyTypes | ["Ingress","Egress"]
                    egress is to the API server | full cluster | NetworkPolicy | /spec/egress/0/to/0/ipBlock/cidr | 192.0.2.0/24
                    egress is to the ports of the API server | full cluster | NetworkPolicy | /spec/egress/0/ports/0/port | 6443
                    egress is to the ports of etcd | full cluster | NetworkPolicy | /spec/egress/0/ports/1/port | 2379
                    egress is to no other ports of them | full cluster | NetworkPolicy | /spec/egress/0/ports/2 |
                    egress is to DNS by UDP | full cluster | NetworkPolicy | /spec/egress/1/ports/0/port | 53
                    egress is to DNS by TCP | full cluster | NetworkPolicy | /spec/egress/1/ports/1/port | 53
                    egress is to DNS alone beside | full cluster | NetworkPolicy | /spec/egress/1/ports/2 |
                    network policy restricts ingress only | networkPolicy: {enabled: true, from: [{podSelector: {}}]} | NetworkPolicy | /spec/policyTypes | ["Ingress"]
                    egress is free | networkPolicy: {enabled: true, from: [{podSelector: {}}]} | NetworkPolicy | /spec/egress |
                    certificate is for the names of the service | full cluster | Certificate | /spec/dnsNames | ["mirror-reader","mirror-reader.shop","mirror-reader.shop.svc","mirror-reader.shop.svc.cluster.local","mirror.example.com"]
                    node serves its own pods | mode: node | Service | /spec/internalTrafficPolicy | Local
                    cluster serves all nodes | {} | Service | /spec/internalTrafficPolicy |
                    cluster has two replicas | {} | Deployment | /spec/replicas | 2
                    cluster has a disruption budget | {} | PodDisruptionBudget | /spec/maxUnavailable | 1
                    """)
    void value_reaches_its_object(
            String promise, String values, String owner, String pointer, @Nullable String pattern) {
        JsonNode found = at(owner(cluster(values), owner), pointer);

        assertThat(found.isMissingNode()).as("%s: %s", promise, found).isEqualTo(pattern == null);
        if (pattern != null) {
            String text = found.isContainer() ? found.toString() : found.asString();
            assertThat(text).matches(shown -> PatternMatchUtils.simpleMatch(pattern, shown));
        }
    }

    /** Renders a set of values for a mode, such as {@code full node}, or values for a cluster. */
    private RenderedChart cluster(String values) {
        return rendered.computeIfAbsent(values, _ -> chart.render(values(values)));
    }

    private static ChartValues values(String text) {
        if (text.startsWith("full ")) {
            return ChartValues.set("full").mode(text.substring("full ".length()));
        }
        ObjectNode tree = ChartValues.set("small").mode("cluster").tree();
        tree.setAll(ChartValues.of(text).tree());
        return new ChartValues(tree);
    }

    private static JsonNode owner(RenderedChart rendered, String owner) {
        return switch (owner) {
            case "pod" -> rendered.podSpec();
            case "container" -> rendered.container();
            case String kind -> rendered.only(kind);
        };
    }

    /** What is at a pointer, in which the name of an element may stand for its index. */
    private static JsonNode at(JsonNode owner, String pointer) {
        JsonNode found = owner;
        for (String step : pointer.substring(1).split("/", -1)) {
            found =
                    found.isArray() && !step.matches("\\d+")
                            ? named(found, step)
                            : found.at("/" + step);
        }
        return found;
    }

    private static JsonNode named(JsonNode elements, String name) {
        return elements.valueStream()
                .filter(element -> element.path("name").asString().equals(name))
                .findFirst()
                .orElseGet(MissingNode::getInstance);
    }

    @Test
    void diagnostics_are_off_by_default() {
        assertThat(cluster("{}").podSpec().toString())
                .doesNotContain("diagnostics", "HeapDump", "FlightRecord");
    }

    @Test
    void pull_secrets_reach_pods_and_the_test() {
        RenderedChart rendered = hooked.render(values("imagePullSecrets: [{name: registry}]"));

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
        assertThat(at(container, "/ports/mirror-api/containerPort").asInt()).isEqualTo(9001);
        assertThat(at(container, "/ports/mirror-metrics/containerPort").asInt()).isEqualTo(9002);
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
                        ? example.render(values.under("kubemirror"))
                        : chart.render(values);

        assertThat(rendered.container().path("securityContext").toString())
                .contains("runAsNonRoot")
                .doesNotContain("65532", "null");
        assertThat(rendered.podSpec().path("securityContext").toString())
                .doesNotContain("65532", "null");
    }

    @Test
    void extra_objects_are_templates() {
        assertThat(chart.render(ChartValues.set("full")).all("ConfigMap"))
                .extracting(object -> object.at("/metadata/name").asString())
                .contains("mirror-extra", "mirror-reader-more");
    }

    @Test
    void issued_certificate_is_the_one_that_is_served() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));
        JsonNode certificate = rendered.only("Certificate").path("spec");

        assertThat(rendered.podSpec().path("volumes").findValuesAsString("secretName"))
                .contains(certificate.path("secretName").asString());
        assertThat(rendered.application()).contains("bundle: kubemirror");
    }

    @Test
    void helm_test_reads_the_service_and_is_not_behind_it() {
        RenderedChart rendered = hooked.render(values("{}"));
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
                        hooked.render(
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
        assertThat(example.render(values.under("kubemirror")).container().path("env").toString())
                .contains("{\"name\":\"POD_NAMESPACE\",\"valueFrom\"");
    }
}
