package io.kubemirror.web.table;

/** The columns of deployments. */
final class DeploymentTable {

    private DeploymentTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text(
                        "Ready",
                        "Number of the pod with ready state",
                        object ->
                                object.at("/status/readyReplicas").asLong(0)
                                        + "/"
                                        + object.at("/spec/replicas").asLong(0)),
                Column.count(
                        "Up-to-date",
                        "Total number of non-terminating pods targeted by this deployment that have"
                                + " the desired template spec.",
                        object -> object.at("/status/updatedReplicas").asLong(0)),
                Column.count(
                        "Available",
                        "Total number of available non-terminating pods (ready for at least"
                                + " minReadySeconds) targeted by this deployment.",
                        object -> object.at("/status/availableReplicas").asLong(0)),
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
                                "Label selector for pods. Existing ReplicaSets whose pods are"
                                        + " selected by this will be the ones affected by this"
                                        + " deployment. It must match the pod template's labels.",
                                object -> Texts.selector(object.at("/spec/selector")))
                        .wide());
    }
}
