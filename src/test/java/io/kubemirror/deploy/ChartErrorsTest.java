package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/** The chart refuses values by their names and says what to write instead. */
class ChartErrorsTest {

    private @TempDir Path directory;
    private Chart chart;

    @BeforeEach
    void open() {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    /mode | "pod" | at '/mode': value must be one of 'sidecar', 'node', 'cluster'
                    /mode | "node" | mode: node serves other pods: set tls.secretName
                    /mode | "cluster" | or state with config.kubemirror.allow-unauthenticated: true
                    /replica | 2 | additional properties 'replica' not allowed
                    /replicas | "2" | at '/replicas': got string, want integer
                    /image/tag | 1.2 | at '/image/tag': got number, want string
                    /image/tags | "1" | at '/image': additional properties 'tags' not allowed
                    /image/pullPolicy | "Sometimes" | at '/image/pullPolicy'
                    /resources | [] | at '/resources': minItems
                    /resources | [{}] | at '/resources/0': missing property 'resource'
                    /resources | [{"resource": "Pods"}] | resources[0].resource: "Pods" is not the plural of a type in lower case with its group: write pods
                    /resources | [{"resource": "pods", "lable-selector": "a"}] | at '/resources/0': additional properties 'lable-selector'
                    /resources | [{"resource": "pods", "namespaces": ["A"]}] | resources[0].namespaces: "A" is not the name of a namespace; ${POD_NAMESPACE} is that of the pod
                    /resources | [{"resource": "pods", "strategy": "push"}] | at '/resources/0/strategy'
                    /resources | [{"resource": "secrets"}] | remove it, or set config.kubemirror.allow-secrets: true
                    /resources | [{"resource": "secrets.v1."}] | remove it, or set config.kubemirror.allow-secrets: true
                    /config/kubemirror/resources | [] | at '/config/kubemirror/resources'
                    /config/kubemirror/historie | {} | at '/config/kubemirror': additional properties 'historie'
                    /config/kubemirror/history/min-events | 0 | at '/config/kubemirror/history/min-events': minimum
                    /config/kubemirror/upstream/url | "a" | at '/config/kubemirror/upstream': additional properties 'url'
                    /config/kubemirror/connections/max | -1 | at '/config/kubemirror/connections/max': minimum
                    /config/kubemirror/upstream/etcd | {"endpoints": ["http://127.0.0.1:2379"], "acknowledge-no-authorization": true, "password": "p"} | mount a Secret and set password-file
                    /tls | {"secret": "a"} | at '/tls': additional properties 'secret'
                    /ports/api | 0 | at '/ports/api': minimum
                    /ports/api | 8002 | ports.api and ports.management must differ
                    /service/port | 65536 | at '/service/port': maximum
                    /serviceAccount/create | false | serviceAccount.create: false requires serviceAccount.name: name the service account of the pod
                    /rbac/enabled | true | at '/rbac': additional properties 'enabled'
                    /containerResources/request | {} | at '/containerResources': additional properties 'request'
                    /startupSeconds | 0 | at '/startupSeconds': minimum
                    /autoscaling/enable | true | at '/autoscaling': additional properties 'enable'
                    /topologySpreadConstraints | [{"maxSkew": 1}] | at '/topologySpreadConstraints/0': missing properties
                    /networkPolicy/enabled | true | networkPolicy.enabled requires networkPolicy.from: list the peers that may read
                    /podMonitor/interval | "often" | at '/podMonitor/interval'
                    /podLabels/a | 1 | at '/podLabels/a': got number, want string
                    /env | {"A": "b"} | at '/env': got object, want array
                    /resources | {"limits": {"memory": "1Gi"}} | resources lists what is mirrored, such as [{resource: pods}]; set CPU and memory in containerResources
                    /resources | ["pods"] | resources[0]: write it as a map: {resource: pods}
                    /resources | [{"resource": "deployments"}] | resources[0].resource: deployments is not in the core group, and a role for it would grant nothing: write deployments.apps
                    /resources | [{"resource": "pods"}, {"resource": "widgets"}] | resources[1].resource: widgets is not in the core group, and a role for it would grant nothing: write widgets.GROUP with the group that kubectl api-resources shows
                    /config | {"server": {"port": 9001}} | config.server.port: set ports.api instead
                    /config | {"server.port": 9001} | config.server.port: set ports.api instead
                    /config | {"management": {"server": {"port": 9002}}} | config.management.server.port: set ports.management instead
                    /config | {"management": {"server.port": 9002}} | config.management.server.port: set ports.management instead
                    /config | {"management.endpoints.web.base-path": "/"} | config.management.endpoints.web.base-path: remove it
                    /config | {"management": {"server": {"ssl": {"enabled": true}}}} | config.management.server.ssl: remove it, because probes and monitors read http
                    /image/digest | "1234" | at '/image/digest': '1234' does not match pattern
                    /nameOverride | "A" | at '/nameOverride': 'A' does not match pattern
                    /service/type | "ExternalName" | at '/service/type': value must be one of 'ClusterIP', 'NodePort', 'LoadBalancer'
                    /service/trafficDistribution | "Close" | at '/service/trafficDistribution': value must be one of
                    /tls/certificate | {"enabled": true} | tls.certificate.enabled requires tls.certificate.issuerRef: name an issuer of cert-manager
                    /autoscaling | {"enabled": true, "targetCPU": ""} | autoscaling.enabled requires a target: set autoscaling.targetCPU or autoscaling.targetWatches
                    /autoscaling/minReplicas | 9 | autoscaling.minReplicas is 9 and more than autoscaling.maxReplicas: raise maxReplicas
                    /autoscaling/targetCPU | "70%" | at '/autoscaling/targetCPU': '70%' does not match pattern
                    /podDisruptionBudget/minAvailable | "half" | at '/podDisruptionBudget/minAvailable': 'half' does not match pattern
                    /serviceMonitor/enabled | true | serviceMonitor.enabled: mode: sidecar has no Service; set podMonitor.enabled instead
                    /updateStrategy | {"type": "Slow"} | at '/updateStrategy/type': value must be one of
                    /dnsConfig | {"searchs": []} | at '/dnsConfig': additional properties 'searchs'
                    /networkPolicy/toPorts | [] | at '/networkPolicy/toPorts': minItems
                    /unixSocket/mode | "660" | at '/unixSocket/mode': '660' does not match pattern
                    /unixSocket/directory | "run" | at '/unixSocket/directory': 'run' does not match pattern
                    /config | {"kubemirror": {"unix-socket": "/a"}} | at '/config/kubemirror': additional properties 'unix-socket' not allowed
                    /injection/label | "" | at '/injection/label': minLength
                    /injection/enabled | true | injection.enabled requires Kubernetes 1.36 or newer
                    """)
    void invalid_value_is_rejected_by_name(String pointer, String value, String words) {
        ChartValues mistaken = ChartValues.of("{}").with(pointer, value);

        assertThatThrownBy(() -> chart.render(mistaken)).hasMessageContaining(words);
    }

    @Test
    void socket_that_other_pods_cannot_reach_is_rejected() {
        ChartValues mistaken =
                ChartValues.of(
                        """
                        mode: node
                        tls: {secretName: a}
                        unixSocket: {enabled: true}
                        """);

        assertThatThrownBy(() -> chart.render(mistaken))
                .hasMessageContaining(
                        "unixSocket.enabled: other pods cannot reach the socket of mode: node");
    }

    @Test
    void two_monitors_are_rejected() {
        ChartValues mistaken =
                ChartValues.of(
                        """
                        mode: cluster
                        tls: {secretName: a}
                        podMonitor: {enabled: true}
                        serviceMonitor: {enabled: true}
                        """);

        assertThatThrownBy(() -> chart.render(mistaken))
                .hasMessageContaining("would count everything twice: disable one of them");
    }

    @Test
    void resources_without_roles_need_no_group() {
        ChartValues values =
                ChartValues.of("{resources: [{resource: deployments}], rbac: {create: false}}");

        assertThat(chart.render(values).application()).contains("resource: deployments");
    }

    @Test
    void cluster_without_sidecar_support_is_rejected() {
        Chart example = Chart.of("example", directory.resolve("example"), "app", "shop");

        assertThatThrownBy(() -> example.render(ChartValues.of("{}"), "1.28.3"))
                .hasMessageContaining("1.29");
    }
}
