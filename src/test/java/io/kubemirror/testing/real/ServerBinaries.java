package io.kubemirror.testing.real;

import module java.base;

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
