package io.kubemirror.upstream.kube;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.Map;

/**
 * What of the process's surroundings decides about the upstream, so that tests can make their own.
 *
 * @param variables the environment variables
 * @param home the user's home directory
 * @param serviceAccount the directory into which Kubernetes mounts the pod's credentials
 */
public record ProcessEnvironment(Map<String, String> variables, Path home, Path serviceAccount) {

    private static final Path MOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /** Copies the variables. */
    public ProcessEnvironment {
        variables = Map.copyOf(variables);
    }

    /** The environment of this process. */
    public static ProcessEnvironment ofProcess() {
        Map<String, String> variables = System.getenv();
        String home = variables.getOrDefault("HOME", System.getProperty("user.home"));
        return new ProcessEnvironment(variables, Path.of(home), MOUNT);
    }

    /** A variable's value, or null where it is absent or empty. */
    @Nullable String variable(String name) {
        String value = variables.get(name);
        return value == null || value.isBlank() ? null : value;
    }

    /** Leaves out the variables, among which are often passwords. */
    @Override
    public String toString() {
        return "home " + home + ", service account " + serviceAccount;
    }
}
