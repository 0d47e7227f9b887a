package io.kubemirror.kube;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * The configured API server to mirror. Null or blank values are not set.
 *
 * @param server {@code kubemirror.upstream.server}: the URL of an API server or a proxy that needs
 *     no credentials other than those in the URL
 * @param kubeconfig {@code kubemirror.upstream.kubeconfig}: the path of a kubeconfig file
 * @param context {@code kubemirror.upstream.context}: the name of a context in the kubeconfig, if
 *     not the current context of the file
 */
public record UpstreamSettings(
        @Nullable String server, @Nullable String kubeconfig, @Nullable String context) {

    /** Replaces blank values with null, because an empty environment variable sets nothing. */
    public UpstreamSettings {
        server = orNull(server);
        kubeconfig = orNull(kubeconfig);
        context = orNull(context);
    }

    private static @Nullable String orNull(@Nullable String value) {
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** Omits the server, whose URL may contain a password. */
    @Override
    public String toString() {
        return "kubeconfig " + kubeconfig + ", context " + context;
    }

    /**
     * Signals that an upstream setting cannot be used. The message is one line that names the
     * property and the remedy. There is never a cause, since parsers quote the text that they could
     * not parse, including credentials.
     */
    public static final class UpstreamException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        /** Creates an exception for one of the properties {@code kubemirror.upstream.*}. */
        UpstreamException(String property, String problem) {
            super("kubemirror.upstream." + property + ": " + problem);
        }
    }

    /**
     * The parts of the process environment that determine the upstream. Tests provide their own.
     *
     * @param variables the environment variables
     * @param home the home directory of the user
     * @param serviceAccount the directory into which Kubernetes mounts the credentials of the pod
     */
    public record ProcessEnvironment(
            Map<String, String> variables, Path home, Path serviceAccount) {

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
}
