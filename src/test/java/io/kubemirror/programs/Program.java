package io.kubemirror.programs;

import module java.base;

/** A program that runs directly against an API server and through kubemirror. */
enum Program {
    KUBECTL_GET,
    KUBECTL_APPLY,
    KUBECTL_EDIT,
    KUBECTL_DELETE,
    KUBECTL_EXPLAIN,
    KUBECTL_ROLLOUT,
    KUBECTL_CAN_I,
    KUBECTL_LOGS,
    KUBECTL_EXEC,
    CLIENT_GO,
    PYTHON,
    NODE,
    FABRIC8,
    OFFICIAL_JAVA,
    JOSDK,
    SPRING_CLOUD,
    PROMETHEUS,
    ANSIBLE;

    /**
     * The name, the title, what runs it, its file from {@code src/test/programs}, and what it does.
     */
    private static final String TABLE =
            """
            KUBECTL_GET | `kubectl get` | KUBECTL | kubectl/get.sh | lists three types, reads a field, lists nothing
            KUBECTL_APPLY | `kubectl apply` | KUBECTL | kubectl/apply.sh | dry run, creates two objects, changes nothing, changes one, by client and by server
            KUBECTL_EDIT | `kubectl edit` | KUBECTL | kubectl/edit.sh | edits an object and reads it
            KUBECTL_DELETE | `kubectl delete` | KUBECTL | kubectl/delete.sh | creates, labels, and deletes by name and by label, and waits until they are gone
            KUBECTL_EXPLAIN | `kubectl explain` | KUBECTL | kubectl/explain.sh | explains two fields, by OpenAPI v3 and v2
            KUBECTL_ROLLOUT | `kubectl rollout` | KUBECTL | kubectl/rollout.sh | restarts a deployment, waits for its status, pauses and resumes it
            KUBECTL_CAN_I | `kubectl auth can-i` | KUBECTL | kubectl/can-i.sh | asks for two permissions (1)
            KUBECTL_LOGS | `kubectl logs` | KUBECTL | kubectl/logs.sh | reads a log, and follows it (1)
            KUBECTL_EXEC | `kubectl exec`, `cp` | KUBECTL | kubectl/exec.sh | runs commands with input, errors, and an exit code; copies a file (1)
            CLIENT_GO | controller on client-go | GO | go/controller.go | leads by a Lease, an informer, updates, an event recorder, and a watch of the events
            PYTHON | controller on Python's official client | PYTHON | python/controller.py | lists after each write, a watch, a patch, a conflict, `/status`, `/scale`, deletecollection
            NODE | controller on client-node | NODE | javascript/controller.mjs | an informer, reads after each write, patches, `/status`, deletes
            FABRIC8 | controller on fabric8's client | FABRIC8 | fabric8/Controller.java | `watch()`, edit, patch, server-side apply, `/status`, `/scale`, deletes
            OFFICIAL_JAVA | controller on the official Java client | JAVA | official-java/Controller.java | an informer, reads after each write, a patch, `/status`, a delete
            JOSDK | operator on the Java Operator SDK | FABRIC8 | josdk/Operator.java | a finalizer, a status, a dependent config map, a change, a cleanup
            SPRING_CLOUD | application with Spring Cloud Kubernetes | FABRIC8 | spring-cloud/greeter/Application.java | its configuration from a config map, discovery of services
            PROMETHEUS | Prometheus | PROMETHEUS | prometheus/targets.py | discovers pods, services, endpoint slices, ingresses, and nodes
            ANSIBLE | Ansible, `kubernetes.core` | ANSIBLE | ansible/playbook.yaml | check mode, creates, changes nothing, patches, applies, deletes, reads
            """;

    private static final Map<String, List<String>> CELLS =
            TABLE.lines()
                    .map(row -> List.of(row.split(" \\| ", -1)))
                    .collect(Collectors.toMap(List::getFirst, cells -> cells));

    private String cell(int number) {
        return Objects.requireNonNull(CELLS.get(name())).get(number);
    }

    Tool tool() {
        return Tool.valueOf(cell(2));
    }

    /** Its file, from {@code src/test/programs}. */
    Path file() {
        return Path.of(cell(3));
    }

    /** Whether it needs a kubelet or an authorizer, which are scripted. */
    boolean usesContainers() {
        return cell(4).endsWith("(1)");
    }

    /** The cells of its row that are no measurements. */
    String description() {
        return "| %s | %s | %s |".formatted(cell(1), tool().setting(), cell(4));
    }
}
