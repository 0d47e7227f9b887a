package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.TableCase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the columns of built-in types. */
class TableFileTest {

    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

    /** A star marks what only {@code -o wide} shows. */
    @Test
    void other_types_have_no_built_in_columns() {
        assertThat(TableFile.of("roles.rbac.authorization.k8s.io")).isEmpty();
        assertThat(TableFile.of("horizontalpodautoscalers.autoscaling")).isEmpty();
        assertThat(TableFile.of("pods.example.com")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "pods, '[\"\", \"0/0\", \"\", \"0\", \"<unknown>\", \"<none>\", \"<none>\", \"<none>\","
                + " \"<none>\"]'",
        "services, '[\"\", \"\", \"<none>\", \"<unknown>\", \"<none>\", \"<unknown>\","
                + " \"<none>\"]'",
        "nodes, '[\"\", \"Unknown\", \"<none>\", \"<unknown>\", \"\", \"<none>\", \"<none>\","
                + " \"<unknown>\", \"<unknown>\", \"<unknown>\"]'",
        "namespaces, '[\"\", \"\", \"<unknown>\"]'",
        "configmaps, '[\"\", 0, \"<unknown>\"]'",
        "secrets, '[\"\", \"\", 0, \"<unknown>\"]'",
        "events, '[\"<unknown>\", \"\", \"\", \"\", \"\", \"\", \"\", \"<unknown>\", 1, \"\"]'",
        "deployments.apps, '[\"\", \"0/0\", 0, 0, \"<unknown>\", \"\", \"\", \"\"]'",
        "replicasets.apps, '[\"\", 0, 0, 0, \"<unknown>\", \"\", \"\", \"<none>\"]'",
        "jobs.batch, '[\"\", \"Running\", \"0/1\", \"\", \"<unknown>\", \"\", \"\", \"<none>\"]'",
        "statefulsets.apps, '[\"\", \"0/0\", \"<unknown>\", \"\", \"\"]'",
        "daemonsets.apps, '[\"\", 0, 0, 0, 0, 0, \"<none>\", \"<unknown>\", \"\", \"\","
                + " \"<none>\"]'",
        "cronjobs.batch, '[\"\", \"\", \"<none>\", \"<unset>\", 0, \"<none>\", \"<unknown>\", \"\","
                + " \"\", \"<none>\"]'",
        "serviceaccounts, '[\"\", \"<unknown>\"]'",
        "leases.coordination.k8s.io, '[\"\", \"\", \"<unknown>\"]'",
        "ingresses.networking.k8s.io, '[\"\", \"<none>\", \"*\", \"\", \"80\", \"<unknown>\"]'",
    })
    void bookmark_has_the_cells_of_an_empty_object(String resource, String cells) {
        assertThat(cells(resource, "{'metadata':{'resourceVersion':'1'}}")).hasToString(cells);
    }

    @Test
    void namespaces_config_maps_and_secrets_have_their_cells() {
        assertThat(cells("namespaces", meta("'status':{'phase':'Active'}")))
                .hasToString("[\"x\", \"Active\", \"24h\"]");
        assertThat(cells("configmaps", meta("'data':{'a':'1','b':'2'},'binaryData':{'c':''}")))
                .hasToString("[\"x\", 3, \"24h\"]");
        assertThat(cells("secrets", meta("'type':'Opaque','data':{'password':'aHVzaA=='}")))
                .hasToString("[\"x\", \"Opaque\", 1, \"24h\"]");
    }

    @Test
    void workloads_show_replicas_containers_images_and_selector() {
        String template =
                "'selector':{'matchLabels':{'b':'2','a':'1'},'matchExpressions':["
                    + "{'key':'c','operator':'In','values':['z','y']},"
                    + "{'key':'d','operator':'NotIn','values':['w']},"
                    + "{'key':'e','operator':'Exists'},{'key':'f','operator':'DoesNotExist'}]},"
                    + "'template':{'spec':{'containers':[{'name':'c1','image':'i1'},{'name':'c2','image':'i2'}]}}";
        String selector = "\"c1,c2\", \"i1,i2\", \"a=1,b=2,c in (y,z),d notin (w),e,!f\"]";
        assertThat(
                        cells(
                                "deployments.apps",
                                meta(
                                        "'spec':{'replicas':3,"
                                                + template
                                                + "},'status':{'readyReplicas':1,'updatedReplicas':2,'availableReplicas':1}")))
                .hasToString("[\"x\", \"1/3\", 2, 1, \"24h\", " + selector);
        assertThat(
                        cells(
                                "replicasets.apps",
                                meta(
                                        "'spec':{'replicas':3,"
                                                + template
                                                + "},'status':{'replicas':2,'readyReplicas':1}")))
                .hasToString("[\"x\", 3, 2, 1, \"24h\", " + selector);
    }

    /** The cells of a Kubernetes 1.36 API server. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "statefulsets.apps | 'spec':{'replicas':3},'status':{'readyReplicas':1} |"
                        + " [\"x\", \"1/3\", \"24h\", \"\", \"\"]",
                "daemonsets.apps |"
                    + " 'spec':{'selector':{'matchLabels':{'a':'1'}},'template':{'spec':{'nodeSelector':{'z':'1','b':'2'}}}},'status':{'desiredNumberScheduled':5,'currentNumberScheduled':4,'numberReady':3,'updatedNumberScheduled':2,'numberAvailable':1}"
                    + " | [\"x\", 5, 4, 3, 2, 1, \"b=2,z=1\", \"24h\", \"\", \"\", \"a=1\"]",
                "cronjobs.batch | 'spec':{'schedule':'* * * *"
                    + " *','timeZone':'Etc/UTC','suspend':true,"
                    + "'jobTemplate':{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}}}},'status':{'active':[{},{}],'lastScheduleTime':'2026-01-01T23:59:00Z'}"
                    + " | [\"x\", \"* * * * *\", \"Etc/UTC\", \"True\", 2, \"60s\", \"24h\", \"c\","
                    + " \"i\", \"<none>\"]",
                "cronjobs.batch | 'spec':{'suspend':false} | [\"x\", \"\", \"<none>\", \"False\","
                        + " 0, \"<none>\", \"24h\", \"\", \"\", \"<none>\"]",
                "leases.coordination.k8s.io | 'spec':{'holderIdentity':'h'} | [\"x\", \"h\","
                        + " \"24h\"]",
                "ingresses.networking.k8s.io | 'spec':{'ingressClassName':'c','tls':[{}],'rules':["
                    + "{'host':'a'},{'host':'b'},{},{'host':'c'},{}]},'status':{'loadBalancer':{'ingress':[{'hostname':'lb'},{'ip':'127.0.0.9'}]}}"
                    + " | [\"x\", \"c\", \"a,b,c + 2 more...\", \"127.0.0.9,lb\", \"80, 443\","
                    + " \"24h\"]",
            })
    void workloads_and_ingresses_have_their_cells(String resource, String members, String cells) {
        assertThat(cells(resource, meta(members))).hasToString(cells);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'spec':{'completions':3},'status':{'succeeded':1,'startTime':'2026-01-01T23:59:00Z'}"
                    + " | Running 1/3 60s",
                "'spec':{'parallelism':2},'status':{} | Running '0/1 of 2' ''",
                "'spec':{'parallelism':1},'status':{'succeeded':1,'startTime':'2026-01-01T20:00:00Z','completionTime':'2026-01-01T20:05:00Z','conditions':[{'type':'Complete','status':'True'}]}"
                    + " | Complete 1/1 5m",
                "'status':{'conditions':[{'type':'Failed','status':'True'}]} | Failed 0/1 ''",
                "'status':{'conditions':[{'type':'Failed','status':'False'},{'type':'Suspended','status':'True'}]}"
                    + " | Suspended 0/1 ''",
                "'status':{'conditions':[{'type':'FailureTarget','status':'True'}]} | FailureTarget"
                        + " 0/1 ''",
            },
            quoteCharacter = '`')
    void job_shows_status_completions_and_duration(String members, String shown) {
        List<JsonNode> cells = cells("jobs.batch", meta(members));
        String text =
                cells.subList(1, 4).stream()
                        .map(JsonNode::asString)
                        .map(cell -> cell.isEmpty() || cell.contains(" ") ? "'" + cell + "'" : cell)
                        .collect(Collectors.joining(" "));
        assertThat(text).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'type':'ClusterIP','clusterIPs':['10.0.0.1','fd::1'],'ports':[{'port':80,'protocol':'TCP'},{'port':53,'protocol':'UDP','nodePort':30053}]"
                    + " | {} | 10.0.0.1 <none> 80/TCP,53:30053/UDP",
                "'type':'NodePort','clusterIP':'None','externalIPs':['1.1.1.1','2.2.2.2'] | {} |"
                        + " None 1.1.1.1,2.2.2.2 <none>",
                "'type':'LoadBalancer','clusterIP':'10.0.0.2' | {} | 10.0.0.2 <pending> <none>",
                "'type':'LoadBalancer','externalIPs':['9.9.9.9'] |"
                    + " {'ingress':[{'ip':'2.2.2.2'},{'hostname':'a.example.com'},{'ip':'1.1.1.1'}]}"
                    + " | <none> 1.1.1.1,2.2.2.2,a.example.com,9.9.9.9 <none>",
                "'type':'ExternalName','externalName':'db.example.com' | {} | <none> db.example.com"
                        + " <none>",
            })
    void service_shows_addresses_ports_and_selector(String spec, String balancer, String shown) {
        List<JsonNode> cells =
                cells(
                        "services",
                        meta(
                                "'spec':{'selector':{'b':'2','a':'1'},"
                                        + spec
                                        + "},'status':{'loadBalancer':"
                                        + balancer
                                        + "}"));
        assertThat(
                        cells.subList(2, 5).stream()
                                .map(JsonNode::asString)
                                .collect(Collectors.joining(" ")))
                .isEqualTo(shown);
        assertThat(cells.getLast().asString()).isEqualTo("a=1,b=2");
    }

    @Test
    void node_shows_status_roles_and_addresses() {
        String node =
                "{'metadata':{'name':'n','creationTimestamp':'2026-01-01T00:00:00Z','labels':{"
                    + "'node-role.kubernetes.io/worker':'','node-role.kubernetes.io/control-plane':'','kubernetes.io/role':'old','other':'x'}},"
                    + "'spec':{'unschedulable':true},'status':{'conditions':[{'type':'Ready','status':'False'}],"
                    + "'addresses':[{'type':'Hostname','address':'h'},{'type':'InternalIP','address':'10.0.0.1'},{'type':'InternalIP','address':'10.0.0.2'}],"
                    + "'nodeInfo':{'kubeletVersion':'v1.36.0','osImage':'Debian','kernelVersion':'6.1','containerRuntimeVersion':'containerd://2'}}}";
        assertThat(cells("nodes", node))
                .hasToString(
                        "[\"n\", \"NotReady,SchedulingDisabled\", \"control-plane,old,worker\","
                                + " \"24h\", \"v1.36.0\", \"10.0.0.1\", \"<none>\", \"Debian\","
                                + " \"6.1\", \"containerd://2\"]");
    }

    @Test
    void event_of_either_kind_shows_times_and_count() {
        String involved = "'involvedObject':{'kind':'Pod','name':'p','fieldPath':'spec.c'},";
        assertThat(
                        cells(
                                "events",
                                meta(
                                        involved
                                                + "'type':'Normal','reason':'Pulled','message':'"
                                                + " done\\n"
                                                + "','count':4,'source':{'component':'kubelet','host':'n'},"
                                                + "'firstTimestamp':'2026-01-01T00:00:00Z','lastTimestamp':'2026-01-01T23:59:00Z'")))
                .hasToString(
                        "[\"60s\", \"Normal\", \"Pulled\", \"pod/p\", \"spec.c\", \"kubelet, n\","
                                + " \"done\", \"24h\", 4, \"x\"]");
        assertThat(
                        cells(
                                "events",
                                meta(
                                        "'involvedObject':{'kind':'Node'},'reportingComponent':'c','eventTime':'2026-01-01T12:00:00.123456Z',"
                                            + "'series':{'count':9,'lastObservedTime':'2026-01-01T23:59:50.000000Z'}")))
                .hasToString(
                        "[\"10s\", \"\", \"\", \"node\", \"\", \"c\", \"\", \"11h\", 9, \"x\"]");
    }

    /** A whole API server shows the same: TableParityTest compares it. */
    @ParameterizedTest
    @MethodSource("io.kubemirror.testing.TableCase#all")
    void cells_are_those_of_api_server(TableCase one) {
        assertThat(cells(TableFile.of(one.type().groupResource()).orElseThrow(), one.object()))
                .hasToString(one.cells());
    }

    private static String meta(String members) {
        return "{'metadata':{'name':'x','creationTimestamp':'2026-01-01T00:00:00Z'},"
                + members
                + "}";
    }

    private static List<JsonNode> cells(String resource, String object) {
        return cells(format(resource), JsonTrees.parse(object.replace('\'', '"')));
    }

    private static List<JsonNode> cells(TableFormat format, JsonNode object) {
        JsonNode cells = new JsonMapper().valueToTree(format.cells(object, NOW));
        return cells.valueStream().toList();
    }

    private static TableFormat format(String resource) {
        return TableFile.of(resource).orElseThrow();
    }
}
