package io.kubemirror.programs;

import module java.base;

/** A program that runs directly against an API server and through kubemirror. */
enum Program {
    KUBECTL_GET(
            "`kubectl get`",
            Tool.KUBECTL,
            "kubectl/get.sh",
            "lists three types, reads a field, lists nothing"),
    KUBECTL_APPLY(
            "`kubectl apply`",
            Tool.KUBECTL,
            "kubectl/apply.sh",
            "dry run, creates two objects, changes nothing, changes one, by client and by server"),
    KUBECTL_EDIT("`kubectl edit`", Tool.KUBECTL, "kubectl/edit.sh", "edits an object and reads it"),
    KUBECTL_DELETE(
            "`kubectl delete`",
            Tool.KUBECTL,
            "kubectl/delete.sh",
            "creates, labels, and deletes by name and by label, and waits until they are gone"),
    KUBECTL_EXPLAIN(
            "`kubectl explain`",
            Tool.KUBECTL,
            "kubectl/explain.sh",
            "explains two fields, by OpenAPI v3 and v2"),
    KUBECTL_ROLLOUT(
            "`kubectl rollout`",
            Tool.KUBECTL,
            "kubectl/rollout.sh",
            "restarts a deployment, waits for its status, pauses and resumes it"),
    KUBECTL_CAN_I(
            "`kubectl auth can-i`",
            Tool.KUBECTL,
            "kubectl/can-i.sh",
            "asks for two permissions (1)"),
    KUBECTL_LOGS(
            "`kubectl logs`", Tool.KUBECTL, "kubectl/logs.sh", "reads a log, and follows it (1)"),
    KUBECTL_EXEC(
            "`kubectl exec`, `cp`",
            Tool.KUBECTL,
            "kubectl/exec.sh",
            "runs commands with input, errors, and an exit code; copies a file (1)"),
    KUBECTL_PORT_FORWARD(
            "`kubectl port-forward`",
            Tool.KUBECTL,
            "kubectl/port-forward.sh",
            "forwards a port and uses it (1)"),
    CLIENT_GO(
            "controller on client-go",
            Tool.GO,
            "go/controller.go",
            "leads by a Lease, an informer, updates, an event recorder, and a watch of the events"),
    PYTHON(
            "controller on Python's official client",
            Tool.PYTHON,
            "python/controller.py",
            "lists after each write, a watch, a patch, a conflict, `/status`, `/scale`,"
                    + " deletecollection"),
    NODE(
            "controller on client-node",
            Tool.NODE,
            "javascript/controller.mjs",
            "an informer, reads after each write, patches, `/status`, deletes"),
    FABRIC8(
            "controller on fabric8's client",
            Tool.FABRIC8,
            "fabric8/Controller.java",
            "`watch()`, edit, patch, server-side apply, `/status`, `/scale`, deletes"),
    OFFICIAL_JAVA(
            "controller on the official Java client",
            Tool.JAVA,
            "official-java/Controller.java",
            "an informer, reads after each write, a patch, `/status`, a delete"),
    JOSDK(
            "operator on the Java Operator SDK",
            Tool.FABRIC8,
            "josdk/Operator.java",
            "a finalizer, a status, a dependent config map, a change, a cleanup"),
    SPRING_CLOUD(
            "application with Spring Cloud Kubernetes",
            Tool.FABRIC8,
            "spring-cloud/greeter/Application.java",
            "its configuration from a config map, discovery of services"),
    PROMETHEUS(
            "Prometheus",
            Tool.PROMETHEUS,
            "prometheus/targets.py",
            "discovers pods, services, endpoint slices, ingresses, and nodes"),
    ANSIBLE(
            "Ansible, `kubernetes.core`",
            Tool.ANSIBLE,
            "ansible/playbook.yaml",
            "check mode, creates, changes nothing, patches, applies, deletes, reads");

    private final String title;
    private final Tool tool;
    private final Path file;
    private final String purpose;

    Program(String title, Tool tool, String file, String purpose) {
        this.title = title;
        this.tool = tool;
        this.file = Path.of(file);
        this.purpose = purpose;
    }

    Tool tool() {
        return tool;
    }

    /** Its file, from {@code src/test/programs}. */
    Path file() {
        return file;
    }

    /** Whether it needs a kubelet or an authorizer, which are scripted. */
    boolean usesContainers() {
        return purpose.endsWith("(1)");
    }

    /** The cells of its row that are no measurements. */
    String description() {
        return "| %s | %s | %s |".formatted(title, tool.setting(), purpose);
    }
}
