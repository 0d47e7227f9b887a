package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/** The columns of pods. */
final class PodTable {

    private PodTable() {}

    static TableFormat format() {
        return new TableFormat(
                List.of(
                        Column.named(),
                        Column.text(
                                "Ready",
                                "The aggregate readiness state of this pod for accepting traffic.",
                                pod -> PodState.of(pod).ready()),
                        Column.text(
                                "Status",
                                "The aggregate status of the containers in this pod.",
                                pod -> PodState.of(pod).reason()),
                        Column.timed(
                                "Restarts",
                                "The number of times the containers in this pod have been restarted"
                                        + " and when the last container in this pod has restarted.",
                                (pod, now) -> PodState.of(pod).restarts(now)),
                        Column.age(),
                        Column.text(
                                        "IP",
                                        "podIP address allocated to the pod. Routable at least"
                                            + " within the cluster. Empty if not yet allocated.",
                                        pod ->
                                                Texts.orNone(
                                                        pod.at("/status/podIPs/0/ip").asString("")))
                                .wide(),
                        Column.text(
                                        "Node",
                                        "NodeName indicates in which node this pod is scheduled. If"
                                            + " empty, this pod is a candidate for scheduling by"
                                            + " the scheduler defined in schedulerName. Once this"
                                            + " field is set, the kubelet for this node becomes"
                                            + " responsible for the lifecycle of this pod. This"
                                            + " field should not be used to express a desire for"
                                            + " the pod to be scheduled on a specific node."
                                            + " https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
                                        pod -> Texts.orNone(pod.at("/spec/nodeName").asString("")))
                                .wide(),
                        Column.text(
                                        "Nominated Node",
                                        "nominatedNodeName is set only when this pod preempts other"
                                            + " pods on the node, but it cannot be scheduled right"
                                            + " away as preemption victims receive their graceful"
                                            + " termination periods. This field does not guarantee"
                                            + " that the pod will be scheduled on this node."
                                            + " Scheduler may decide to place the pod elsewhere if"
                                            + " other nodes become available sooner. Scheduler may"
                                            + " also decide to give the resources on this node to a"
                                            + " higher priority pod that is created after"
                                            + " preemption. As a result, this field may be"
                                            + " different than PodSpec.nodeName when the pod is"
                                            + " scheduled.",
                                        pod ->
                                                Texts.orNone(
                                                        pod.at("/status/nominatedNodeName")
                                                                .asString("")))
                                .wide(),
                        Column.text(
                                        "Readiness Gates",
                                        "If specified, all readiness gates will be evaluated for"
                                            + " pod readiness. A pod is ready when all its"
                                            + " containers are ready AND all conditions specified"
                                            + " in the readiness gates have status equal to"
                                            + " \"True\" More info:"
                                            + " https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
                                        PodTable::readinessGates)
                                .wide()),
                PodTable::completion);
    }

    private static String readinessGates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            String type = gate.path("conditionType").asString("");
            open += Conditions.isTrue(pod.path("status"), type) ? 1 : 0;
        }
        return gates.isEmpty() ? Texts.NONE : open + "/" + gates.size();
    }

    /** Pods that are over are told from others, so that clients can leave them out. */
    private static Optional<RowCondition> completion(JsonNode pod) {
        return switch (pod.at("/status/phase").asString("")) {
            case "Succeeded" ->
                    Optional.of(
                            new RowCondition(
                                    "Completed",
                                    "Succeeded",
                                    "The pod has completed successfully."));
            case "Failed" ->
                    Optional.of(new RowCondition("Completed", "Failed", "The pod failed."));
            default -> Optional.empty();
        };
    }
}
