package io.kubemirror.kube;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.Map;

/**
 * The parts of the process environment that determine the upstream. Tests provide their own.
 *
 * @param variables the environment variables
 * @param home the home directory of the user
 * @param serviceAccount the directory into which Kubernetes mounts the credentials of the pod
 */
public record ProcessEnvironment(Map<String, String> variables, Path home, Path serviceAccount) {

    private static final Path MOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /** Copies the variables. */
    public ProcessEnvironment {
        variables = Map.copyOf(variables);
    }

    /** Returns the environment of this process. */
    public static ProcessEnvironment ofProcess() {
        Map<String, String> variables = System.getenv();
        String home = variables.getOrDefault("HOME", System.getProperty("user.home"));
        return new ProcessEnvironment(variables, Path.of(home), MOUNT);
    }

    /** Returns the value of a variable, or null if it is absent or empty. */
    @Nullable String variable(String name) {
        String value = variables.get(name);
        return value == null || value.isBlank() ? null : value;
    }

    /** Omits the variables, which often contain passwords. */
    @Override
    public String toString() {
        return "home " + home + ", service account " + serviceAccount;
    }
}
