package io.kubemirror.testing.real;

import module java.base;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;

/**
 * A directory with the executables {@code etcd} and {@code kube-apiserver}, laid out as the envtest
 * tools do.
 *
 * @param directory the directory
 */
public record ServerBinaries(Path directory) {

    /** The environment variable or system property that names the directory. */
    public static final String VARIABLE = "KUBEBUILDER_ASSETS";

    /** The directory that a system property or the environment names, if it holds them. */
    public static Optional<ServerBinaries> find() {
        return Optional.ofNullable(System.getProperty(VARIABLE))
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
                .map(directory -> new ServerBinaries(Path.of(directory)))
                .filter(ServerBinaries::complete);
    }

    /**
     * Returns whether tests run. Where they cannot, they are skipped with the reason.
     *
     * @throws IllegalStateException instead of that, if the environment has {@code CI=true}
     */
    static ConditionEvaluationResult verdict() {
        if (find().isPresent()) {
            return ConditionEvaluationResult.enabled("there is an API server");
        }
        String lack =
                "needs a real API server: "
                        + VARIABLE
                        + " names no directory with etcd and kube-apiserver (envtest)";
        if ("true".equals(System.getenv("CI"))) {
            throw new IllegalStateException(lack);
        }
        return ConditionEvaluationResult.disabled(lack);
    }

    private boolean complete() {
        return Files.isExecutable(etcd()) && Files.isExecutable(apiServer());
    }

    /** The program of etcd. */
    public Path etcd() {
        return directory.resolve("etcd");
    }

    Path apiServer() {
        return directory.resolve("kube-apiserver");
    }
}
