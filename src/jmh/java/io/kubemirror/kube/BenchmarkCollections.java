package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.scripted.ServedTypes;

/**
 * Collections to measure with, as an API server sends them: in {@link #NAMESPACES} namespaces, with
 * {@link #APPS} values of the label {@code app}.
 */
public enum BenchmarkCollections {
    /** Pods of 4.7 KB on {@link #NODES} nodes, of which two thirds run. */
    PODS {
        @Override
        String members(int number, long revision) {
            return onOneLine(POD)
                    .formatted(
                            number,
                            number % NAMESPACES,
                            number,
                            revision,
                            number % APPS,
                            number % NODES,
                            number % 3 == 0 ? "Pending" : "Running");
        }
    },
    /** Config maps of 1 KB. */
    CONFIG_MAPS {
        @Override
        String members(int number, long revision) {
            return onOneLine(CONFIG_MAP)
                    .formatted(
                            number,
                            number % NAMESPACES,
                            number,
                            revision,
                            number % APPS,
                            "a line of configuration\\n".repeat(19));
        }
    };

    /** The number of namespaces, which are called {@code namespace-0} and so on. */
    public static final int NAMESPACES = 20;

    /** The number of values of the label {@code app}: {@code app-0} and so on. */
    public static final int APPS = 200;

    /** The number of nodes, which are called {@code node-0} and so on. */
    public static final int NODES = 500;

    /** The revision of the first object; each further one has the next. */
    public static final long FIRST_REVISION = 1_000_000;

    /** As large as the largest object here is by far. */
    static final int LIMIT = 1 << 20;

    private static final int PAGE = 1_000;

    private static final String CONFIG_MAP =
            """
            "metadata":{"name":"object-%d","namespace":"namespace-%d",
            "uid":"6f1c2b6e-5d0e-4c58-9a3f-%012d","resourceVersion":"%d",
            "creationTimestamp":"2026-01-01T00:00:00Z",
            "labels":{"app":"app-%d","app.kubernetes.io/part-of":"shop"},
            "managedFields":[{"manager":"kubectl-create","operation":"Update","apiVersion":"v1",
            "time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
            "fieldsV1":{"f:data":{".":{},"f:text":{},"f:mode":{}},
            "f:metadata":{"f:labels":{".":{},"f:app":{},"f:app.kubernetes.io/part-of":{}}}}}]},
            "data":{"mode":"plain","text":"%s"}
            """;

    private static final String POD =
            """
            "metadata":{"name":"object-%d","generateName":"object-","namespace":"namespace-%d",
            "uid":"0b5a7f0e-33a4-4a0b-8d0c-%012d","resourceVersion":"%d","generation":1,
            "creationTimestamp":"2026-01-01T00:00:00Z",
            "labels":{"app":"app-%d","app.kubernetes.io/part-of":"shop",
            "pod-template-hash":"6b8d5c7f9","tier":"backend"},
            "annotations":{"example.com/checksum":"1f4b0c6d9e2a7f3b8c5d0e6a9b4c7d2e5f8a1b",
            "example.com/description":"answers the questions of the front end"},
            "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",
            "name":"object-6b8d5c7f9",
            "uid":"3c0d8c52-7f4e-4d5a-b1b8-0f2c2a9d6e11","controller":true,
            "blockOwnerDeletion":true}],
            "managedFields":[{"manager":"kube-controller-manager","operation":"Update",
            "apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
            "fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:example.com/checksum":{},
            "f:example.com/description":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},
            "f:app.kubernetes.io/part-of":{},"f:pod-template-hash":{},"f:tier":{}},
            "f:ownerReferences":{".":{},"k:{\\"uid\\":\\"3c0d8c52-7f4e-4d5a-b1b8-0f2c2a9d6e11\\"}":{
            }}},
            "f:spec":{"f:containers":{"k:{\\"name\\":\\"main\\"}":{".":{},"f:env":{".":{},
            "k:{\\"name\\":\\"LOG_LEVEL\\"}":{".":{},"f:name":{},"f:value":{}},
            "k:{\\"name\\":\\"POD_IP\\"}":{".":{},"f:name":{},"f:valueFrom":{}}},"f:image":{},
            "f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{
            ".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},
            "f:ports":{".":{},"k:{\\"containerPort\\":8080,\\"protocol\\":\\"TCP\\"}":{".":{},
            "f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{
            ".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}}}},
            "f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:serviceAccountName":{},
            "f:terminationGracePeriodSeconds":{}}}},
            {"manager":"kubelet","operation":"Update","apiVersion":"v1",
            "time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{
            "f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:lastTransitionTime":{},
            "f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},
            "f:podIP":{},"f:startTime":{}}},"subresource":"status"}]},
            "spec":{"volumes":[{"name":"kube-api-access-7x2kq","projected":{"sources":[
            {"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
            {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
            {"downwardAPI":{"items":[{"path":"namespace",
            "fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],
            "defaultMode":420}}],
            "containers":[{"name":"main","image":"registry.example.com/shop/backend:1.27.3",
            "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
            "env":[{"name":"LOG_LEVEL","value":"info"},{"name":"POD_IP","valueFrom":{
            "fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}}],
            "resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
            "volumeMounts":[{"name":"kube-api-access-7x2kq","readOnly":true,
            "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],
            "livenessProbe":{"httpGet":{"path":"/livez","port":8080,"scheme":"HTTP"},
            "timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
            "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
            "imagePullPolicy":"IfNotPresent"}],
            "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
            "serviceAccountName":"shop","serviceAccount":"shop","nodeName":"node-%d",
            "securityContext":{},"schedulerName":"default-scheduler",
            "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",
            "effect":"NoExecute","tolerationSeconds":300},
            {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
            "tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,
            "preemptionPolicy":"PreemptLowerPriority"},
            "status":{"phase":"%s","conditions":[
            {"type":"Initialized","status":"True","lastProbeTime":null,
            "lastTransitionTime":"2026-01-01T00:00:01Z"},
            {"type":"Ready","status":"True","lastProbeTime":null,
            "lastTransitionTime":"2026-01-01T00:00:09Z"},
            {"type":"ContainersReady","status":"True","lastProbeTime":null,
            "lastTransitionTime":"2026-01-01T00:00:09Z"},
            {"type":"PodScheduled","status":"True","lastProbeTime":null,
            "lastTransitionTime":"2026-01-01T00:00:00Z"}],
            "hostIP":"10.0.0.17","podIP":"10.1.3.211","podIPs":[{"ip":"10.1.3.211"}],
            "startTime":"2026-01-01T00:00:01Z","containerStatuses":[{"name":"main",
            "state":{"running":{"startedAt":"2026-01-01T00:00:05Z"}},"lastState":{},"ready":true,
            "restartCount":0,"image":"registry.example.com/shop/backend:1.27.3",
            "imageID":"registry.example.com/shop/backend@sha256:1f4b0c6d9e2a7f3b",
            "started":true}],"qosClass":"Burstable"}
            """;

    private static String onOneLine(String json) {
        return json.lines().collect(Collectors.joining());
    }

    /** The members of an object but for {@code kind} and {@code apiVersion}. */
    abstract String members(int number, long revision);

    /** The type of the objects. */
    public ResourceType type() {
        return switch (this) {
            case PODS -> ServedTypes.PODS;
            case CONFIG_MAPS -> ServedTypes.CONFIGMAPS;
        };
    }

    /** The whole collection, of which the usual fields are read. */
    ResourceCollection collection() {
        var fields = SelectableFields.of(type(), List.of()).extracted();
        return new ResourceCollection(
                type(), Selection.everything(), new ObjectShape(fields, StoredFields.ALL));
    }

    /** A page of a list. */
    byte[] page(int first, int count) {
        Revision revision = new Revision(Long.toString(FIRST_REVISION + first + count));
        String meta = "\"metadata\":{\"resourceVersion\":\"%s\"}".formatted(revision);
        String head =
                "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",%s,\"items\":["
                        .formatted(type().kind(), type().apiVersion(), meta);
        return joined(
                head,
                first,
                count,
                number -> "{" + members(number, FIRST_REVISION + number) + "}",
                ",",
                "]}\n");
    }

    /** A watch in which objects are modified. */
    byte[] watch(int count) {
        String head =
                "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\","
                        .formatted(type().kind(), type().apiVersion());
        return joined(
                "",
                0,
                count,
                number -> head + members(number, FIRST_REVISION + number) + "}}\n",
                "",
                "");
    }

    private static byte[] joined(
            String head,
            int first,
            int count,
            IntFunction<String> piece,
            String delimiter,
            String tail) {
        return IntStream.range(first, first + count)
                .mapToObj(piece)
                .collect(Collectors.joining(delimiter, head, tail))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Objects as they are stored. */
    public List<KubeObject> objects(int count) {
        List<KubeObject> objects = new ArrayList<>(count);
        for (int first = 0; first < count; first += PAGE) {
            byte[] page = page(first, Math.min(PAGE, count - first));
            var reader =
                    new ListReader(
                            collection(),
                            new ByteArrayInputStream(page),
                            LIMIT,
                            MemoryBudget.unlimited(),
                            objects::add);
            if (!(reader.read() instanceof Result.Success)) {
                throw new IllegalStateException("no page of a list");
            }
        }
        return objects;
    }
}
