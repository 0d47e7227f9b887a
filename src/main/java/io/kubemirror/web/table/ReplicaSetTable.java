package io.kubemirror.web.table;

/** The columns of replica sets. */
final class ReplicaSetTable {

    private ReplicaSetTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.number(
                        "Desired",
                        "Replicas is the number of desired pods. This is a pointer to distinguish"
                            + " between explicit zero and unspecified. Defaults to 1. More info:"
                            + " https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
                        object -> object.at("/spec/replicas").asLong(0)),
                Column.number(
                        "Current",
                        "Replicas is the most recently observed number of non-terminating pods."
                            + " More info:"
                            + " https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
                        object -> object.at("/status/replicas").asLong(0)),
                Column.number(
                        "Ready",
                        "The number of non-terminating pods targeted by this ReplicaSet with a"
                                + " Ready Condition.",
                        object -> object.at("/status/readyReplicas").asLong(0)),
                Column.age(),
                Column.text(
                                "Containers",
                                "Names of each container in the template.",
                                object ->
                                        Texts.each(
                                                object.at("/spec/template/spec/containers"),
                                                "name"))
                        .wide(),
                Column.text(
                                "Images",
                                "Images referenced by each container in the template.",
                                object ->
                                        Texts.each(
                                                object.at("/spec/template/spec/containers"),
                                                "image"))
                        .wide(),
                Column.text(
                                "Selector",
                                "Selector is a label query over pods that should match the replica"
                                    + " count. Label keys and values that must match in order to be"
                                    + " controlled by this replica set. It must match the pod"
                                    + " template's labels. More info:"
                                    + " https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
                                object -> Texts.orNone(Texts.selector(object.at("/spec/selector"))))
                        .wide());
    }
}
