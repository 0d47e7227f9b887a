package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.TableFormat.RowCondition;

import tools.jackson.databind.JsonNode;

/** Cells of built-in types that show more than one member. */
final class BuiltInCells {

    private static final String ROLE = "kubernetes.io/role";
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    /** The number of hosts that are shown. */
    private static final int SHOWN = 3;

    private BuiltInCells() {}

    /** Returns whether a node is ready and accepts pods. */
    static String nodeStatus(JsonNode node) {
        String ready =
                switch (CellText.condition(node.path("status"), "Ready")) {
                    case "True" -> "Ready";
                    case "" -> "Unknown";
                    default -> "NotReady";
                };
        return node.at("/spec/unschedulable").asBoolean(false)
                ? ready + ",SchedulingDisabled"
                : ready;
    }

    /**
     * Returns the roles of a node. A role is the value of one label, or the rest of a label key
     * after a prefix.
     */
    static String roles(JsonNode labels) {
        return CellText.orNone(
                labels.propertyStream()
                        .map(label -> role(label.getKey(), label.getValue()))
                        .filter(role -> !role.isEmpty())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    private static String role(String label, JsonNode value) {
        if (label.startsWith(ROLE_PREFIX)) {
            return label.substring(ROLE_PREFIX.length());
        }
        return label.equals(ROLE) ? value.asString("") : "";
    }

    /** Returns the first address of a type. */
    static String address(JsonNode addresses, String type) {
        return CellText.first(addresses, type).path("address").asString(CellText.NONE);
    }

    /**
     * Returns the time since an event was first seen. Events of the newer API have a time and a
     * series instead of two times and a count.
     */
    static String firstSeen(JsonNode event, Instant now) {
        JsonNode first = event.path("firstTimestamp");
        return HumanDuration.since(first.isString() ? first : event.path("eventTime"), now);
    }

    /** Returns the time since an event was last seen. */
    static String lastSeen(JsonNode event, Instant now) {
        JsonNode series = event.path("series");
        if (series.isObject()) {
            return HumanDuration.since(series.path("lastObservedTime"), now);
        }
        JsonNode last = event.path("lastTimestamp");
        return last.isString() ? HumanDuration.since(last, now) : firstSeen(event, now);
    }

    /** Returns how often an event occurred. */
    static long count(JsonNode event) {
        JsonNode series = event.path("series");
        return series.isObject()
                ? series.path("count").asLong(0)
                : Math.max(1, event.path("count").asLong(0));
    }

    /** Returns the object that an event is about. */
    static String involved(JsonNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        String name = object.path("name").asString("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    /** Returns who reported an event. */
    static String source(JsonNode event) {
        JsonNode source = event.path("source");
        String reporter = event.path("reportingComponent").asString("");
        String component = CellText.or(source.path("component").asString(""), reporter);
        String instance =
                CellText.or(
                        source.path("host").asString(""),
                        event.path("reportingInstance").asString(""));
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    /** Returns how many readiness gates of a pod are open. */
    static String readinessGates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            String type = gate.path("conditionType").asString("");
            open += CellText.isTrue(pod.path("status"), type) ? 1 : 0;
        }
        return gates.isEmpty() ? CellText.NONE : open + "/" + gates.size();
    }

    /** Returns a condition for completed pods, so that clients can hide them. */
    static Optional<RowCondition> completion(JsonNode pod) {
        return switch (pod.at("/status/phase").asString("")) {
            case "Succeeded" -> completed("Succeeded", "The pod has completed successfully.");
            case "Failed" -> completed("Failed", "The pod failed.");
            default -> Optional.empty();
        };
    }

    private static Optional<RowCondition> completed(String reason, String message) {
        return Optional.of(new RowCondition("Completed", "True", reason, message));
    }

    /** Returns how many replicas of a workload are ready. */
    static String ready(JsonNode workload) {
        return number(workload, "/status/readyReplicas") + "/" + number(workload, "/spec/replicas");
    }

    private static long number(JsonNode object, String pointer) {
        return object.at(pointer).asLong(0);
    }

    /** Returns whether a cron job is suspended. */
    static String suspended(JsonNode suspend) {
        return suspend.isBoolean() ? (suspend.asBoolean() ? "True" : "False") : CellText.UNSET;
    }

    /** Returns the state of a job. */
    static String jobStatus(JsonNode job) {
        JsonNode status = job.path("status");
        if (CellText.isTrue(status, "Complete")) {
            return "Complete";
        }
        if (CellText.isTrue(status, "Failed")) {
            return "Failed";
        }
        if (!job.at("/metadata/deletionTimestamp").asString("").isEmpty()) {
            return "Terminating";
        }
        return Stream.of("Suspended", "FailureTarget")
                .filter(type -> CellText.isTrue(status, type))
                .findFirst()
                .orElse("Running");
    }

    /** Returns how many pods of a job have succeeded. */
    static String completions(JsonNode job) {
        String succeeded = number(job, "/status/succeeded") + "/";
        JsonNode completions = job.at("/spec/completions");
        long parallelism = number(job, "/spec/parallelism");
        return succeeded
                + (completions.isNumber()
                        ? Long.toString(completions.asLong())
                        : parallelism > 1 ? "1 of " + parallelism : "1");
    }

    /** Returns how long a job took, or has taken until now. */
    static String duration(JsonNode job, Instant now) {
        Instant end =
                HumanDuration.parse(job.at("/status/completionTime").asString("")).orElse(now);
        return HumanDuration.parse(job.at("/status/startTime").asString(""))
                .map(start -> HumanDuration.of(Duration.between(start, end)))
                .orElse("");
    }

    /**
     * Returns the cluster IP. Objects created before dual-stack support have only one address
     * field.
     */
    static String clusterIp(JsonNode service) {
        String first = service.at("/spec/clusterIPs/0").asString("");
        return CellText.orNone(CellText.or(first, service.at("/spec/clusterIP").asString("")));
    }

    /** Returns the addresses at which a service can be reached from outside. */
    static String externalIp(JsonNode service) {
        List<String> declared =
                service.at("/spec/externalIPs").valueStream().map(ip -> ip.asString("")).toList();
        return switch (service.at("/spec/type").asString("")) {
            case "ClusterIP", "NodePort" -> CellText.orNone(String.join(",", declared));
            case "LoadBalancer" ->
                    CellText.or(
                            Stream.concat(balanced(service), declared.stream())
                                    .collect(Collectors.joining(",")),
                            "<pending>");
            case "ExternalName" -> service.at("/spec/externalName").asString("");
            default -> CellText.UNKNOWN;
        };
    }

    /** Returns the addresses of the load balancers of an ingress. */
    static String balancers(JsonNode ingress) {
        return balanced(ingress).collect(Collectors.joining(","));
    }

    private static Stream<String> balanced(JsonNode service) {
        return service.at("/status/loadBalancer/ingress")
                .valueStream()
                .map(
                        ingress ->
                                CellText.or(
                                        ingress.path("ip").asString(""),
                                        ingress.path("hostname").asString("")))
                .filter(address -> !address.isEmpty())
                .distinct()
                .sorted();
    }

    /** Returns the ports of a service. */
    static String servicePorts(JsonNode ports) {
        return CellText.orNone(
                ports.valueStream()
                        .map(BuiltInCells::servicePort)
                        .collect(Collectors.joining(",")));
    }

    private static String servicePort(JsonNode port) {
        long onNodes = port.path("nodePort").asLong(0);
        return port.path("port").asLong(0)
                + (onNodes > 0 ? ":" + onNodes : "")
                + "/"
                + port.path("protocol").asString("");
    }

    /** Returns the first hosts, and the number of the other rules, with or without a host. */
    static String hosts(JsonNode rules) {
        List<String> hosts = new ArrayList<>();
        for (JsonNode rule : rules) {
            if (hosts.size() == SHOWN) {
                int others = rules.size() - SHOWN;
                return String.join(",", hosts) + " + " + others + " more...";
            }
            String host = rule.path("host").asString("");
            if (!host.isEmpty()) {
                hosts.add(host);
            }
        }
        return CellText.or(String.join(",", hosts), "*");
    }
}
